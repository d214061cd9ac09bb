package rowset

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetReadRows reads a flat file row by row. Values are formatted as on the wire: a timestamp has the digits of its
// unit, and a zone if it is adjusted to UTC.
type parquetReadRows struct {
	file   *os.File
	groups []parquet.RowGroup
	rows   parquet.Rows
	cols   []api.ResultColumn
	read   []func(dst []byte, v parquet.Value) []byte
	buf    []parquet.Row
	at, n  int
	last   bool // rows has ended
	row    []api.Cell
	arena  []byte
	err    error
}

func openParquetRows(f *os.File) (api.RowReader, error) {
	r := &parquetReadRows{file: f, buf: make([]parquet.Row, 128)}
	st, err := f.Stat()
	if err == nil {
		var p *parquet.File
		if p, err = parquet.OpenFile(f, st.Size(), parquet.SkipBloomFilters(true)); err == nil {
			r.groups = p.RowGroups()
			if err = r.describe(p.Schema()); err == nil {
				if err = rowfile.RefuseCodecs(p.Metadata()); err == nil {
					err = refuseRuns(p.Metadata())
				}
			}
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return r, nil
}

// refuseRuns returns an error for booleans that are encoded as runs, which the library (0.32.0) decodes to wrong values.
func refuseRuns(about *format.FileMetaData) error {
	for _, g := range about.RowGroups {
		for _, c := range g.Columns {
			m := &c.MetaData
			runs := !slices.Contains(m.Encoding, format.Plain) // with Plain, the runs may be those of the levels
			for _, s := range m.EncodingStats {
				runs = runs || s.Encoding == format.RLE && s.PageType != format.DictionaryPage
			}
			if m.Type == format.Boolean && runs && m.NumValues > 0 {
				return fmt.Errorf("column %q has booleans that are encoded as runs, which is not supported here; FROM 'FILE' reads them", strings.Join(m.PathInSchema, "."))
			}
		}
	}
	return nil
}

func (r *parquetReadRows) describe(s *parquet.Schema) error {
	for _, f := range s.Fields() {
		if !f.Leaf() || f.Repeated() {
			return fmt.Errorf("column %q is nested, which is not supported", f.Name())
		}
		typ, read := parquetReader(f.Type())
		if read == nil {
			return fmt.Errorf("column %q is of type %v, which is not supported", f.Name(), f.Type())
		}
		r.cols = append(r.cols, api.ResultColumn{Name: f.Name(), DataType: typ})
		r.read = append(r.read, read)
	}
	r.row = make([]api.Cell, len(r.cols))
	return nil
}

func (r *parquetReadRows) Columns() ([]api.ResultColumn, error) { return r.cols, nil }
func (r *parquetReadRows) Row() []api.Cell                      { return r.row }
func (r *parquetReadRows) Err() error                           { return r.err }

func (r *parquetReadRows) Close() error {
	var err error
	if r.rows != nil {
		err = r.rows.Close()
	}
	return errors.Join(err, r.file.Close())
}

func (r *parquetReadRows) Next() bool {
	for r.at == r.n {
		if !r.fill() {
			return false
		}
	}
	values := r.buf[r.at]
	r.at++
	if len(values) != len(r.cols) {
		r.err = fmt.Errorf("a row has %d values, the file has %d columns", len(values), len(r.cols))
		return false
	}
	r.arena = r.arena[:0]
	for i, v := range values {
		if r.row[i] = nil; v.IsNull() {
			continue
		}
		from := len(r.arena) // earlier cells keep their part of a reallocated arena
		r.arena = r.read[i](r.arena, v)
		r.row[i] = api.Cell(r.arena[from:len(r.arena):len(r.arena)])
	}
	return true
}

// fill reads the next rows; false at the end or on an error.
func (r *parquetReadRows) fill() bool {
	if r.err != nil {
		return false
	}
	if r.rows == nil || r.last {
		if r.rows != nil {
			r.err = r.rows.Close()
			r.rows = nil
		}
		if r.err != nil || len(r.groups) == 0 {
			return false
		}
		r.rows, r.last, r.groups = r.groups[0].Rows(), false, r.groups[1:]
	}
	var err error
	r.at = 0
	r.n, err = r.rows.ReadRows(r.buf)
	if r.last = errors.Is(err, io.EOF); err != nil && !r.last {
		r.err = err
		return false
	}
	return true
}

// parquetReader returns the conversion of values of a type to cells; nil for an unsupported type.
func parquetReader(t parquet.Type) (string, func([]byte, parquet.Value) []byte) {
	text := func(dst []byte, v parquet.Value) []byte { return append(dst, cell.Text(string(v.ByteArray()))...) }
	quoted := func(f func(v parquet.Value) string) func([]byte, parquet.Value) []byte {
		return func(dst []byte, v parquet.Value) []byte { return append(append(append(dst, '"'), f(v)...), '"') }
	}
	whole := func(v parquet.Value) int64 {
		if v.Kind() == parquet.Int32 {
			return int64(v.Int32())
		}
		return v.Int64()
	}
	var logical format.LogicalTypeValue
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return "varchar", text
	case *format.UUIDType:
		return "uuid", quoted(func(v parquet.Value) string {
			h := hex.EncodeToString(v.ByteArray())
			if len(h) != 32 {
				return h
			}
			return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
		})
	case *format.DecimalType:
		return fmt.Sprintf("decimal(%d,%d)", l.Precision, l.Scale), quoted(func(v parquet.Value) string { return decimalText(v, int(l.Scale)) })
	case *format.DateType:
		return "date", quoted(func(v parquet.Value) string { return time.Unix(int64(v.Int32())*86400, 0).UTC().Format("2006-01-02") })
	case *format.TimeType:
		unit, places := l.Unit.Value.Duration(), fraction(l.Unit)
		return "time", quoted(func(v parquet.Value) string {
			return time.Unix(0, 0).UTC().Add(time.Duration(whole(v)) * unit).Format("15:04:05" + places)
		})
	case *format.TimestampType:
		per, places, zone := int64(time.Second/l.Unit.Value.Duration()), fraction(l.Unit), ""
		name := "timestamp"
		if l.IsAdjustedToUTC {
			zone, name = " UTC", "timestamp with time zone"
		}
		return name, quoted(func(v parquet.Value) string {
			s, rest := v.Int64()/per, v.Int64()%per
			return time.Unix(s, rest*int64(l.Unit.Value.Duration())).UTC().Format("2006-01-02 15:04:05"+places) + zone
		})
	case nil, *format.IntType:
	default:
		return "", nil
	}
	switch t.Kind() {
	case parquet.Boolean:
		return "boolean", func(dst []byte, v parquet.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) }
	case parquet.Int32, parquet.Int64:
		if l, ok := logical.(*format.IntType); ok && !l.IsSigned {
			return "decimal", func(dst []byte, v parquet.Value) []byte {
				if v.Kind() == parquet.Int32 {
					return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
				}
				return strconv.AppendUint(dst, v.Uint64(), 10)
			}
		}
		return "bigint", func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, whole(v), 10) }
	case parquet.Float:
		return "real", quoted(func(v parquet.Value) string { return floatText(float64(v.Float()), 32) })
	case parquet.Double:
		return "double", quoted(func(v parquet.Value) string { return floatText(v.Double(), 64) })
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return "varbinary", quoted(func(v parquet.Value) string { return fmt.Sprintf("% x", v.ByteArray()) })
	}
	return "", nil
}

func fraction(u format.TimeUnit) string {
	switch u.Value.Duration() {
	case time.Millisecond:
		return ".000"
	case time.Microsecond:
		return ".000000"
	}
	return ".000000000"
}

// floatText writes the infinities as on the wire.
func floatText(f float64, bits int) string {
	switch s := strconv.FormatFloat(f, 'g', -1, bits); s {
	case "+Inf":
		return "Infinity"
	case "-Inf":
		return "-Infinity"
	default:
		return s
	}
}

func decimalText(v parquet.Value, scale int) string {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
}
