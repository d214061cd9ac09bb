package javafn

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// cast converts a value from one type to another as Trino's CAST does; a is the text of the value and the names of both
// types. Numbers have DuckDB's format.
func cast(a []string) (string, bool, error) {
	from, err := types.Parse(a[1])
	if err != nil {
		return "", false, err
	}
	to, err := types.Parse(a[2])
	if err != nil {
		return "", false, err
	}
	text, err := castValue(a[0], from, to)
	return text, true, err
}

var doubleType, realType = types.Of(types.Double), types.Of(types.Real)

var integerBits = map[types.Kind]int{types.Tinyint: 8, types.Smallint: 16, types.Integer: 32, types.Bigint: 64}

func castValue(text string, from, to *types.Type) (string, error) {
	if bits := integerBits[to.Kind]; bits > 0 {
		return castInteger(text, from, to, bits)
	}
	switch to.Kind {
	case types.Real, types.Double:
		return castFloat(text, to)
	case types.Decimal:
		return castDecimal(text, from, to)
	case types.Varchar:
		return castVarchar(text, from, to)
	}
	return "", says("Cannot cast '%s' to %s", text, strings.ToUpper(to.Base()))
}

func castInteger(text string, from, to *types.Type, bits int) (string, error) {
	name := to.Base()
	if from.Kind == types.Varchar {
		n, err := strconv.ParseInt(asciiDigits(text), 10, bits)
		if err != nil {
			if to.Kind == types.Integer {
				name = "int"
			}
			return "", says("Cannot cast '%s' to %s", text, strings.ToUpper(name))
		}
		return strconv.FormatInt(n, 10), nil
	}
	if from.Kind == types.Decimal {
		if r, ok := new(big.Rat).SetString(text); ok && (to.Kind == types.Tinyint || to.Kind == types.Smallint) {
			text = r.FloatString(0)
		}
		return "", says("Cannot cast '%s' to %s", text, strings.ToUpper(name))
	}
	if from.Kind == types.Real || from.Kind == types.Double {
		f, err := parseDouble(text, 64)
		if err != nil {
			return "", err
		}
		java := javaDouble(text, from)
		switch {
		case to.Kind == types.Bigint && from.Kind == types.Real && f > 0:
			return strconv.FormatInt(math.MaxInt64, 10), nil
		case to.Kind == types.Bigint && from.Kind == types.Real && f < 0:
			return strconv.FormatInt(math.MinInt64, 10), nil
		case math.IsNaN(f) && (to.Kind != types.Bigint || from.Kind == types.Real):
			return "", says("Cannot cast %s NaN to %s", from.Base(), name)
		case to.Kind == types.Bigint && from.Kind == types.Double:
			return "", says("Unable to cast %s to bigint", java)
		}
		return "", says("Out of range for %s: %s", name, java)
	}
	return "", says("Out of range for %s: %s", name, text)
}

// javaDouble formats a number as Double.toString and Float.toString do.
func javaDouble(text string, t *types.Type) string {
	size := 64
	if t.Kind == types.Real {
		size = 32
	}
	f, err := strconv.ParseFloat(text, size)
	switch {
	case err != nil || math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		if f > 0 {
			return "Infinity"
		}
		return "-Infinity"
	}
	return string(doubletext.Append(nil, f, size))
}

var floatForm = late.Regexp(
	`^[\x00-\x20]*[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?|0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?)[\x00-\x20]*$`)

func castFloat(text string, to *types.Type) (string, error) {
	size := 64
	if to.Kind == types.Real {
		size = 32
	}
	if floatForm().MatchString(text) {
		t := strings.TrimRight(strings.Trim(text,
			"\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "), "fFdD")
		if strings.HasSuffix(text, "Infinity") || strings.HasSuffix(text, "NaN") {
			t = strings.TrimSpace(text)
		}
		f, err := strconv.ParseFloat(t, size)
		if err == nil || math.IsInf(f, 0) {
			return javaDouble(strconv.FormatFloat(f, 'g', -1, size), to), nil
		}
	}
	return "", says("Cannot cast '%s' to %s", text, strings.ToUpper(to.Base()))
}

// asciiDigits converts digits of other scripts to ASCII, as Java does.
func asciiDigits(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.IsDigit(r) {
			return r
		}
		zero := r
		for unicode.IsDigit(zero-1) && r-zero < 9 {
			zero--
		}
		return '0' + r - zero
	}, s)
}

// realVarchar is a real with seven digits, as CAST(... AS varchar) writes it.
func realVarchar(f float64) string {
	if f == 0 {
		return doubleVarchar(string(doubletext.Append(nil, f, 32)))
	}
	if java, err := strconv.ParseFloat(string(doubletext.Append(nil, float64(float32(f)), 32)), 64); err == nil {
		f = java // with the digits of Float.toString
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', 6, 64), "e")
	mantissa = strings.TrimRight(mantissa, "0")
	if strings.HasSuffix(mantissa, ".") {
		mantissa += "0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

var decimalForm = late.Regexp(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?$`)

// castDecimal rounds half away from zero.
func castDecimal(text string, from, to *types.Type) (string, error) {
	upper := strings.ToUpper(from.Base())
	target := "DECIMAL(" + strconv.Itoa(to.N) + ", " + strconv.Itoa(to.Scale) + ")"
	switch from.Kind {
	case types.Varchar:
		given := text
		if text = asciiDigits(text); !decimalForm().MatchString(text) {
			text = given
			return "", says("Cannot cast VARCHAR '%s' to %s. Value is not a number.", text, target)
		}
	case types.Real, types.Double:
		text = javaDouble(text, from)
	case types.Decimal:
		upper = "DECIMAL(" + strconv.Itoa(from.N) + ", " + strconv.Itoa(from.Scale) + ")"
	}
	refused := says("Cannot cast %s '%s' to %s", upper, text, target)
	if from.Kind == types.Varchar {
		refused = says("Cannot cast VARCHAR '%s' to %s. Value too large.", text, target)
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if n, _ := strconv.Atoi(exponent); n > 400 || n < -400 && from.Kind == types.Varchar {
			return "", refused
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", refused
	}
	s := r.FloatString(to.Scale)
	digits := strings.TrimLeft(strings.Replace(strings.TrimPrefix(s, "-"), ".", "", 1), "0")
	if len(digits) > to.N {
		return "", refused
	}
	return s, nil
}

func castVarchar(text string, from, to *types.Type) (string, error) {
	shown := text
	switch from.Kind {
	case types.Boolean:
		if len(text) > to.N {
			return "", says("Value [%s] does not fit in type %s", text, to)
		}
	case types.Real, types.Double:
		if f, ok := isDouble(text, 64); ok && !math.IsNaN(f) && !math.IsInf(f, 0) {
			if from.Kind == types.Real && f != 0 {
				text = realVarchar(f)
			} else {
				text = doubleVarchar(string(doubletext.Append(nil, f, 64)))
			}
		} else {
			text = javaDouble(text, from)
		}
		shown = javaDouble(shown, from) + " (" + text + ")"
	}
	if utf8.RuneCountInString(text) > to.N {
		return "", says("Value %s cannot be represented as %s", shown, to)
	}
	return text, nil
}
