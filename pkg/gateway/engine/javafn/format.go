package javafn

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Behaviour of Java that Trino's functions expose.

// javaText formats a value, given as Trino's CAST(... AS varchar), as %s of Java's String.format does.
func javaText(typ, text string) string {
	switch {
	case typ == "double" || typ == "real":
		t := doubleType
		if typ == "real" {
			t = realType
		}
		return javaDouble(text, t)
	case typ == "date":
		if day, ok := strings.CutPrefix(text, "+"); ok {
			text = day
		}
		if year, _, _ := strings.Cut(text, "-"); len(year) > 4 {
			text = "+" + text
		}
	case strings.HasPrefix(typ, "decimal("):
		return bigDecimal(zeroBeforePoint(text))
	case typ == "time":
		return javaClock(text)
	case strings.HasPrefix(typ, "in ") && strings.Contains(text, "T"): // a timestamp in ISO 8601, with time zone
		day, rest, _ := strings.Cut(text, "T")
		at := max(strings.IndexAny(rest, "Z+-"), 0)
		zone := "[" + typ[3:] + "]"
		if typ[3:] == rest[at:] {
			zone = ""
		}
		return day + "T" + javaClock(rest[:at]) + rest[at:] + zone
	case strings.HasPrefix(typ, "timestamp"):
		day, clock, _ := strings.Cut(text, " ")
		return day + "T" + javaClock(clock)
	}
	return text
}

// javaClock formats a time of day in its shortest form: without seconds, with seconds, or with groups of three
// fractional digits.
func javaClock(s string) string {
	clock, frac, _ := strings.Cut(s, ".")
	frac = strings.TrimRight(frac, "0")
	for len(frac)%3 != 0 {
		frac += "0"
	}
	switch {
	case frac != "":
		return clock + "." + frac
	case strings.Count(clock, ":") == 2:
		return strings.TrimSuffix(clock, ":00")
	}
	return clock
}

// javaClass is the Java class of a type's values as arguments of format.
func javaClass(typ string) string {
	switch base, _, _ := strings.Cut(typ, "("); base {
	case "tinyint", "smallint", "integer", "bigint":
		return "java.lang.Long"
	case "real":
		return "java.lang.Float"
	case "double":
		return "java.lang.Double"
	case "boolean":
		return "java.lang.Boolean"
	case "decimal":
		return "java.math.BigDecimal"
	case "date":
		return "java.time.LocalDate"
	case "timestamp":
		return "java.time.LocalDateTime"
	case "time":
		return "java.time.LocalTime"
	}
	if strings.HasPrefix(typ, "in ") {
		return "java.time.ZonedDateTime"
	}
	return "java.lang.String"
}

