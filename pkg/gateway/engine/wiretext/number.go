// Package wiretext formats the values of DuckDB as text for replies, as Trino and Java do.
package wiretext

import (
	"encoding/hex"
	"math/big"
	"math/bits"
	"strconv"
)

// Huge is a 128-bit integer in DuckDB's layout.
type Huge struct {
	Lo uint64
	Hi int64
}

// Fits reports whether a hugeint is a bigint.
func (h Huge) Fits() bool { return h.Hi == int64(h.Lo)>>63 }

// AppendHuge writes a 128-bit number with scale digits after the point.
func AppendHuge(b []byte, h Huge, scale int) []byte {
	if scale == 0 && h.Fits() {
		return strconv.AppendInt(b, int64(h.Lo), 10)
	}
	hi, lo := uint64(h.Hi), h.Lo
	if h.Hi < 0 {
		b = append(b, '-')
		lo = -lo
		hi = ^hi
		if lo == 0 {
			hi++
		}
	}
	if scale == 0 {
		return AppendWords(b, hi, lo)
	}
	start := len(b)
	b = AppendWords(b, hi, lo)
	digits := len(b) - start
	if pad := scale + 1 - digits; pad > 0 { // 5 with scale 2 is 0.05
		for range pad {
			b = append(b, '0')
		}
		copy(b[start+pad:], b[start:start+digits])
		for j := range pad {
			b[start+j] = '0'
		}
	}
	b = append(b, 0)
	point := len(b) - 1 - scale
	copy(b[point+1:], b[point:len(b)-1])
	b[point] = '.'
	return b
}

func AppendWords(b []byte, hi, lo uint64) []byte {
	if hi == 0 {
		return strconv.AppendUint(b, lo, 10)
	}
	const ten19 = 10_000_000_000_000_000_000
	// Divide by 10^19 until the rest fits in a word; a 128-bit number has at most 39 digits.
	var parts [3]uint64
	n := 0
	for hi != 0 {
		var r uint64
		qhi := hi / ten19
		lo, r = bits.Div64(hi%ten19, lo, ten19)
		hi = qhi
		parts[n] = r
		n++
	}
	b = strconv.AppendUint(b, lo, 10)
	for n--; n >= 0; n-- {
		s := strconv.AppendUint(make([]byte, 0, 20), parts[n], 10)
		for range 19 - len(s) {
			b = append(b, '0')
		}
		b = append(b, s...)
	}
	return b
}

const hexDigits = "0123456789abcdef"

func AppendHexPairs(b, raw []byte) []byte {
	for i, c := range raw {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, hexDigits[c>>4], hexDigits[c&15])
	}
	return b
}

// AppendBits writes a BIT value. Its first byte is the number of padding bits in the second.
func AppendBits(b, raw []byte) []byte {
	if len(raw) == 0 {
		return b
	}
	for i := int(raw[0]); i < (len(raw)-1)*8; i++ {
		b = append(b, '0'+raw[1+i/8]>>(7-i%8)&1)
	}
	return b
}

// AppendBigNum writes a BIGNUM: three bytes of header whose first bit is set for positive numbers, then the magnitude
// big-endian; everything is inverted for negative ones.
func AppendBigNum(b, raw []byte) []byte {
	if len(raw) < 4 {
		return b
	}
	magnitude := append([]byte(nil), raw[3:]...)
	neg := raw[0]&0x80 == 0
	if neg {
		for i := range magnitude {
			magnitude[i] = ^magnitude[i]
		}
	}
	n := new(big.Int).SetBytes(magnitude)
	if neg {
		n.Neg(n)
	}
	return n.Append(b, 10)
}

// AppendUUID writes a UUID, which DuckDB keeps with the first bit flipped to sort it as a number.
func AppendUUID(b []byte, h Huge) []byte {
	var raw [16]byte
	hi := uint64(h.Hi) ^ 1<<63
	for i := range 8 {
		raw[i] = byte(hi >> (56 - 8*i))
		raw[8+i] = byte(h.Lo >> (56 - 8*i))
	}
	var out [36]byte
	hex.Encode(out[:8], raw[:4])
	hex.Encode(out[9:13], raw[4:6])
	hex.Encode(out[14:18], raw[6:8])
	hex.Encode(out[19:23], raw[8:10])
	hex.Encode(out[24:], raw[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return append(b, out[:]...)
}
