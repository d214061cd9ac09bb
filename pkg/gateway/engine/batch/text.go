package batch

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
)

// Null reports whether a value is NULL.
func (v *Vec) Null(i int) bool { return NullAt(v.Valid, i) }

// AppendText appends the text of a value that is not NULL.
func (v *Vec) AppendText(b []byte, i int) []byte {
	switch v.Type.Layout {
	case Text:
		return append(append(b, TextAt(v.Data, i)...), v.padding(i)...)
	case Bool:
		return strconv.AppendBool(b, At[bool](v.Data, i))
	case Int8:
		return strconv.AppendInt(b, int64(At[int8](v.Data, i)), 10)
	case Int16:
		return strconv.AppendInt(b, int64(At[int16](v.Data, i)), 10)
	case Int32:
		return strconv.AppendInt(b, int64(At[int32](v.Data, i)), 10)
	case Int64:
		return strconv.AppendInt(b, At[int64](v.Data, i), 10)
	case Uint8:
		return strconv.AppendUint(b, uint64(At[uint8](v.Data, i)), 10)
	case Uint16:
		return strconv.AppendUint(b, uint64(At[uint16](v.Data, i)), 10)
	case Uint32:
		return strconv.AppendUint(b, uint64(At[uint32](v.Data, i)), 10)
	case Uint64:
		return strconv.AppendUint(b, At[uint64](v.Data, i), 10)
	case Int128:
		return wiretext.AppendHuge(b, At[wiretext.Huge](v.Data, i), 0)
	case Uint128:
		h := At[wiretext.Huge](v.Data, i)
		return wiretext.AppendWords(b, uint64(h.Hi), h.Lo)
	case Decimal:
		return wiretext.AppendHuge(b, v.unscaled(i), v.Type.Scale)
	case Float32:
		return doubletext.Append(b, float64(At[float32](v.Data, i)), 32)
	case Float64:
		return doubletext.Append(b, At[float64](v.Data, i), 64)
	case Enum:
		return append(b, v.Type.Dict[v.enum(i)]...)
	case Bytes:
		return wiretext.AppendHexPairs(b, TextAt(v.Data, i))
	case Bits:
		return wiretext.AppendBits(b, TextAt(v.Data, i))
	case BigNum:
		return wiretext.AppendBigNum(b, TextAt(v.Data, i))
	case UUID:
		return wiretext.AppendUUID(b, At[wiretext.Huge](v.Data, i))
	case List, Array, Map, Struct:
		return v.appendNested(b, i)
	}
	return v.appendTime(b, i)
}

// padding are the trailing spaces of a value of char(n).
func (v *Vec) padding(i int) []byte {
	if v.Type.Pad == 0 {
		return nil
	}
	return bytes.Repeat([]byte(" "), max(0, v.Type.Pad-utf8.RuneCount(TextAt(v.Data, i))))
}

// plain reports whether the text of every value needs no escapes in JSON.
func (t *Type) plain() bool {
	switch t.Layout {
	case Text, Enum, List, Array, Map, Struct:
		return false
	}
	return true
}

// AppendJSON appends a value that is not NULL as a JSON string.
func (v *Vec) AppendJSON(b []byte, i int) []byte {
	switch {
	case v.Type.Layout == Text && v.Type.Pad > 0:
		return jsontext.AppendString(b, slices.Concat(TextAt(v.Data, i), v.padding(i)))
	case v.Type.Layout == Text:
		return jsontext.AppendString(b, TextAt(v.Data, i))
	case v.Type.plain():
		b = v.AppendText(append(b, '"'), i)
		return append(b, '"')
	}
	// Rendered after the end of b, then escaped into position.
	start := len(b)
	b = v.AppendText(b, i)
	raw := string(b[start:])
	return jsontext.AppendString(b[:start], []byte(raw))
}

// appendNested writes an array, map or row as JSON: numbers, booleans and null as such, other values as text; the keys
// of a map as text; a row without field names as an array.
func (v *Vec) appendNested(b []byte, i int) []byte {
	list := func(k *Vec, from, n int) {
		b = append(b, '[')
		for j := range n {
			if j > 0 {
				b = append(b, ',')
			}
			b = k.appendElement(b, from+j)
		}
		b = append(b, ']')
	}
	switch v.Type.Layout {
	case List:
		e := At[[2]uint64](v.Data, i)
		list(&v.Kids[0], int(e[0]), int(e[1]))
	case Array:
		list(&v.Kids[0], i*v.Type.Size, v.Type.Size)
	case Map:
		e := At[[2]uint64](v.Data, i)
		b = append(b, '{')
		for j := range int(e[1]) {
			if j > 0 {
				b = append(b, ',')
			}
			if k := &v.Kids[0]; k.Type.Layout == List || k.Type.Layout == Struct || k.Type.Layout == Map {
				b = jsontext.AppendString(b, k.appendKey(nil, int(e[0])+j))
			} else {
				b = k.AppendJSON(b, int(e[0])+j)
			}
			b = append(b, ':')
			b = v.Kids[1].appendElement(b, int(e[0])+j)
		}
		b = append(b, '}')
	case Struct:
		named := len(v.Type.Names) > 0 && v.Type.Names[0] != ""
		open, end := byte('['), byte(']')
		if named {
			open, end = '{', '}'
		}
		b = append(b, open)
		for j := range v.Kids {
			if j > 0 {
				b = append(b, ',')
			}
			if named {
				b = append(jsontext.AppendString(b, []byte(v.Type.Names[j])), ':')
			}
			b = v.Kids[j].appendElement(b, i)
		}
		b = append(b, end)
	}
	return b
}

// appendKey writes the key of a map, or a part of it. Arrays, rows and maps in it are written as Java writes lists and
// maps: Trino's clients receive [1, a] for ROW(1, 'a').
func (v *Vec) appendKey(b []byte, i int) []byte {
	if v.Null(i) {
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
	switch v.Type.Layout {
	case List:
		e := At[[2]uint64](v.Data, i)
		b = append(b, '[')
		each(int(e[1]), func(j int) { b = v.Kids[0].appendKey(b, int(e[0])+j) })
		return append(b, ']')
	case Struct:
		b = append(b, '[')
		each(len(v.Kids), func(j int) { b = v.Kids[j].appendKey(b, i) })
		return append(b, ']')
	case Map:
		e := At[[2]uint64](v.Data, i)
		b = append(b, '{')
		each(int(e[1]), func(j int) {
			b = append(v.Kids[0].appendKey(b, int(e[0])+j), '=')
			b = v.Kids[1].appendKey(b, int(e[0])+j)
		})
		return append(b, '}')
	}
	return v.AppendText(b, i)
}

// appendElement writes a value inside a nested one.
func (v *Vec) appendElement(b []byte, i int) []byte {
	if v.Null(i) {
		return append(b, "null"...)
	}
	switch v.Type.Layout {
	case List, Array, Map, Struct:
		return v.appendNested(b, i)
	case Bool, Int8, Int16, Int32, Int64,
		Uint8, Uint16, Uint32, Uint64, Int128,
		Uint128, Decimal:
		return v.AppendText(b, i)
	case Float32, Float64:
		start := len(b)
		b = v.AppendText(b, i)
		if c := b[len(b)-1]; c == 'N' || c == 'y' { // NaN, Infinity: JSON has no numbers for them
			s := string(b[start:])
			b = append(append(append(b[:start], '"'), s...), '"')
		}
		return b
	case Text:
		if v.Type.JSON {
			return append(b, TextAt(v.Data, i)...)
		}
	}
	return v.AppendJSON(b, i)
}
