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

// Put writes a value to the vector of a column of a type that Type returns. The error for a text that is no value of
// the type is a MisfitError.
func Put(to Vector, row int, typ string, v Value) error {
	if v.Kind == Null || len(v.Text) == 0 && typ != "varchar" {
		to.Null(row)
		return nil
	}
	switch typ {
	case "varchar":
		return to.Bytes(row, v.Text)
	case "bigint":
		if n, err := strconv.ParseInt(string(v.Text), 10, 64); err == nil {
			return to.Int(row, n)
		}
	case "double":
		if f, err := strconv.ParseFloat(string(v.Text), 64); err == nil {
			return to.Float(row, f)
		}
	case "boolean":
		if flagWay(v.Text) != 0 {
			n := int64(0)
			if v.Text[0]|0x20 == 't' {
				n = 1
			}
			return to.Int(row, n)
		}
	case "date":
		if isDate(v.Text) {
			return to.Int(row, days(v.Text))
		}
	case "timestamp":
		if form, ok := timestamp(v.Text); ok {
			return to.Int(row, micros(v.Text, form))
		}
	case "uuid":
		if isLowerUUID(v.Text) {
			var u [16]byte
			if _, err := hex.Decode(u[:], bytes.ReplaceAll(v.Text, []byte("-"), nil)); err != nil {
				return err
			}
			return to.Bytes(row, u[:])
		}
	case "json":
		if json.Valid(v.Text) {
			return to.Bytes(row, v.Text)
		}
	default: // a decimal, or a type of another file of the same table
		if v.Text[0] != '.' && !bytes.HasPrefix(v.Text, []byte("-.")) {
			return to.Bytes(row, v.Text)
		}
		text, _ := AppendWire(nil, typ, v)
		return to.Bytes(row, text)
	}
	return &MisfitError{string(v.Text), typ}
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
	case "varchar", "bigint", "double", "date", "uuid":
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
