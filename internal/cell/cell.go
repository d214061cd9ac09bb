// Package cell reads the cells and columns of a result: their text, their class by declared type, and their order. The
// output formats and the sources of rows are based on it.
package cell

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/dig-cli/dig/pkg/api"
)

// AppendText appends the text of a cell: a string without quotes and escapes, anything else unchanged, arrays and
// objects on one line.
func AppendText(dst []byte, c api.Cell) ([]byte, error) {
	if t, ok := c.PlainText(); ok {
		return append(dst, t...), nil
	}
	if k := c.Kind(); k == api.CellObject || k == api.CellArray {
		return AppendCompact(dst, c)
	}
	return c.AppendText(dst)
}

// AppendReadable is AppendText for people and text formats: a double in scientific notation is written with a decimal
// point, without loss of digits.
func AppendReadable(dst []byte, c api.Cell, cl Class) ([]byte, error) {
	if cl == ClassDouble || cl == ClassReal {
		if t := Scalar(c); bytes.IndexByte(t, 'E') > 0 || bytes.IndexByte(t, 'e') > 0 {
			return appendPlainDecimal(dst, t), nil
		}
	}
	return AppendText(dst, c)
}

// Scalar returns the text of a number or a plain string, nil for anything else.
func Scalar(c api.Cell) []byte {
	if t, ok := c.PlainText(); ok {
		return t
	}
	if c.Kind() == api.CellNumber {
		return c
	}
	return nil
}

// AppendCompact appends a cell without white space between its tokens, and thus on one line.
func AppendCompact(dst []byte, c api.Cell) ([]byte, error) {
	if len(c) > 0 && c[0] == '"' || !bytes.ContainsAny(c, " \n\t\r") {
		return append(dst, c...), nil
	}
	buf := bytes.NewBuffer(dst)
	err := json.Compact(buf, c)
	return buf.Bytes(), err
}

// AppendJSON appends a cell as JSON. typed converts strings to numbers and booleans if the declared type requires it
// and the text allows it without loss; NaN and the infinities, which are not JSON numbers, stay strings.
func AppendJSON(dst []byte, c api.Cell, cl Class, typed bool) ([]byte, error) {
	if c.IsNull() {
		return append(dst, "null"...), nil
	}
	if c[0] == '{' || c[0] == '[' {
		return AppendCompact(dst, c)
	}
	if !typed || cl == ClassOther {
		return append(dst, c...), nil
	}
	switch cl {
	case ClassInt, ClassDecimal:
		if t := Scalar(c); ValidNumber(t) {
			return append(dst, t...), nil
		}
	case ClassDouble, ClassReal:
		if t := Scalar(c); ValidNumber(t) {
			return appendFloat(dst, t, cl), nil
		}
	case ClassBool:
		if t, ok := c.PlainText(); ok {
			switch {
			case len(t) == 4 && bytes.EqualFold(t, []byte("true")):
				return append(dst, "true"...), nil
			case len(t) == 5 && bytes.EqualFold(t, []byte("false")):
				return append(dst, "false"...), nil
			}
		}
	}
	return append(dst, c...), nil
}

