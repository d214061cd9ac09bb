package javafn

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

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

// fixed rounds a number, written in any form, half up to so many digits after the point.
func fixed(text, digits string) (string, error) {
	d, err := strconv.Atoi(digits)
	x, ok := new(big.Rat).SetString(text)
	if !ok || err != nil { // NaN, Infinity
		return text, nil // as it is
	}
	if d = max(d, -400); d < 0 { // no number has as many digits
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-d)), nil))
		return new(big.Rat).Mul(mustRat(x.Quo(x, scale).FloatString(0)), scale).FloatString(0), nil
	}
	return x.FloatString(min(d, 400)), nil
}

func mustRat(s string) *big.Rat {
	x, _ := new(big.Rat).SetString(s)
	return x
}

// doubleVarchar writes a double as CAST(... AS varchar) does: 1.5E0.
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
