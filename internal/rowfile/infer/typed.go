package infer

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/pkg/trinosql/times"
)

// Vector receives the values of a column, as engine.Vector does.
type Vector interface {
	Null(row int)
	Int(row int, v int64) error
	Float(row int, v float64) error
	Bytes(row int, v []byte) error
}

// Target writes values to the vector of a column of a type that Type returns.
type Target struct {
	Type   string
	form   form
	whole  int     // of a decimal, the digits before its point
	scale  int     // and after it
	limits *Column // see Limit
	seen   Column
}

// form is how the values of a type are converted.
type form uint8

const (
	asOther form = iota // a type of another file of the same table
	asText
	asBigint
	asDecimal
	asDouble
	asBoolean
	asDate
	asTimestamp
	asUUID
	asJSON
)

// NewTarget returns a target for columns of a type.
func NewTarget(typ string) *Target {
	t := &Target{Type: typ, form: map[string]form{"varchar": asText, "bigint": asBigint, "double": asDouble,
		"boolean": asBoolean, "date": asDate, "timestamp": asTimestamp, "uuid": asUUID, "json": asJSON}[typ]}
	if _, err := fmt.Sscanf(typ, "decimal(%d,%d)", &t.whole, &t.scale); err == nil {
		t.form, t.whole = asDecimal, t.whole-t.scale
	}
	return t
}

// Limit makes the target refuse each value with which a column would have another type than with those that c has seen.
func (t *Target) Limit(c Column) { t.limits, t.seen = &c, c }

// Put writes a value. The error for a text that is no value of the type is a MisfitError.
func (t *Target) Put(to Vector, row int, v Value) error {
	if v.Kind == Null || len(v.Text) == 0 && t.form != asText {
		to.Null(row)
		return nil
	}
	if v.Kind == Field {
		switch t.form {
		case asBigint:
			if n, ok := wholeNumber(v.Text); ok {
				return to.Int(row, n)
			}
		case asDecimal:
			if n, ok := t.unscaled(v.Text); ok {
				return to.Int(row, n)
			}
		}
	}
	if t.limits != nil && !t.expected(v) {
		return &MisfitError{string(v.Text), t.Type}
	}
	switch t.form {
	case asText:
		return to.Bytes(row, v.AsText())
	case asBigint:
		if n, err := strconv.ParseInt(string(v.Text), 10, 64); err == nil {
			return to.Int(row, n)
		}
	case asDouble:
		if f, err := strconv.ParseFloat(string(v.Text), 64); err == nil {
			return to.Float(row, f)
		}
	case asBoolean:
		if flagWay(v.Text) != 0 {
			n := int64(0)
			if v.Text[0]|0x20 == 't' {
				n = 1
			}
			return to.Int(row, n)
		}
	case asDate:
		if isDate(v.Text) {
			return to.Int(row, days(v.Text))
		}
	case asTimestamp:
		if form, ok := timestamp(v.Text); ok {
			return to.Int(row, micros(v.Text, form))
		}
	case asUUID:
		if isLowerUUID(v.Text) {
			var u [16]byte
			if _, err := hex.Decode(u[:], bytes.ReplaceAll(v.Text, []byte("-"), nil)); err != nil {
				return err
			}
			return to.Bytes(row, u[:])
		}
	case asJSON:
		if v.Kind == Nested || json.Valid(v.Text) {
			return to.Bytes(row, v.Text)
		}
	default:
		if v.Text[0] != '.' && !bytes.HasPrefix(v.Text, []byte("-.")) {
			return to.Bytes(row, v.Text)
		}
		text, _ := AppendWire(nil, t.Type, v)
		return to.Bytes(row, text)
	}
	return &MisfitError{string(v.Text), t.Type}
}

// expected reports whether a column with the values of Limit, and all that were asked about so far, keeps its type with
// one more.
func (t *Target) expected(v Value) bool {
	switch {
	case t.form == asText && t.limits.Values > 0: // no value makes another type of it
		return true
	case t.form == asDate:
		return (v.Kind == Field || v.Kind == String) && isDate(v.Text)
	case t.form == asTimestamp && (v.Kind == Field || v.Kind == String):
		form, ok := timestamp(v.Text)
		return ok && t.limits.Forms == 1<<form
	}
	t.seen.Add(v, 0)
	return t.seen.Type() == t.Type
}

