//go:build cgo

package duckdb

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine/doubletext"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/vectors"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/wiretext"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// vec is a column of a chunk, read in place. It is valid until the chunk is destroyed.
type vec struct {
	t     *vtype
	data  unsafe.Pointer
	valid unsafe.Pointer // bit mask of 64-bit words, nil when no value is NULL
	kids  []vec
}

// look reads the addresses of a vector and its children.
func (t *vtype) look(v bindings.Vector) vec {
	out := vec{t: t, data: bindings.VectorGetData(v), valid: bindings.VectorGetValidity(v)}
	switch t.id {
	case bindings.TypeList:
		out.kids = []vec{t.kids[0].look(bindings.ListVectorGetChild(v))}
	case bindings.TypeArray:
		out.kids = []vec{t.kids[0].look(bindings.ArrayVectorGetChild(v))}
	case bindings.TypeMap: // stored as a list of rows of key and value
		entry := bindings.ListVectorGetChild(v)
		out.kids = []vec{
			t.kids[0].look(bindings.StructVectorGetChild(entry, 0)),
			t.kids[1].look(bindings.StructVectorGetChild(entry, 1)),
		}
	case bindings.TypeStruct:
		for i, k := range t.kids {
			out.kids = append(out.kids, k.look(bindings.StructVectorGetChild(v, bindings.IdxT(i))))
		}
	}
	return out
}

func (v *vec) null(i int) bool {
	return vectors.Null(v.valid, i)
}

// appendText writes the wire text of a non-null value, without quotes.
func (v *vec) appendText(b []byte, i int) []byte {
	switch v.t.id {
	case bindings.TypeVarchar:
		return append(append(b, vectors.Text(v.data, i)...), v.padding(i)...)
	case bindings.TypeBoolean:
		return strconv.AppendBool(b, vectors.At[bool](v.data, i))
	case bindings.TypeTinyInt:
		return strconv.AppendInt(b, int64(vectors.At[int8](v.data, i)), 10)
	case bindings.TypeSmallInt:
		return strconv.AppendInt(b, int64(vectors.At[int16](v.data, i)), 10)
	case bindings.TypeInteger:
		return strconv.AppendInt(b, int64(vectors.At[int32](v.data, i)), 10)
	case bindings.TypeBigInt:
		return strconv.AppendInt(b, vectors.At[int64](v.data, i), 10)
	case bindings.TypeUTinyInt:
		return strconv.AppendUint(b, uint64(vectors.At[uint8](v.data, i)), 10)
	case bindings.TypeUSmallInt:
		return strconv.AppendUint(b, uint64(vectors.At[uint16](v.data, i)), 10)
	case bindings.TypeUInteger:
		return strconv.AppendUint(b, uint64(vectors.At[uint32](v.data, i)), 10)
	case bindings.TypeUBigInt:
		return strconv.AppendUint(b, vectors.At[uint64](v.data, i), 10)
	case bindings.TypeHugeInt:
		return wiretext.AppendHuge(b, vectors.At[wiretext.Huge](v.data, i), 0)
	case bindings.TypeUHugeInt:
		h := vectors.At[wiretext.Huge](v.data, i)
		return wiretext.AppendWords(b, uint64(h.Hi), h.Lo)
	case bindings.TypeDecimal:
		return wiretext.AppendHuge(b, v.unscaled(i), v.t.scale)
	case bindings.TypeFloat:
		return doubletext.Append(b, float64(vectors.At[float32](v.data, i)), 32)
	case bindings.TypeDouble:
		return doubletext.Append(b, vectors.At[float64](v.data, i), 64)
	case bindings.TypeEnum:
		return append(b, v.t.dict[v.enum(i)]...)
	case bindings.TypeBlob:
		return wiretext.AppendHexPairs(b, vectors.Text(v.data, i))
	case bindings.TypeBit:
		return wiretext.AppendBits(b, vectors.Text(v.data, i))
	case bindings.TypeBigNum:
		return wiretext.AppendBigNum(b, vectors.Text(v.data, i))
	case bindings.TypeUUID:
		return wiretext.AppendUUID(b, vectors.At[wiretext.Huge](v.data, i))
	case bindings.TypeList, bindings.TypeArray, bindings.TypeMap, bindings.TypeStruct:
		return v.appendNested(b, i)
	}
	return v.appendTime(b, i)
}

// padding are the trailing spaces of a value of char(n).
func (v *vec) padding(i int) []byte {
	if v.t.pad == 0 {
		return nil
	}
	return bytes.Repeat([]byte(" "), max(0, v.t.pad-utf8.RuneCount(vectors.Text(v.data, i))))
}

// plain reports whether the text of every value needs no escapes in JSON.
func (t *vtype) plain() bool {
	switch t.id {
	case bindings.TypeVarchar, bindings.TypeEnum, bindings.TypeList, bindings.TypeArray, bindings.TypeMap, bindings.TypeStruct:
		return false
	}
	return true
}

