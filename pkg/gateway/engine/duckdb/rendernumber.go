//go:build cgo

package duckdb

import (
	"encoding/hex"
	"math/big"
	"math/bits"
	"strconv"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// hugeint is a 128-bit integer in DuckDB's layout.
type hugeint struct {
	lo uint64
	hi int64
}

func (v *vec) enum(i int) int {
	switch v.t.inner {
	case bindings.TypeUTinyInt:
		return int(at[uint8](v.data, i))
	case bindings.TypeUSmallInt:
		return int(at[uint16](v.data, i))
	}
	return int(at[uint32](v.data, i))
}

func (v *vec) unscaled(i int) hugeint {
	var n int64
	switch v.t.inner {
	case bindings.TypeSmallInt:
		n = int64(at[int16](v.data, i))
	case bindings.TypeInteger:
		n = int64(at[int32](v.data, i))
	case bindings.TypeBigInt:
		n = at[int64](v.data, i)
	default:
		return at[hugeint](v.data, i)
	}
	return hugeint{uint64(n), n >> 63}
}

// fits reports whether a hugeint is a bigint.
func (h hugeint) fits() bool { return h.hi == int64(h.lo)>>63 }

// appendHuge writes a 128-bit number with scale digits after the point.
func appendHuge(b []byte, h hugeint, scale int) []byte {
	if scale == 0 && h.fits() {
		return strconv.AppendInt(b, int64(h.lo), 10)
	}
	hi, lo := uint64(h.hi), h.lo
	if h.hi < 0 {
		b = append(b, '-')
		lo = -lo
		hi = ^hi
		if lo == 0 {
			hi++
		}
	}
	if scale == 0 {
		return appendWords(b, hi, lo)
	}
	start := len(b)
	b = appendWords(b, hi, lo)
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

func appendWords(b []byte, hi, lo uint64) []byte {
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

func appendHexPairs(b, raw []byte) []byte {
	for i, c := range raw {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, hexDigits[c>>4], hexDigits[c&15])
	}
	return b
}

// appendBits writes a BIT value, whose first byte says how many bits of the second are padding.
func appendBits(b, raw []byte) []byte {
	if len(raw) == 0 {
		return b
	}
	for i := int(raw[0]); i < (len(raw)-1)*8; i++ {
		b = append(b, '0'+raw[1+i/8]>>(7-i%8)&1)
	}
	return b
}

// appendBigNum writes a BIGNUM: three bytes of header whose first bit is set for positive numbers, then the magnitude big-endian;
// everything is inverted for negative ones.
func appendBigNum(b, raw []byte) []byte {
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

// appendUUID writes a UUID, which DuckDB keeps with the first bit flipped to sort it as a number.
func appendUUID(b []byte, h hugeint) []byte {
	var raw [16]byte
	hi := uint64(h.hi) ^ 1<<63
	for i := range 8 {
		raw[i] = byte(hi >> (56 - 8*i))
		raw[8+i] = byte(h.lo >> (56 - 8*i))
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
