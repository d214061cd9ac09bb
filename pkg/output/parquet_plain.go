package output

import (
	"encoding/binary"
	"math/big"
	"math/bits"
	"time"
)

// The usual forms of values are converted here; whatever is not in them, also what is wrong, by the slower ways of
// codecOf, with their errors.

// int128 is an integer of two's complement.
type int128 struct{ hi, lo uint64 }

func (n int128) less(m int128) bool { return n.hi < m.hi || n.hi == m.hi && n.lo < m.lo }

func (n int128) negated() int128 {
	lo, borrow := bits.Sub64(0, n.lo, 0)
	hi, _ := bits.Sub64(0, n.hi, borrow)
	return int128{hi, lo}
}

func int128Of(n *big.Int) int128 {
	var abs [16]byte
	n.FillBytes(abs[:])
	out := int128{binary.BigEndian.Uint64(abs[:]), binary.BigEndian.Uint64(abs[8:])}
	if n.Sign() < 0 {
		return out.negated()
	}
	return out
}

// tenTimes returns 10n + digit; ok is false if that has more than 128 bits.
func (n int128) tenTimes(digit byte) (_ int128, ok bool) {
	carry, lo := bits.Mul64(n.lo, 10)
	over, hi := bits.Mul64(n.hi, 10)
	lo, c := bits.Add64(lo, uint64(digit), 0)
	hi, c = bits.Add64(hi, carry, c)
	return int128{hi, lo}, over == 0 && c == 0
}

// plainDecimal reads digits with at most one point and at most scale digits after it, as an integer of 10^-scale.
func plainDecimal(t []byte, scale int) (n int128, negative, ok bool) {
	if len(t) > 0 && t[0] == '-' {
		negative, t = true, t[1:]
	}
	if len(t) > 1 && t[0] == '0' && t[1] != '.' {
		return n, false, false
	}
	digits, after, fits := 0, -1, true
	for _, c := range t {
		switch {
		case c == '.' && after < 0 && digits > 0:
			after = 0
			continue
		case c < '0' || c > '9':
			return n, false, false
		case after >= 0:
			after++
		}
		if n, fits = n.tenTimes(c - '0'); !fits {
			return n, false, false
		}
		digits++
	}
	if digits == 0 || after == 0 || after > scale {
		return n, false, false
	}
	for range scale - max(after, 0) {
		if n, fits = n.tenTimes(0); !fits {
			return n, false, false
		}
	}
	return n, negative, true
}

const dayLength = len("2006-01-02")

// plainNumber reads two or more digits.
func plainNumber(t []byte) (n int, ok bool) {
	for _, c := range t {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// plainDay reads a day at the start of a text as days since 1970.
func plainDay(t []byte) (days int64, ok bool) {
	if len(t) < dayLength || t[4] != '-' || t[7] != '-' {
		return 0, false
	}
	y, ok1 := plainNumber(t[:4])
	m, ok2 := plainNumber(t[5:7])
	d, ok3 := plainNumber(t[8:10])
	if !ok1 || !ok2 || !ok3 || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, false
	}
	at := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return at.Unix() / 86400, at.Day() == d
}

// plainMicros reads a day and a time with up to six digits of a fraction as microseconds since 1970.
func plainMicros(t []byte) (us int64, ok bool) {
	const length = len("2006-01-02 15:04:05")
	days, ok := plainDay(t)
	if !ok || len(t) < length || t[10] != ' ' || t[13] != ':' || t[16] != ':' {
		return 0, false
	}
	h, ok1 := plainNumber(t[11:13])
	m, ok2 := plainNumber(t[14:16])
	s, ok3 := plainNumber(t[17:19])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	us = ((days*24+int64(h))*60+int64(m))*60 + int64(s)
	us *= 1_000_000
	if len(t) == length {
		return us, true
	}
	fraction := t[length:]
	if len(fraction) < 2 || len(fraction) > 7 || fraction[0] != '.' {
		return 0, false
	}
	f, ok := plainNumber(fraction[1:])
	for range 7 - len(fraction) {
		f *= 10
	}
	return us + int64(f), ok
}