// javaFormat formats one value with one format specifier of Java. spec is what follows the percent sign; after it,
// behind a unit separator, may be the whole format, for errors.
func javaFormat(spec, typ, text string) (string, error) {
	spec, whole, more := strings.Cut(spec, "\x1f")
	if !more {
		whole = "%" + spec
	}
	if text == "-nan" { // of the engine
		text = "NaN"
	}
	verb := spec[len(spec)-1]
	body := strings.TrimLeft(spec[:len(spec)-1], "-+ 0,(#")
	flags := spec[:len(spec)-1-len(body)]
	width, prec, hasPrec := strings.Cut(body, ".")
	bad := func() (string, error) {
		return "", says("Invalid format string: %s (IllegalFormatConversion: %c != %s)", whole, verb, javaClass(typ))
	}
	number := func(s string) string {
		neg := strings.HasPrefix(s, "-")
		s = strings.TrimPrefix(s, "-")
		if strings.Contains(flags, ",") {
			whole, frac, dot := strings.Cut(s, ".")
			for i := len(whole) - 3; i > 0; i -= 3 {
				whole = whole[:i] + "," + whole[i:]
			}
			if s = whole; dot {
				s += "." + frac
			}
		}
		sign := ""
		switch {
		case neg && strings.Contains(flags, "("):
			return "(" + s + ")"
		case neg:
			sign = "-"
		case strings.Contains(flags, "+"):
			sign = "+"
		case strings.Contains(flags, " "):
			sign = " "
		}
		if w, _ := strconv.Atoi(width); strings.Contains(flags, "0") && w > 0 {
			s = strings.Repeat("0", max(w-len(s)-len(sign), 0)) + s
		}
		return sign + s
	}
	out := text
	integer := typ == "tinyint" || typ == "smallint" || typ == "integer" || typ == "bigint"
	switch {
	case text == "null" && verb == 'b':
		out = "false"
	case text == "null":
		if p, err := strconv.Atoi(prec); hasPrec && err == nil { // the precision of a number, too
			out = out[:min(p, len(out))]
		}
		if verb == 'X' || verb == 'E' {
			out = strings.ToUpper(out)
		}
	case verb == 's':
		out = javaText(typ, text)
		if units := utf16.Encode([]rune(out)); hasPrec {
			if p, err := strconv.Atoi(prec); err == nil && len(units) > p {
				out = strings.ReplaceAll(string(utf16.Decode(units[:p])), "\ufffd", "?") // half of a surrogate pair
			}
		}
	case verb == 'b':
		if typ != "boolean" {
			out = "true"
		}
	case verb == 'd':
		if !integer {
			return bad()
		}
		out = number(text)
	case verb == 'x' || verb == 'X' || verb == 'o':
		n, err := strconv.ParseInt(text, 10, 64)
		if !integer || err != nil {
			return bad()
		}
		base := 16
		if verb == 'o' {
			base = 8
		}
		if out = number(strconv.FormatUint(uint64(n), base)); verb == 'X' { // all integers are Long
			out = strings.ToUpper(out)
		}
	case verb == 'f' || verb == 'e' || verb == 'E':
		if integer || typ == "varchar" {
			return bad()
		}
		if prec == "" {
			prec = "6"
		}
		if f, ok := isDouble(text, 32); ok && typ == "real" { // Java converts a Float to a Double
			text = strconv.FormatFloat(f, 'g', -1, 64)
		}
		if f, ok := isDouble(text, 64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			flags = strings.NewReplacer("0", "", ",", "").Replace(flags)
			out = javaDouble(text, doubleType)
			if !math.IsNaN(f) {
				out = number(out)
			}
			if verb == 'E' {
				out = strings.ToUpper(out)
			}
			break
		}
		if verb == 'f' {
			s, err := fixed(text, prec)
			if err != nil {
				return "", err
			}
			if strings.HasPrefix(text, "-") && !strings.HasPrefix(s, "-") { // -0e0
				s = "-" + s
			}
			out = number(s)
			break
		}
		p, err := strconv.Atoi(prec)
		if err != nil {
			return bad()
		}
		if out = number(scientific(text, p)); verb == 'E' {
			out = strings.ToUpper(out)
		}
	default:
		return bad()
	}
	w, _ := strconv.Atoi(width)
	if pad := w - len(utf16.Encode([]rune(out))); pad > 0 {
		if strings.Contains(flags, "-") {
			return out + strings.Repeat(" ", pad), nil
		}
		return strings.Repeat(" ", pad) + out, nil
	}
	return out, nil
}

// scientific formats a number as %e of Java does: the digits of Double.toString, rounded half up.
func scientific(text string, precision int) string {
	if f, ok := isDouble(text, 64); ok && strings.ContainsAny(text, "eE") {
		text = javaDouble(text, doubleType)
		if f == 0 {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	text, e, _ := strings.Cut(strings.ToLower(text), "e")
	exponent, _ := strconv.Atoi(e)
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction
	exponent += len(whole) - 1
	if rest := strings.TrimLeft(digits, "0"); rest == "" {
		digits, exponent = "0", 0
	} else {
		exponent -= len(digits) - len(rest)
		digits = rest
	}
	if len(digits) > precision+1 {
		n, _ := new(big.Int).SetString(digits[:precision+1], 10)
		if digits[precision+1] >= '5' {
			n.Add(n, big.NewInt(1))
		}
		rounded := n.String()
		exponent += len(rounded) - (precision + 1)
		digits = rounded[:precision+1]
	}
	digits += strings.Repeat("0", precision+1-len(digits))
	if precision > 0 {
		digits = digits[:1] + "." + digits[1:]
	}
	return fmt.Sprintf("%s%se%+03d", sign, digits, exponent)
}