// appendQuoted writes a non-null value as a JSON string.
func (v *vec) appendQuoted(b []byte, i int) []byte {
	switch {
	case v.t.id == bindings.TypeVarchar && v.t.pad > 0:
		return wiretext.AppendJSONString(b, slices.Concat(vectors.Text(v.data, i), v.padding(i)))
	case v.t.id == bindings.TypeVarchar:
		return wiretext.AppendJSONString(b, vectors.Text(v.data, i))
	case v.t.plain():
		b = v.appendText(append(b, '"'), i)
		return append(b, '"')
	}
	// Rendered after the end of b, then escaped into position.
	start := len(b)
	b = v.appendText(b, i)
	raw := string(b[start:])
	return wiretext.AppendJSONString(b[:start], []byte(raw))
}

// appendNested writes an array, map or row as JSON: numbers, booleans and null as such, other values as text; the keys of a map as text;
// a row without field names as an array.
func (v *vec) appendNested(b []byte, i int) []byte {
	list := func(k *vec, from, n int) {
		b = append(b, '[')
		for j := range n {
			if j > 0 {
				b = append(b, ',')
			}
			b = k.appendElement(b, from+j)
		}
		b = append(b, ']')
	}
	switch v.t.id {
	case bindings.TypeList:
		e := vectors.At[[2]uint64](v.data, i)
		list(&v.kids[0], int(e[0]), int(e[1]))
	case bindings.TypeArray:
		list(&v.kids[0], i*v.t.size, v.t.size)
	case bindings.TypeMap:
		e := vectors.At[[2]uint64](v.data, i)
		b = append(b, '{')
		for j := range int(e[1]) {
			if j > 0 {
				b = append(b, ',')
			}
			if k := &v.kids[0]; k.t.id == bindings.TypeList || k.t.id == bindings.TypeStruct || k.t.id == bindings.TypeMap {
				b = wiretext.AppendJSONString(b, k.appendKey(nil, int(e[0])+j))
			} else {
				b = k.appendQuoted(b, int(e[0])+j)
			}
			b = append(b, ':')
			b = v.kids[1].appendElement(b, int(e[0])+j)
		}
		b = append(b, '}')
	case bindings.TypeStruct:
		named := len(v.t.names) > 0 && v.t.names[0] != ""
		open, end := byte('['), byte(']')
		if named {
			open, end = '{', '}'
		}
		b = append(b, open)
		for j := range v.kids {
			if j > 0 {
				b = append(b, ',')
			}
			if named {
				b = append(wiretext.AppendJSONString(b, []byte(v.t.names[j])), ':')
			}
			b = v.kids[j].appendElement(b, i)
		}
		b = append(b, end)
	}
	return b
}

// appendKey writes the key of a map, or a part of it. Arrays, rows and maps in it are written as Java writes lists and maps: Trino's
// clients receive [1, a] for ROW(1, 'a').
func (v *vec) appendKey(b []byte, i int) []byte {
	if v.null(i) {
		return append(b, "null"...)
	}
	each := func(n int, write func(j int)) {
		for j := range n {
			if j > 0 {
				b = append(b, ", "...)
			}
			write(j)
		}
	}
	switch v.t.id {
	case bindings.TypeList:
		e := vectors.At[[2]uint64](v.data, i)
		b = append(b, '[')
		each(int(e[1]), func(j int) { b = v.kids[0].appendKey(b, int(e[0])+j) })
		return append(b, ']')
	case bindings.TypeStruct:
		b = append(b, '[')
		each(len(v.kids), func(j int) { b = v.kids[j].appendKey(b, i) })
		return append(b, ']')
	case bindings.TypeMap:
		e := vectors.At[[2]uint64](v.data, i)
		b = append(b, '{')
		each(int(e[1]), func(j int) {
			b = append(v.kids[0].appendKey(b, int(e[0])+j), '=')
			b = v.kids[1].appendKey(b, int(e[0])+j)
		})
		return append(b, '}')
	}
	return v.appendText(b, i)
}

// appendElement writes a value inside a nested one.
func (v *vec) appendElement(b []byte, i int) []byte {
	if v.null(i) {
		return append(b, "null"...)
	}
	switch v.t.id {
	case bindings.TypeList, bindings.TypeArray, bindings.TypeMap, bindings.TypeStruct:
		return v.appendNested(b, i)
	case bindings.TypeBoolean, bindings.TypeTinyInt, bindings.TypeSmallInt, bindings.TypeInteger, bindings.TypeBigInt,
		bindings.TypeUTinyInt, bindings.TypeUSmallInt, bindings.TypeUInteger, bindings.TypeUBigInt, bindings.TypeHugeInt,
		bindings.TypeUHugeInt, bindings.TypeDecimal:
		return v.appendText(b, i)
	case bindings.TypeFloat, bindings.TypeDouble:
		start := len(b)
		b = v.appendText(b, i)
		if c := b[len(b)-1]; c == 'N' || c == 'y' { // NaN, Infinity: JSON has no numbers for them
			s := string(b[start:])
			b = append(append(append(b[:start], '"'), s...), '"')
		}
		return b
	case bindings.TypeVarchar:
		if v.t.json {
			return append(b, vectors.Text(v.data, i)...)
		}
	}
	return v.appendQuoted(b, i)
}
