package javafn

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// fromHex checks hexadecimal digits.
func fromHex(a []string) (string, bool, error) {
	if len(a[0])%2 != 0 {
		return "", false, says("invalid input length %d", len(a[0]))
	}
	for i := range len(a[0]) {
		if c := int8(a[0][i]); !isHex(a[0][i]) { // the byte as a char of Java, and as a number
			return "", false, says("not a hexadecimal digit: \"%s\" = %d", string(rune(uint16(c))), c)
		}
	}
	return a[0], true, nil
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// fromBase32 accepts unpadded input too, and ignores bits beyond the last byte.
func fromBase32(a []string) (string, bool, error) {
	s := strings.TrimRight(a[0], "=")
	switch len(s) % 8 {
	case 1, 3, 6:
		return "", false, says("Invalid input length %d", len(s))
	}
	for _, r := range s {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", r) {
			if r <= ' ' || r >= 0x7f && r <= 0xa0 {
				return "", false, says("Unrecognized character: 0x%x", r)
			}
			return "", false, says("Unrecognized character: %c", r)
		}
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(s)
	return hex.EncodeToString(b), true, err
}

// fromBase64 accepts unpadded input too, as Java's decoder does, with its error messages.
func fromBase64(e *base64.Encoding) func(a []string) (string, bool, error) {
	alphabet := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	if e == base64.URLEncoding {
		alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	}
	return func(a []string) (string, bool, error) {
		s := a[0]
		if len(s) == 1 {
			return "", false, says("Input byte[] should at least have 2 bytes for base64 bytes")
		}
		digits := 0
		for i := range len(s) {
			switch c := s[i]; {
			case strings.IndexByte(alphabet, c) >= 0:
				digits++
			case c != '=':
				return "", false, says("Illegal base64 character %s", strconv.FormatInt(int64(int8(c)), 16))
			default: // padding ends the input: xx== or xxx=
				end := i + 1
				if digits%4 == 2 {
					if end == len(s) || s[end] != '=' {
						return "", false, says("Input byte array has wrong 4-byte ending unit")
					}
					end++
				} else if digits%4 != 3 {
					return "", false, says("Input byte array has wrong 4-byte ending unit")
				}
				if end < len(s) {
					return "", false, says("Input byte array has incorrect ending byte at %d", end)
				}
				s = s[:i]
			}
			if i >= len(s) {
				break
			}
		}
		if digits%4 == 1 {
			return "", false, says("Last unit does not have enough valid bits")
		}
		b, err := e.WithPadding(base64.NoPadding).DecodeString(s)
		return hex.EncodeToString(b), true, err
	}
}

// urlDecode has the error messages of Java's decoder.
func urlDecode(s string) (string, bool, error) {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if i+2 >= len(s) {
			return "", false, says("URLDecoder: Incomplete trailing escape (%%) pattern")
		}
		digits := []rune(s[i+1:])[:2]
		for j, d := range digits {
			if j == 0 && d == '-' {
				return "", false, says("URLDecoder: Illegal hex characters in escape (%%) pattern - negative value")
			}
			if d > 0x7f || !isHex(byte(d)) {
				return "", false,
					says("URLDecoder: Illegal hex characters in escape (%%) pattern - Error at index %d in: \"%s\"", j,
						string(digits))
			}
		}
		i += 2
	}
	text, err := url.QueryUnescape(s)
	return strings.ToValidUTF8(text, "\ufffd"), true, err
}

// cbrt is the cube root as StrictMath computes it: a first guess of 5 bits, a rational approximation of 23 bits and one
// step of Newton's method, with an error of at most 0.667 units in the last place.
func cbrt(x float64) float64 {
	const (
		high  = 715094163 // (1023 - 1023/3 - 0.03306235651) * 2^20
		small = 696219795 // (1023 - 1023/3 - 54/3 - 0.03306235651) * 2^20
	)
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	a := math.Abs(x)
	var t float64
	if top := uint64(math.Float64bits(a) >> 32); top < 0x00100000 {
		top = math.Float64bits(a*(1<<54)) >> 32
		t = math.Float64frombits((top/3 + small) << 32)
	} else {
		t = math.Float64frombits((top/3 + high) << 32)
	}
	r := t * t / a
	s := 19.0/35 + r*t
	t *= 5.0/14 + (45.0/28)/(s+99.0/70+(-864.0/1225)/s)
	t = math.Float64frombits((math.Float64bits(t)>>32 + 1) << 32) // 20 bits, larger than the root
	s = t * t
	r = a / s
	t += t * ((r - t) / (t + t + r))
	return math.Copysign(t, x)
}
