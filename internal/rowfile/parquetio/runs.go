package parquetio

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// sized removes a part that begins with its length from the start of raw, and returns it without the length.
func sized(raw *[]byte) ([]byte, error) {
	if len(*raw) < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	n, rest := int64(binary.LittleEndian.Uint32(*raw)), (*raw)[4:]
	if n > int64(len(rest)) {
		return nil, io.ErrUnexpectedEOF
	}
	*raw = rest[n:]
	return rest[:n], nil
}

// runs decodes n numbers of at most eight bits from runs of equal numbers and groups of eight numbers.
func runs(raw []byte, width, n int) ([]byte, error) {
	if n < 0 || width > 8 { // the number of levels was not checked before
		return nil, errors.New("a page has an impossible number of values")
	}
	var out []byte
	for len(out) < n {
		head, k := binary.Uvarint(raw)
		if k <= 0 {
			return nil, io.ErrUnexpectedEOF
		}
		raw = raw[k:]
		count := head >> 1
		if head&1 == 0 {
			if len(raw) == 0 {
				return nil, io.ErrUnexpectedEOF
			}
			out = append(out, slices.Repeat(raw[:1], int(min(count, uint64(n-len(out)))))...)
			raw = raw[1:]
			continue
		}
		if count > uint64(len(raw)) {
			return nil, io.ErrUnexpectedEOF
		}
		size := min(int(count)*width, len(raw))
		for i := 0; i < int(count)*8 && (i+1)*width <= size*8 && len(out) < n; i++ {
			var v byte
			for b := range width {
				at := i*width + b
				v |= raw[at/8] >> (at % 8) & 1 << b
			}
			out = append(out, v)
		}
		raw = raw[size:]
	}
	return out, nil
}
