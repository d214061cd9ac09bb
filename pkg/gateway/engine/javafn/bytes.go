package javafn

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"math/bits"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Bytes are passed as hexadecimal digits.

func byteFunctions() []Function {
	list := []Function{
		bytesFunction("xxhash64", 1, func(b ...[]byte) (string, error) { return hexInt(xxhash.Sum64(b[0])), nil }),
		bytesFunction("murmur3", 1, func(b ...[]byte) (string, error) { return murmur3(b[0]), nil }),
		bytesFunction("to_base32", 1, func(b ...[]byte) (string,
			error) {
			return base32.StdEncoding.EncodeToString(b[0]), nil
		}),
		bytesFunction("to_base64url", 1, func(b ...[]byte) (string,
			error) {
			return base64.URLEncoding.EncodeToString(b[0]), nil
		}),
		bytesFunction("from_big_endian_64", 1, func(b ...[]byte) (string, error) {
			if len(b[0]) != 8 {
				return "", says("expected 8-byte input, but got instead: %d", len(b[0]))
			}
			return strconv.FormatInt(int64(binary.BigEndian.Uint64(b[0])), 10), nil
		}),
		bytesFunction("from_big_endian_32", 1, func(b ...[]byte) (string, error) {
			if len(b[0]) != 4 {
				return "", says("expected 4-byte input, but got instead: %d", len(b[0]))
			}
			return strconv.FormatInt(int64(int32(binary.BigEndian.Uint32(b[0]))), 10), nil
		}),
		bytesFunction("from_ieee754_64", 1, func(b ...[]byte) (string, error) {
			if len(b[0]) != 8 {
				return "", says("Input floating-point value must be exactly 8 bytes long")
			}
			return javaDouble(strconv.FormatFloat(math.Float64frombits(binary.BigEndian.Uint64(b[0])), 'g', -1, 64),
				doubleType), nil
		}),
		bytesFunction("from_ieee754_32", 1, func(b ...[]byte) (string, error) {
			if len(b[0]) != 4 {
				return "", says("Input floating-point value must be exactly 4 bytes long")
			}
			return javaDouble(strconv.FormatFloat(float64(math.Float32frombits(binary.BigEndian.Uint32(b[0]))), 'g', -1,
				32), realType), nil
		}),
		{"to_big_endian_64", 1, func(a []string) (string, bool, error) {
			n, err := strconv.ParseInt(a[0], 10, 64)
			return hexInt(uint64(n)), true, err
		}},
		{"to_big_endian_32", 1, func(a []string) (string, bool, error) {
			n, err := strconv.ParseInt(a[0], 10, 32)
			return hexInt(uint64(uint32(n)))[8:], true, err
		}},
		{"to_ieee754_64", 1, func(a []string) (string, bool, error) {
			f, err := parseDouble(a[0], 64)
			if math.IsNaN(f) { // Java has only one NaN
				return "7ff8000000000000", true, err
			}
			return hexInt(math.Float64bits(f)), true, err
		}},
		{"to_ieee754_32", 1, func(a []string) (string, bool, error) {
			f, err := parseDouble(a[0], 32)
			return hexInt(uint64(math.Float32bits(float32(f))))[8:], true, err
		}},
		{"from_base32", 1, fromBase32},
		{"from_base64", 1, fromBase64(base64.StdEncoding)},
		{"from_base64url", 1, fromBase64(base64.URLEncoding)},
		{"from_hex", 1, fromHex},
	}
	for name, f := range map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New,
		"sha512": sha512.New} {
		list = append(list, bytesFunction("hmac_"+name, 2, func(b ...[]byte) (string, error) {
			if len(b[1]) == 0 {
				return "", says("Empty key")
			}
			m := hmac.New(f, b[1])
			m.Write(b[0])
			return hex.EncodeToString(m.Sum(nil)), nil
		}))
	}
	return list
}

func bytesFunction(name string, args int, f func(b ...[]byte) (string, error)) Function {
	return Function{name, args, func(a []string) (string, bool, error) {
		b := make([][]byte, len(a))
		for i, s := range a {
			var err error
			if b[i], err = hex.DecodeString(s); err != nil {
				return "", false, err
			}
		}
		s, err := f(b...)
		return s, true, err
	}}
}

func hexInt(n uint64) string { return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, n)) }

// murmur3 is the 128-bit variant for 64-bit machines, with seed 0.
func murmur3(b []byte) string {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	var h1, h2 uint64
	n := uint64(len(b))
	for len(b) >= 16 {
		k1, k2 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		b = b[16:]
		h1 ^= bits.RotateLeft64(k1*c1, 31) * c2
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= bits.RotateLeft64(k2*c2, 33) * c1
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte
	if copy(tail[:], b) > 8 {
		h2 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(tail[8:])*c2, 33) * c1
	}
	if len(b) > 0 {
		h1 ^= bits.RotateLeft64(binary.LittleEndian.Uint64(tail[:8])*c1, 31) * c2
	}
	mix := func(k uint64) uint64 {
		k = (k ^ k>>33) * 0xff51afd7ed558ccd
		k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
		return k ^ k>>33
	}
	h1, h2 = h1^n, h2^n
	h1 += h2
	h2 += h1
	h1, h2 = mix(h1), mix(h2)
	h1 += h2
	h2 += h1
	out := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, h1), h2)
	return hex.EncodeToString(out)
}
