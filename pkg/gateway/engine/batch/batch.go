// Package batch holds rows as columns of typed values, in the layout in which engines have them in memory, and writes
// the values as text.
package batch

import (
	"time"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine/wiretext"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Batch is a number of rows. It is valid until the next one is read.
type Batch struct {
	Len     int
	Columns []Vec
	Keep    any // what the values refer to
}

// Vec are the values of one column.
type Vec struct {
	Type  *Type
	Data  unsafe.Pointer // the values, one after another; those of an Array and a Struct are in Kids alone
	Valid unsafe.Pointer // 64-bit words with a bit for each value that is not NULL; nil if none is
	Kids  []Vec          // the elements of a List and an Array, keys and values of a Map, the fields of a Struct
}

// Of are values of a layout whose values are of type T.
func Of[T any](t *Type, values []T, valid []uint64) Vec {
	v := Vec{Type: t, Data: unsafe.Pointer(unsafe.SliceData(values))}
	if valid != nil {
		v.Valid = unsafe.Pointer(unsafe.SliceData(valid))
	}
	return v
}

// Layout is how values are stored.
type Layout uint8

// The layouts, with the Go type of a value where it is not evident.
const (
	Null Layout = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Int128 // wiretext.Huge
	Uint8
	Uint16
	Uint32
	Uint64
	Uint128
	Float32
	Float64
	Decimal // the digits without the point: Inner is Int16, Int32, Int64 or Int128
	Text    // View
	Bytes   // View
	Bits    // View: the number of unused bits of the first byte, and the bytes
	BigNum  // View
	Enum    // the number of a text in Dict: Inner is Uint8, Uint16 or Uint32
	UUID    // wiretext.Huge, with the first bit inverted
	Date    // int32: days since 1970
	Time    // int64: microseconds
	TimeNS
	TimeTZ
	Timestamp // int64: microseconds since 1970
	TimestampS
	TimestampMS
	TimestampNS
	TimestampTZ // int64: microseconds since 1970 in UTC
	Interval    // months and days, int32, and microseconds, int64
	List        // two uint64: the first element of Kids[0], and their number
	Array       // Size elements of Kids[0] for each value
	Map         // as List
	Struct
)

// View is a text or bytes: up to 12 bytes are in place, longer ones are referenced by their address.
type View struct {
	n    uint32
	head [4]byte
	rest uint64
}

// ViewOf refers to bytes, which must not change, and which somebody else keeps: see Batch.Keep.
func ViewOf(b []byte) (v View) {
	v.n = uint32(len(b))
	if len(b) > 12 {
		copy(v.head[:], b)
		v.rest = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
		return v
	}
	copy(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&v), 4)), 12), b)
	return v
}

// Type is the layout of a column, and how its values are written.
type Type struct {
	Layout Layout
	Inner  Layout // of Decimal and Enum
	Scale  int    // of Decimal
	Size   int    // of Array
	Dict   []string
	Kids   []*Type
	Names  []string // of the fields of a Struct
	JSON   bool     // Text that holds JSON

	Digits int            // of fractions of a second, if Exact
	Exact  bool           // Digits is the precision of Trino's type
	Zone   *time.Location // in which instants are shown, nil for UTC
	Months bool           // an Interval of years and months
	Pad    int            // the length of char(n)
	Bigint bool           // an Int128 whose values must be those of a bigint
}

// As sets what the layout does not say of a column of Trino's type t.
func (v *Type) As(t *types.Type) {
	switch t.Kind {
	case types.Bigint:
		v.Bigint = v.Layout == Int128
	case types.Char:
		v.Pad = t.N
	case types.Time, types.Timestamp, types.TimestampTZ:
		v.Digits, v.Exact = t.N, true
	case types.IntervalYM:
		v.Months = true
	case types.Array, types.Map, types.Row:
		for i, k := range v.Kids {
			if i < len(t.Args) {
				k.As(t.Args[i])
			}
		}
	}
	if t.Kind == types.Row {
		v.Names = make([]string, len(t.Args))
		for i := range v.Names {
			v.Names[i] = t.FieldName(i)
		}
	}
}

// ShownIn sets the time zone in which the instants of a type are displayed.
func (v *Type) ShownIn(zone *time.Location) {
	v.Zone = zone
	for _, k := range v.Kids {
		k.ShownIn(zone)
	}
}

// Overflows reports whether one of n values does not fit into a bigint.
func (v *Vec) Overflows(n int) bool {
	if !v.Type.Bigint {
		return false
	}
	for i := range n {
		if !v.Null(i) && !At[wiretext.Huge](v.Data, i).Fits() {
			return true
		}
	}
	return false
}
