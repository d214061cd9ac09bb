package javafn

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// roundDecimal implements round and truncate of a decimal: the name, the decimal, the number of decimal places to keep,
// and the precision of the result.
func roundDecimal(a []string) (string, bool, error) {
	n, err := strconv.Atoi(a[2])
	if err != nil {
		return "", false, err
	}
	whole, fraction, _ := strings.Cut(a[1], ".")
	scale := len(fraction)
	x, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return "", false, says("not a decimal: %s", a[1])
	}
	if n >= scale {
		return a[1], true, nil
	}
	if scale-n > 80 { // beyond all digits
		x.SetInt64(0)
	} else {
		tens := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale-n)), nil)
		rest := new(big.Int)
		x.QuoRem(x, tens, rest)
		if a[0] == "round" && rest.Lsh(rest.Abs(rest), 1).Cmp(tens) >= 0 {
			if strings.HasPrefix(a[1], "-") {
				x.Sub(x, big.NewInt(1))
			} else {
				x.Add(x, big.NewInt(1))
			}
		}
		x.Mul(x, tens)
	}
	most, err := strconv.Atoi(a[3])
	if err != nil {
		return "", false, err
	}
	s := x.Text(10)
	if len(strings.TrimPrefix(s, "-")) > most {
		return "", false, says("decimal overflow: %s", a[1])
	}
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for len(s) <= scale {
		s = "0" + s
	}
	if scale > 0 {
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	return sign + s, true, nil
}

// shift shifts an integer: left, right or arithmetic, the width of the type, the value and the number of bits.
func shift(a []string) (string, bool, error) {
	width, err := strconv.Atoi(a[1])
	if err != nil {
		return "", false, err
	}
	x, err := strconv.ParseInt(a[2], 10, 64)
	if err != nil {
		return "", false, err
	}
	n, err := strconv.ParseInt(a[3], 10, 64)
	if err != nil {
		return "", false, err
	}
	if n < 0 { // as the processor does
		n &= 63
	}
	far := n < 0 || n >= int64(width)
	mask := ^uint64(0) >> (64 - width)
	switch {
	case a[0] == "arithmetic" && far && x < 0:
		x = -1
	case far:
		x = 0
	case a[0] == "left":
		up := 64 - width
		x = x << n << up >> up
	case a[0] == "right":
		up := 64 - width
		x = int64(uint64(x)&mask>>n) << up >> up
	default:
		x >>= n
	}
	return strconv.FormatInt(x, 10), true, nil
}

// bitCount counts the one bits of a number in two's complement of a width.
func bitCount(a []string) (string, bool, error) {
	x, err := strconv.ParseInt(a[0], 10, 64)
	if err != nil {
		return "", false, err
	}
	n, err := strconv.ParseInt(a[1], 10, 64)
	if err != nil {
		return "", false, err
	}
	if n < 2 || n > 64 {
		return "", false, says("Bits specified in bit_count must be between 2 and 64, got %d", n)
	}
	if n < 64 && (x >= 1<<(n-1) || x < -1<<(n-1)) {
		return "", false,
			says("Number must be representable with the bits specified. %d cannot be represented with %d bits", x, n)
	}
	return strconv.Itoa(bits.OnesCount64(uint64(x) & (^uint64(0) >> (64 - n)))), true, nil
}

// uuidText parses a UUID as Trino does: 36 characters in groups.
func uuidText(a string) (string, bool, error) {
	bad := len(a) != 36
	for i := 0; i < len(a) && !bad; i++ {
		switch i {
		case 8, 13, 18, 23:
			bad = a[i] != '-'
		default:
			bad = !isHex(a[i])
		}
	}
	if bad {
		return "", false, says("Cannot cast value to UUID: %s", a)
	}
	return strings.ToLower(a), true, nil
}
