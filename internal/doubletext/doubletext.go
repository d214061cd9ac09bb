// Package doubletext writes doubles and reals as the wire has them.
package doubletext

import (
	"bytes"
	"math"
	"strconv"
)

// Append formats a double, or with size 32 a float, as Java's Double.toString and Float.toString do: plain between
// 10^-3 and 10^7, otherwise d.dddE±n, always with a digit after the point.
func Append(b []byte, f float64, size int) []byte {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	case f == 0:
		if math.Signbit(f) {
			b = append(b, '-')
		}
		return append(b, "0.0"...)
	case abs >= 1e-3 && abs < 1e7:
		start := len(b)
		b = strconv.AppendFloat(b, f, 'f', -1, size)
		if bytes.IndexByte(b[start:], '.') >= 0 {
			return b
		}
		return append(b, ".0"...)
	}
	return appendScientific(b, f, size)
}

func appendScientific(b []byte, f float64, size int) []byte {
	mantissa, exp := splitExponent(strconv.AppendFloat(nil, f, 'e', -1, size)) // -1.25e+07
	if digits := bytes.TrimPrefix(mantissa, []byte("-")); len(digits) == 1 {
		// Where one digit is sufficient Java takes the nearest number with two digits: the smallest double is 4.9E-324,
		// not 5.0E-324.
		two := strconv.AppendFloat(nil, f, 'e', 1, size)
		if back, err := strconv.ParseFloat(string(two), size); err == nil && back == f {
			mantissa, exp = splitExponent(two)
		} else {
			mantissa = append(mantissa[:len(mantissa):len(mantissa)], ".0"...)
		}
	}
	b = append(append(b, mantissa...), 'E')
	if exp[0] == '-' {
		b = append(b, '-')
	}
	return append(b, bytes.TrimPrefix(exp[1:], []byte("0"))...)
}

func splitExponent(s []byte) (mantissa, exp []byte) {
	i := bytes.IndexByte(s, 'e')
	return s[:i], s[i+1:]
}
