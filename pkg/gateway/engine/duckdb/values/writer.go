//go:build cgo

package values

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// vecKind is the type of a column that a scan fills.
type vecKind uint8

const (
	kindText vecKind = iota
	kindBlob
	kindBoolean
	kindTiny
	kindSmall
	kindInteger
	kindBig
	kindReal
	kindDouble
	kindDecimal
	kindDate
	kindTime
	kindTimestamp
	kindTimestampTZ
	kindTimestampNS
	kindUUID
)

var vecKinds = map[string]vecKind{
	"BOOLEAN": kindBoolean, "TINYINT": kindTiny, "SMALLINT": kindSmall, "INTEGER": kindInteger, "BIGINT": kindBig,
	"DOUBLE": kindDouble,
	"FLOAT":  kindReal, "DATE": kindDate, "UUID": kindUUID, "TIME": kindTime, "TIMESTAMP": kindTimestamp,
	"TIMESTAMPTZ": kindTimestampTZ, "BLOB": kindBlob,
	"TIMESTAMP_NS": kindTimestampNS,
}

// heapFlush is the number of bytes of long texts that are collected before they are passed to DuckDB in one call.
const heapFlush = 256 << 10

// Writer writes values into a vector of DuckDB: set accepts the Go values of engine.Batches, the methods of
// engine.Vector accept them unboxed. What does not fit exactly is an error, never a changed value.
type Writer struct {
	typ          string
	kind         vecKind
	width, scale int
	limit        int64 // of the magnitude of a decimal of up to 18 digits

	V     bindings.Vector
	data  unsafe.Pointer
	valid []uint64 // nil until the first NULL
	heap  []byte   // texts of more than 12 bytes that are not flushed
	long  []longText
}

type longText struct{ row, from, to int }

var _ engine.Vector = (*Writer)(nil)

func NewWriter(typ string) *Writer {
	w := &Writer{typ: typ, kind: vecKinds[typ]}
	if p, ok := strings.CutPrefix(typ, "DECIMAL("); ok {
		w.typ, w.kind = "DECIMAL", kindDecimal
		_, _ = fmt.Sscanf(p, "%d,%d)", &w.width, &w.scale)
		w.limit = wiretext.Pow10(min(w.width, 18))
	}
	return w
}

// Begin sets the vector of a new chunk.
func (w *Writer) Begin(v bindings.Vector) {
	w.V, w.data, w.valid = v, bindings.VectorGetData(v), nil
	w.heap, w.long = w.heap[:0], w.long[:0]
}

func put[T any](w *Writer, i int, v T) {
	*(*T)(unsafe.Add(w.data, uintptr(i)*unsafe.Sizeof(v))) = v
}

// Null implements engine.Vector.
func (w *Writer) Null(i int) {
	if w.valid == nil {
		bindings.VectorEnsureValidityWritable(w.V)
		w.valid = unsafe.Slice((*uint64)(bindings.VectorGetValidity(w.V)), (int(bindings.VectorSize())+63)/64)
	}
	w.valid[i/64] &^= 1 << (i % 64)
}

// Int implements engine.Vector.
func (w *Writer) Int(i int, n int64) error {
	switch w.kind {
	case kindBig, kindTimestamp, kindTimestampTZ, kindTimestampNS:
		put(w, i, n)
		return nil
	case kindInteger, kindDate:
		if n == int64(int32(n)) {
			put(w, i, int32(n))
			return nil
		}
	case kindSmall:
		if n == int64(int16(n)) {
			put(w, i, int16(n))
			return nil
		}
	case kindTiny:
		if n == int64(int8(n)) {
			put(w, i, int8(n))
			return nil
		}
	case kindBoolean:
		if n == 0 || n == 1 {
			put(w, i, n == 1)
			return nil
		}
	case kindTime:
		if n >= 0 && n <= wiretext.MicrosPerDay {
			put(w, i, n)
			return nil
		}
	case kindDecimal:
		if w.width > 18 || n < w.limit && -n < w.limit && n != math.MinInt64 {
			w.putDecimal(i, wiretext.Huge{Lo: uint64(n), Hi: n >> 63})
			return nil
		}
	case kindReal, kindDouble:
		return w.Float(i, float64(n))
	}
	return w.misfit(n)
}

// Float implements engine.Vector.
func (w *Writer) Float(i int, f float64) error {
	switch w.kind {
	case kindDouble:
		put(w, i, f)
	case kindReal:
		put(w, i, float32(f))
	default:
		return w.misfit(f)
	}
	return nil
}