// wholeNumber parses an integer of up to 18 digits in the form of a bigint.
func wholeNumber(s []byte) (n int64, ok bool) {
	digits := s
	if s[0] == '-' {
		digits = s[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for _, c := range digits {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if len(digits) < len(s) {
		n = -n
	}
	return n, true
}

// unscaled parses a number as a value of the decimal, without its point: in the form of one, within the digits of the
// type, up to 18, and not a negative zero.
func (t *Target) unscaled(s []byte) (n int64, ok bool) {
	digits := s
	if s[0] == '-' {
		digits = s[1:]
	}
	whole := 0
	for whole < len(digits) && digits[whole]-'0' <= 9 {
		n = n*10 + int64(digits[whole]-'0')
		if whole++; whole > t.whole || whole > 18 {
			return 0, false
		}
	}
	if whole == 0 || whole > 1 && digits[0] == '0' {
		return 0, false
	}
	scale := 0
	if whole < len(digits) {
		if scale = len(digits) - whole - 1; digits[whole] != '.' || scale == 0 {
			return 0, false
		}
	}
	if scale > t.scale || whole+t.scale > 18 {
		return 0, false
	}
	for _, c := range digits[len(digits)-scale:] {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	for ; scale < t.scale; scale++ {
		n *= 10
	}
	if len(digits) < len(s) {
		n = -n
	}
	return n, n != 0 || len(digits) == len(s)
}

// MisfitError is the error for a text that is no value of the type of its column.
type MisfitError struct{ Text, Type string }

func (e *MisfitError) Error() string {
	return fmt.Sprintf("%q is not a valid %s", clip.Bytes(e.Text, 60), e.Type)
}

// days are the days from 1970-01-01 to a date that isDate accepts.
func days(s []byte) int64 {
	century, _ := two(s)
	year, _ := two(s[2:])
	month, _ := two(s[5:])
	day, _ := two(s[8:])
	return times.Days(int64(century*100+year), month, day)
}

// micros are the microseconds from 1970 to a timestamp of a form.
func micros(s []byte, form Form) int64 {
	hour, _ := two(s[11:])
	minute, _ := two(s[14:])
	t := (days(s)*24+int64(hour))*60 + int64(minute)
	if form&formSeconds == 0 {
		return t * 60_000_000
	}
	second, _ := two(s[17:])
	t = (t*60 + int64(second)) * 1_000_000
	for i, unit := 20, int64(100_000); i < len(s) && s[i] != 'Z'; i++ {
		t += int64(s[i]-'0') * unit
		unit /= 10
	}
	return t
}

// AppendWire appends the text that a gateway sends for a value of a type: a timestamp and a time have six decimal
// places, or nine if they need them. ok is false for NULL.
func AppendWire(dst []byte, typ string, v Value) (_ []byte, ok bool) {
	if v.Kind == Null || len(v.Text) == 0 && typ != "varchar" && typ != "varbinary" {
		return dst, false
	}
	switch typ {
	case "varchar":
		return append(dst, v.AsText()...), true
	case "bigint", "double", "date", "uuid":
		return append(dst, v.Text...), true
	}
	switch base, _, _ := strings.Cut(typ, "("); base {
	case "boolean":
		return append(dst, bytes.ToLower(v.Text)...), true
	case "decimal":
		text := v.Text
		if text[0] == '-' {
			dst, text = append(dst, '-'), text[1:]
		}
		if len(text) > 0 && text[0] == '.' {
			dst = append(dst, '0')
		}
		return append(dst, text...), true
	case "time", "timestamp", "timestamp with time zone":
		text := bytes.TrimSuffix(v.Text, []byte("Z"))
		from := len(dst)
		dst = append(dst, text...)
		if len(text) > 10 && text[10] == 'T' {
			dst[from+10] = ' '
		}
		return padded(dst, from, typ), true
	}
	return append(dst, v.Text...), true
}

// padded completes the time of day after from.
func padded(dst []byte, from int, typ string) []byte {
	point := bytes.IndexByte(dst[from:], '.')
	switch clock := dst[bytes.IndexByte(dst[from:], ' ')+1+from:]; {
	case point >= 0:
		point += from
	case len(clock) == len("15:04"):
		dst, point = append(dst, ":00."...), len(dst)+3
	default:
		dst, point = append(dst, '.'), len(dst)
	}
	places := 6
	if typ == "timestamp(9)" || len(dst)-point-1 > places {
		places = 9
	}
	for len(dst)-point-1 < places {
		dst = append(dst, '0')
	}
	if typ == "timestamp with time zone" {
		dst = append(dst, " UTC"...)
	}
	return dst
}