// ValidNumber reports whether t is a number by the grammar of JSON: no leading zeros, no plus sign, digits around the
// point.
func ValidNumber(t []byte) bool {
	i := 0
	if i < len(t) && t[i] == '-' {
		i++
	}
	digits := func() bool {
		from := i
		for i < len(t) && '0' <= t[i] && t[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(t) && t[i] == '0' {
		i++
	} else if !digits() {
		return false
	}
	if i < len(t) && t[i] == '.' {
		if i++; !digits() {
			return false
		}
	}
	if i < len(t) && (t[i] == 'e' || t[i] == 'E') {
		if i++; i < len(t) && (t[i] == '+' || t[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(t)
}

// appendFloat appends the shortest JSON number that parses as the same value. t is a valid number.
func appendFloat(dst, t []byte, cl Class) []byte {
	bits, exact := 64, 15
	if cl == ClassReal {
		bits, exact = 32, 6
	}
	if shortest(t, exact) {
		return append(dst, t...)
	}
	f, err := strconv.ParseFloat(string(t), bits)
	if err != nil { // out of range: the text is kept
		return append(dst, t...)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	if f == 0 && math.Signbit(f) { // many readers parse -0 as an integer, which has no negative zero
		return append(dst, "-0.0"...)
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && n > 4 && dst[n-4] == 'e' && dst[n-2] == '0' { // e-09 becomes e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// shortest reports whether t is certainly in its shortest form: a plain decimal with no more digits than every double
// preserves (DBL_DIG), and no trailing zero in its fraction.
func shortest(t []byte, exact int) bool {
	if len(t) > exact || bytes.IndexByte(t, 'E') >= 0 || bytes.IndexByte(t, 'e') >= 0 {
		return false
	}
	return bytes.IndexByte(t, '.') < 0 || t[len(t)-1] != '0'
}

// appendPlainDecimal writes 1.254740786E7 as 12547407.86: the point moves, the digits stay. Values beyond 1E21 or below
// 1E-9 would be mostly zeros and are not changed.
func appendPlainDecimal(dst, t []byte) []byte {
	if !ValidNumber(t) {
		return append(dst, t...)
	}
	at := bytes.IndexAny(t, "eE")
	exp, err := strconv.Atoi(string(bytes.TrimPrefix(t[at+1:], []byte("+"))))
	if err != nil || exp > 20 || exp < -9 {
		return append(dst, t...)
	}
	mantissa := t[:at]
	if mantissa[0] == '-' {
		dst = append(dst, '-')
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(append(make([]byte, 0, 64), whole...), fraction...)
	point := len(whole) + exp
	switch {
	case point <= 0:
		dst = append(dst, "0."...)
		for range -point {
			dst = append(dst, '0')
		}
		return append(dst, TrimZeros(digits, 1)...)
	case point >= len(digits):
		dst = append(dst, digits...)
		for range point - len(digits) {
			dst = append(dst, '0')
		}
		return append(dst, ".0"...)
	}
	dst = append(append(dst, digits[:point]...), '.')
	return append(dst, TrimZeros(digits[point:], 1)...)
}

// TrimFraction removes trailing zeros in the fraction of seconds of a time that starts at from: 12:00:00.500 UTC is
// 12:00:00.5 UTC.
func TrimFraction(dst []byte, from int) []byte {
	at := bytes.LastIndexByte(dst[from:], '.')
	if at < 0 {
		return dst
	}
	at += from
	end := at + 1
	for end < len(dst) && '0' <= dst[end] && dst[end] <= '9' {
		end++
	}
	keep := end
	for keep > at+1 && dst[keep-1] == '0' {
		keep--
	}
	if keep == at+1 {
		keep = at
	}
	return append(dst[:keep], dst[end:]...)
}

// TrimZeros removes trailing zeros, keeping at least n digits.
func TrimZeros(digits []byte, n int) []byte {
	for len(digits) > n && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits
}

// Text returns a string as JSON.
func Text(s string) api.Cell {
	b, err := json.Marshal(s)
	if err != nil {
		return nil // strings always marshal
	}
	return b
}

// Int returns an integer as JSON.
func Int(n int64) api.Cell { return strconv.AppendInt(nil, n, 10) }

// Bool returns a boolean as JSON.
func Bool(b bool) api.Cell { return strconv.AppendBool(nil, b) }

// AppendQuoted writes a text as a field of CSV in quotes.
func AppendQuoted(dst, t []byte) []byte {
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(t, '"')
		if i < 0 {
			break
		}
		dst = append(append(dst, t[:i+1]...), '"')
		t = t[i+1:]
	}
	return append(append(dst, t...), '"')
}
