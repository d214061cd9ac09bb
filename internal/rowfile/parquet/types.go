package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/parquetio"
)

type decoder func(parquet.Value) (any, error)

// flat reports whether a column has at most one value in each row.
func flat(c *parquet.Column) bool { return c.Leaf() && !c.Repeated() }

// logicalOf is the logical type of a column, nil for none.
func logicalOf(c *parquet.Column) any {
	if l := c.Type().LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

// leafDecoder chooses the Trino type of a leaf and the conversion of its values.
func leafDecoder(c *parquet.Column, halves map[int]bool) (string, decoder) {
	if halves[c.Index()] {
		return "real", halfOf
	}
	kind := c.Type().Kind()
	switch l := logicalOf(c).(type) {
	case *format.DecimalType:
		if l.Precision > 38 {
			return "varchar", decimalOf(kind, l.Precision, l.Scale)
		}
		return fmt.Sprintf("decimal(%d,%d)", l.Precision, l.Scale), decimalOf(kind, l.Precision, l.Scale)
	case *format.DateType:
		return "date", func(v parquet.Value) (any, error) { return time.Unix(int64(v.Int32())*86400, 0).UTC(), nil }
	case *format.TimestampType:
		typ, unit := "timestamp", unitOf(l.Unit)
		switch { // see nanosType
		case l.IsAdjustedToUTC:
			typ = "timestamp with time zone"
		case unit > 1e6:
			typ = "timestamp(9)"
		}
		return typ, func(v parquet.Value) (any, error) { return held(at(v.Int64(), unit)) }
	case *format.TimeType:
		unit := unitOf(l.Unit)
		return "time", func(v parquet.Value) (any, error) {
			return at(clock(v), unit).Format("15:04:05.999999999"), nil
		}
	case *format.UUIDType:
		return "uuid", func(v parquet.Value) (any, error) {
			u, err := uuid.FromBytes(v.ByteArray())
			return u.String(), err
		}
	case *format.StringType, *format.EnumType:
		return "varchar", textOf
	case *format.JsonType:
		return "json", textOf
	case *format.IntType:
		if !l.IsSigned {
			if kind == parquet.Int64 {
				return "decimal(20,0)", func(v parquet.Value) (any, error) { return fmt.Sprint(uint64(v.Int64())), nil }
			}
			return "bigint", func(v parquet.Value) (any, error) { return int64(uint32(v.Int32())), nil }
		}
	}
	switch kind {
	case parquet.Boolean:
		return "boolean", func(v parquet.Value) (any, error) { return v.Boolean(), nil }
	case parquet.Int32:
		return "integer", func(v parquet.Value) (any, error) { return int64(v.Int32()), nil }
	case parquet.Int64:
		return "bigint", func(v parquet.Value) (any, error) { return v.Int64(), nil }
	case parquet.Float:
		return "real", func(v parquet.Value) (any, error) { return float64(v.Float()), nil }
	case parquet.Double:
		return "double", func(v parquet.Value) (any, error) { return v.Double(), nil }
	case parquet.Int96:
		return "timestamp", int96Of
	}
	return "varbinary", func(v parquet.Value) (any, error) { return append([]byte{}, v.ByteArray()...), nil }
}

// halfLeaves returns the indexes of the leaves of half precision, among all leaves of a file. The library (0.32.0) does
// not report this logical type.
func halfLeaves(p *parquet.File) map[int]bool {
	halves, leaf := map[int]bool{}, 0
	for _, e := range p.Metadata().Schema {
		if !e.Type.Valid {
			continue // a group
		}
		if e.Type.V == format.FixedLenByteArray {
			_, half := e.LogicalType.Value.(*format.Float16Type)
			halves[leaf] = half
		}
		leaf++
	}
	return halves
}

// halfOf decodes a number of half precision (IEEE 754 binary16), little-endian. A real holds each of them.
func halfOf(v parquet.Value) (any, error) {
	b := v.ByteArray()
	if len(b) != 2 {
		return nil, fmt.Errorf("a float16 of %d bytes", len(b))
	}
	bits := binary.LittleEndian.Uint16(b)
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	f := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		f = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		f = math.Inf(1)
	case exponent == 31:
		return math.NaN(), nil
	}
	if bits>>15 == 1 {
		f = -f
	}
	return f, nil
}

// clock returns the units of a time.
func clock(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// fineTime decodes a time of nanoseconds as its text: engines have no type for it.
func fineTime(v parquet.Value) (any, error) {
	return at(clock(v), 1e9).Format("15:04:05.000000000"), nil
}

func textOf(v parquet.Value) (any, error) {
	b := v.ByteArray()
	if !utf8.Valid(b) {
		return nil, infer.CheckText(b)
	}
	return string(b), nil
}

// unitOf returns the number of units per second.
func unitOf(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1e3
	case *format.MicroSeconds:
		return 1e6
	}
	return 1e9
}

func at(n, perSecond int64) time.Time {
	s, r := n/perSecond, n%perSecond
	if r < 0 {
		s, r = s-1, r+perSecond
	}
	return time.Unix(s, r*(1e9/perSecond)).UTC()
}

// held refuses an instant beyond the years that the types of engines hold.
func held(t time.Time) (any, error) {
	if year := t.Year(); year < firstYear || year > lastYear {
		return nil, fmt.Errorf("the year %d of a timestamp is not within %d and %d", year, firstYear, lastYear)
	}
	return t, nil
}

// magnitude is an integer without its sign.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// unscaled decodes the unscaled number of a decimal, which is big-endian two's complement in byte arrays; ok is false
// if it may have more than 64 bits.
func unscaled(kind parquet.Kind, v parquet.Value) (n int64, ok bool) {
	switch kind {
	case parquet.Int32:
		return int64(v.Int32()), true
	case parquet.Int64:
		return v.Int64(), true
	case parquet.ByteArray, parquet.FixedLenByteArray:
		if b := v.ByteArray(); len(b) > 0 && len(b) <= 8 {
			n = int64(int8(b[0]))
			for _, c := range b[1:] {
				n = n<<8 | int64(c)
			}
			return n, true
		}
	}
	return 0, false
}

// decimalOf decodes a decimal.
func decimalOf(kind parquet.Kind, precision, scale int32) decoder {
	return func(v parquet.Value) (any, error) {
		n, ok := unscaled(kind, v)
		s, negative := strconv.FormatUint(magnitude(n), 10), n < 0
		switch {
		case ok:
		case kind == parquet.ByteArray || kind == parquet.FixedLenByteArray:
			n := parquetio.Unscaled(v.ByteArray())
			negative = n.Sign() < 0
			s = n.Abs(n).String()
		default:
			return nil, fmt.Errorf("a decimal stored as %v", kind)
		}
		digits := len(s)
		if scale > 0 {
			if len(s) <= int(scale) {
				s = strings.Repeat("0", int(scale)+1-len(s)) + s
			}
			s = s[:len(s)-int(scale)] + "." + s[len(s)-int(scale):]
		}
		if negative {
			s = "-" + s
		}
		if digits > int(precision) {
			return nil, fmt.Errorf("DECIMAL(%d,%d) does not hold %s", precision, scale, s)
		}
		return s, nil
	}
}
