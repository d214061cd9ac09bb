package javafn

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// decimal implements an operator of two decimals: the operator, the operands and the scale of the result, to which a
// quotient is rounded half up. A result of more than 38 digits is an overflow.
func decimal(a []string) (string, bool, error) {
	scale, err := strconv.Atoi(a[3])
	x, xs, ok1 := unscaled(a[1])
	y, ys, ok2 := unscaled(a[2])
	if err != nil || !ok1 || !ok2 {
		return "", false, fmt.Errorf("cannot compute %s %s %s", a[1], a[0], a[2])
	}
	if y.Sign() == 0 && (a[0] == "/" || a[0] == "%") {
		return "", false, says("Division by zero")
	}
	if a[0] == "/" {
		// x / y in units of the result is x * 10^(scale - xs + ys) / y.
		switch n := scale - xs + ys; {
		case n >= 38: // Trino does not scale further, whatever the numbers
			return "", false, says("Decimal overflow")
		case n >= 0:
			x.Mul(x, tens(n))
		default:
			y.Mul(y, tens(-n))
		}
		negative := x.Sign()*y.Sign() < 0
		var rest big.Int
		x.Abs(x).QuoRem(x, y.Abs(y), &rest)
		if rest.Lsh(&rest, 1).Cmp(y) >= 0 {
			x.Add(x, big.NewInt(1))
		}
		if negative {
			x.Neg(x)
		}
	} else {
		x.Mul(x, tens(max(ys-xs, 0)))
		y.Mul(y, tens(max(xs-ys, 0)))
		const signed, unsigned = 127, 128 // bits in which Trino has the operands and the quotient
		if a[0] == "%" {
			var quotient big.Int
			if quotient.QuoRem(x, y, x); quotient.BitLen() > unsigned {
				return "", false, says("Decimal overflow")
			}
		} else if x.BitLen() > signed || y.BitLen() > signed {
			return "", false, says("Decimal overflow")
		}
		switch a[0] {
		case "+":
			x.Add(x, y)
		case "-":
			x.Sub(x, y)
		}
		if s := max(xs, ys); s > scale {
			x.Quo(x, tens(s-scale))
		} else {
			x.Mul(x, tens(scale-s))
		}
	}
	if x.CmpAbs(tens(38)) >= 0 {
		return "", false, says("Decimal overflow")
	}
	return scaled(x, scale), true, nil
}

// unscaled splits a decimal: 1.50 is 150 with scale 2.
func unscaled(s string) (*big.Int, int, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if digits := whole + fraction; len(digits) <= 18 {
		n, err := strconv.ParseInt(digits, 10, 64)
		return big.NewInt(n), len(fraction), err == nil
	}
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	return n, len(fraction), ok
}

func scaled(x *big.Int, scale int) string {
	if scale == 0 {
		return x.String()
	}
	digits, sign := x.String(), ""
	if x.Sign() < 0 {
		digits, sign = digits[1:], "-"
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

func tens(n int) *big.Int {
	if n <= 18 {
		p := int64(1)
		for range n {
			p *= 10
		}
		return big.NewInt(p)
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// divide divides decimals, rounded half up to a scale.
func divide(a []string) (string, bool, error) {
	x, ok1 := new(big.Rat).SetString(a[0])
	y, ok2 := new(big.Rat).SetString(a[1])
	scale, err := strconv.Atoi(a[2])
	if !ok1 || !ok2 || err != nil {
		return "", false, fmt.Errorf("cannot divide %s by %s", a[0], a[1])
	}
	if y.Sign() == 0 {
		return "", false, says("Division by zero")
	}
	return x.Quo(x, y).FloatString(scale), true, nil
}

// fixed rounds a number in any notation half up to a number of decimal places.
func fixed(text, digits string) (string, error) {
	d, err := strconv.Atoi(digits)
	x, ok := new(big.Rat).SetString(text)
	if !ok || err != nil { // NaN, Infinity
		return text, nil // unchanged
	}
	if d = max(d, -400); d < 0 { // no number has that many digits
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-d)), nil))
		return new(big.Rat).Mul(mustRat(x.Quo(x, scale).FloatString(0)), scale).FloatString(0), nil
	}
	return x.FloatString(min(d, 400)), nil
}

func mustRat(s string) *big.Rat {
	x, _ := new(big.Rat).SetString(s)
	return x
}

// doubleVarchar formats a double as CAST(... AS varchar) does: 1.5E0.
func doubleVarchar(s string) string {
	switch strings.ToLower(s) {
	case "nan":
		return "NaN"
	case "inf", "infinity":
		return "Infinity"
	case "-inf", "-infinity":
		return "-Infinity"
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return s
	}
	if x.Sign() == 0 {
		if s[0] == '-' {
			return "-0E0"
		}
		return "0E0"
	}
	mantissa, exp, _ := strings.Cut(strings.ToLower(s), "e")
	e, _ := strconv.Atoi(exp)
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := whole + frac
	e += len(whole) - 1
	for digits[0] == '0' {
		digits = digits[1:]
		e--
	}
	digits = strings.TrimRight(digits, "0")
	if len(digits) < 2 {
		digits += "0"
	}
	return sign + digits[:1] + "." + digits[1:] + "E" + strconv.Itoa(e)
}

func fromBase(a []string) (string, bool, error) {
	base, _ := strconv.Atoi(a[1])
	if base < 2 || base > 36 {
		return "", false, says("Radix must be between 2 and 36")
	}
	n, err := strconv.ParseInt(a[0], base, 64)
	if err != nil {
		return "", false, says("Not a valid base-%d number: %s", base, a[0])
	}
	return strconv.FormatInt(n, 10), true, nil
}

func toBase(a []string) (string, bool, error) {
	n, err := strconv.ParseInt(a[0], 10, 64)
	base, err2 := strconv.Atoi(a[1])
	if err != nil || err2 != nil || base < 2 || base > 36 {
		return "", false, says("Radix must be between 2 and 36")
	}
	return strconv.FormatInt(n, base), true, nil
}
