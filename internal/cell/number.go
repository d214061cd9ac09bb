package cell

import (
	"bytes"
	"strconv"

	"github.com/dustin/go-humanize"
)

// AppendNumberKey encodes a valid number so that the bytes of two numbers compare like the numbers, and equal numbers
// (1, 1.0, 10e-1) have equal bytes: a sign, the exponent of 0.d1d2d3..., and the digits.
func AppendNumberKey(dst, t []byte) []byte {
	const (
		negative = 0
		zero     = 1
		positive = 2
		bias     = 1 << 40
	)
	exp, mantissa := 0, t
	if at := bytes.IndexAny(t, "eE"); at >= 0 {
		mantissa = t[:at]
		var err error
		if exp, err = strconv.Atoi(string(bytes.TrimPrefix(t[at+1:], []byte("+")))); err != nil || exp > 1<<39 ||
			exp < -1<<39 {
			if exp = 1 << 39; t[at+1] == '-' {
				exp = -exp
			}
		}
	}
	mantissa, minus := bytes.CutPrefix(mantissa, []byte("-"))
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	var digits []byte
	if len(fraction) == 0 {
		digits = whole
	} else {
		digits = append(append(make([]byte, 0, len(whole)+len(fraction)), whole...), fraction...)
	}
	exp += len(whole)
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		exp--
	}
	digits = TrimZeros(digits, 0)
	if len(digits) == 0 {
		return append(dst, zero)
	}
	var flip byte
	if minus {
		flip = 0xff
		dst = append(dst, negative)
	} else {
		dst = append(dst, positive)
	}
	e := uint64(exp + bias)
	for shift := 40; shift >= 0; shift -= 8 {
		dst = append(dst, byte(e>>shift)^flip)
	}
	for _, d := range digits {
		dst = append(dst, d^flip)
	}
	return append(dst, flip) // sorts before longer digits if positive, after them if negative
}

// Counted formats a number of things, with a singular.
func Counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return humanize.Comma(n) + " " + thing
}