// Bytes implements engine.Vector.
func (w *Writer) Bytes(i int, b []byte) error {
	switch w.kind {
	case kindText:
		if !utf8.Valid(b) {
			return errors.New("a text is not valid UTF-8")
		}
		w.putText(i, b)
		return nil
	case kindBlob:
		w.putText(i, b)
		return nil
	case kindUUID:
		if len(b) == 16 {
			w.putUUID(i, [16]byte(b))
			return nil
		}
	case kindDecimal:
		if h, ok := plainDecimal(b, w.width, w.scale); ok {
			w.putDecimal(i, h)
			return nil
		}
	case kindTiny, kindSmall, kindInteger, kindBig:
		if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return w.Int(i, n)
		}
	}
	return w.Set(i, string(b))
}

// putText copies a text: up to 12 bytes are inlined, longer ones wait for flush.
func (w *Writer) putText(i int, b []byte) {
	p := unsafe.Add(w.data, i*16)
	if len(b) <= 12 {
		clear(unsafe.Slice((*byte)(p), 16))
		*(*uint32)(p) = uint32(len(b))
		copy(unsafe.Slice((*byte)(unsafe.Add(p, 4)), 12), b)
		return
	}
	if len(b) >= heapFlush {
		bindings.UnsafeVectorAssignStringElementLen(w.V, bindings.IdxT(i), b)
		return
	}
	if len(w.heap)+len(b) > heapFlush {
		w.Flush()
	}
	from := len(w.heap)
	w.heap = append(w.heap, b...)
	w.long = append(w.long, longText{i, from, len(w.heap)})
}

// Flush passes the waiting texts to DuckDB as one long text of their first row, which stays in the vector's memory, and
// points every row at its part of it.
func (w *Writer) Flush() {
	if len(w.long) == 0 {
		return
	}
	first := w.long[0].row
	bindings.UnsafeVectorAssignStringElementLen(w.V, bindings.IdxT(first), w.heap)
	base := *(*unsafe.Pointer)(unsafe.Add(w.data, first*16+8))
	for _, l := range w.long {
		p := unsafe.Add(w.data, l.row*16)
		*(*uint32)(p) = uint32(l.to - l.from)
		copy(unsafe.Slice((*byte)(unsafe.Add(p, 4)), 4), w.heap[l.from:])
		*(*unsafe.Pointer)(unsafe.Add(p, 8)) = unsafe.Add(base, l.from)
	}
	w.heap, w.long = w.heap[:0], w.long[:0]
}

func (w *Writer) putDecimal(i int, h wiretext.Huge) {
	switch {
	case w.width <= 4:
		put(w, i, int16(h.Lo))
	case w.width <= 9:
		put(w, i, int32(h.Lo))
	case w.width <= 18:
		put(w, i, int64(h.Lo))
	default:
		put(w, i, h)
	}
}

func (w *Writer) putUUID(i int, u [16]byte) {
	var h wiretext.Huge
	for k := range 8 {
		h.Hi = h.Hi<<8 | int64(u[k])
		h.Lo = h.Lo<<8 | uint64(u[8+k])
	}
	h.Hi ^= math.MinInt64
	put(w, i, h)
}

// plainDecimal parses a plain decimal, such as -12.50, at a scale. It leaves everything in another notation, or that
// does not fit, to the caller.
func plainDecimal[T string | []byte](s T, width, scale int) (h wiretext.Huge, ok bool) {
	i, neg := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, neg = 1, s[0] == '-'
	}
	var hi, lo uint64
	digits, places, point := 0, 0, false
	push := func(d uint64) {
		if digits > 0 || d > 0 {
			digits++
		}
		up, low := bits.Mul64(lo, 10)
		hi = hi*10 + up
		var carry uint64
		lo, carry = bits.Add64(low, d, 0)
		hi += carry
	}
	seen := false
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			return h, false
		}
		seen = true
		if point {
			if places == scale {
				if c != '0' {
					return h, false
				}
				continue
			}
			places++
		}
		if digits == 38 {
			return h, false
		}
		push(uint64(c - '0'))
	}
	for ; places < scale; places++ {
		if digits == 38 {
			return h, false
		}
		push(0)
	}
	if !seen || digits > width {
		return h, false
	}
	if neg {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return wiretext.Huge{Lo: lo, Hi: int64(hi)}, true
}
