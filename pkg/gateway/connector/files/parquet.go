package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func openParquet(h *os.File, err error) (*os.File, *parquet.File, error) {
	if err != nil {
		return nil, nil, err
	}
	info, err := h.Stat()
	if err == nil {
		var p *parquet.File
		if p, err = openedParquet(h, info.Size()); err == nil {
			return h, p, nil
		}
	}
	h.Close()
	return nil, nil, err
}

func openedParquet(h io.ReaderAt, size int64) (*parquet.File, error) {
	p, err := parquet.OpenFile(h, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	if err := rowfile.RefuseCodecs(p.Metadata()); err != nil {
		return nil, err
	}
	return p, nil
}

func (*folder) describeParquet(r *place, t file, d *described) error {
	h, p, err := openParquet(r.openFile(t, *d))
	if err != nil {
		return err
	}
	defer h.Close()
	d.rows, d.cols = p.NumRows(), parquetColumns(p)
	for i, name := range distinctParquet(p) {
		d.cols[i].Name = name
	}
	return nil
}

func distinctParquet(p *parquet.File) []string {
	all := p.Root().Columns()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name()
	}
	return distinct(names)
}

// parquetColumns maps the columns of a Parquet file. Nested ones are JSON.
func parquetColumns(p *parquet.File) (cols []column) {
	for _, c := range p.Root().Columns() {
		typ := "json"
		if flat(c) {
			typ, _ = leafDecoder(c)
		}
		cols = append(cols, column{engine.ColumnInfo{Name: c.Name(), Type: typ, Nullable: !c.Required()}, len(cols)})
	}
	return cols
}

type decoder func(parquet.Value) (any, error)

// flat reports whether a column has at most one value in each row.
func flat(c *parquet.Column) bool { return c.Leaf() && !c.Repeated() }

// leafDecoder chooses the Trino type of a leaf and the conversion of its values.
func leafDecoder(c *parquet.Column) (string, decoder) {
	var logical any
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	kind := c.Type().Kind()
	switch l := logical.(type) {
	case *format.DecimalType:
		if l.Precision > 38 {
			return "varchar", decimalOf(kind, l.Scale)
		}
		return fmt.Sprintf("decimal(%d,%d)", l.Precision, l.Scale), decimalOf(kind, l.Scale)
	case *format.DateType:
		return "date", func(v parquet.Value) (any, error) { return time.Unix(int64(v.Int32())*86400, 0).UTC(), nil }
	case *format.TimestampType:
		typ, unit := "timestamp", unitOf(l.Unit)
		switch { // an instant has microseconds, and a value with more digits is an error
		case l.IsAdjustedToUTC:
			typ = "timestamp with time zone"
		case unit > 1e6:
			typ = "timestamp(9)"
		}
		return typ, func(v parquet.Value) (any, error) { return at(v.Int64(), unit), nil }
	case *format.TimeType:
		unit := unitOf(l.Unit)
		return "time", func(v parquet.Value) (any, error) {
			var n int64
			if v.Kind() == parquet.Int32 {
				n = int64(v.Int32())
			} else {
				n = v.Int64()
			}
			if unit > 1e6 && n%(unit/1e6) != 0 {
				return nil, fmt.Errorf("a time of %d nanoseconds, which has no type", n)
			}
			return at(n, unit).Format("15:04:05.999999"), nil
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
	case nil:
	default:
		if kind == parquet.ByteArray || kind == parquet.FixedLenByteArray {
			break
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
	case parquet.Int96: // a timestamp of older writers: nanoseconds of the day, then the Julian day
		return "timestamp", func(v parquet.Value) (any, error) {
			n := v.Int96()
			nanos := int64(uint64(n[0]) | uint64(n[1])<<32)
			return time.Unix((int64(n[2])-2440588)*86400, nanos).UTC(), nil
		}
	}
	return "varbinary", func(v parquet.Value) (any, error) { return append([]byte{}, v.ByteArray()...), nil }
}

func textOf(v parquet.Value) (any, error) { return string(v.ByteArray()), nil }

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

// decimalOf decodes the unscaled number of a decimal, which is big-endian two's complement in byte arrays.
func decimalOf(kind parquet.Kind, scale int32) decoder {
	return func(v parquet.Value) (any, error) {
		n := new(big.Int)
		switch kind {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		case parquet.ByteArray, parquet.FixedLenByteArray:
			b := v.ByteArray()
			n.SetBytes(b)
			if len(b) > 0 && b[0]&0x80 != 0 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		default:
			return nil, fmt.Errorf("a decimal stored as %v", kind)
		}
		s := new(big.Int).Abs(n).String()
		if scale > 0 {
			if len(s) <= int(scale) {
				s = strings.Repeat("0", int(scale)+1-len(s)) + s
			}
			s = s[:len(s)-int(scale)] + "." + s[len(s)-int(scale):]
		}
		if n.Sign() < 0 {
			s = "-" + s
		}
		return s, nil
	}
}

// parquetBatches reads the requested columns of one row group after another, in parallel.
type parquetBatches struct {
	p      *parquet.File
	handle *os.File // nil if it belongs to the caller
	file   file
	as     described
	groups []parquet.RowGroup
	cols   []column
	decode []decoder
	leaves []int         // index of each flat column among the leaves
	nested []*nestedNode // for each column that is not flat
	limit  int64

	readers []parquet.ColumnChunkValueReader // for each flat column
	rows    []*assembler                     // for each nested column
	left    int64                            // rows of the open group
	buf     []parquet.Value
}

func (f *folder) scanParquet(t file, d described, want []column, limit int64) (engine.Batches, error) {
	h, p, err := openParquet(f.openFile(t, d))
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", t.path, err)
	}
	b, err := newParquetBatches(p, want)
	if err != nil {
		h.Close()
		return nil, fmt.Errorf("file %s: %w", t.path, err)
	}
	b.handle, b.file, b.as, b.limit = h, t, d, limit
	return b, nil
}

func newParquetBatches(p *parquet.File, want []column) (*parquetBatches, error) {
	b := &parquetBatches{p: p, groups: p.RowGroups(), cols: want, buf: make([]parquet.Value, batchRows)}
	all, names := p.Root().Columns(), distinctParquet(p)
	for _, c := range want {
		if c.at >= len(all) || names[c.at] != c.Name && all[c.at].Name() != c.Name {
			return nil, errors.New("the file has changed while it was read")
		}
		var d decoder
		var node *nestedNode
		if flat(all[c.at]) {
			_, d = leafDecoder(all[c.at])
		} else {
			var err error
			if node, err = nodeOf(all[c.at], 0, 0); err != nil {
				return nil, fmt.Errorf("column %q is not supported: %w", c.Name, err)
			}
		}
		b.decode, b.nested = append(b.decode, d), append(b.nested, node)
		b.leaves = append(b.leaves, all[c.at].Index())
	}
	return b, nil
}

func (b *parquetBatches) closeReaders() (err error) {
	for _, r := range b.readers {
		if r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	for _, a := range b.rows {
		if a != nil {
			err = errors.Join(err, a.close())
		}
	}
	b.readers, b.rows = nil, nil
	return err
}

func (b *parquetBatches) valuesOf(group int) func(leaf int) (parquet.ColumnChunkValueReader, error) {
	return func(leaf int) (parquet.ColumnChunkValueReader, error) { return chunkValues(b.p, group, leaf) }
}

func (b *parquetBatches) Next(ctx context.Context) ([][]any, error) {
	for b.left == 0 {
		if err := b.closeReaders(); err != nil {
			return nil, b.fault(err)
		}
		if len(b.groups) == 0 {
			if b.handle != nil {
				if err := b.as.still(b.handle); err != nil {
					return nil, b.fault(err)
				}
			}
			return nil, io.EOF
		}
		g, values := b.groups[0], b.valuesOf(len(b.p.RowGroups())-len(b.groups))
		b.groups = b.groups[1:]
		b.left = g.NumRows()
		for i, l := range b.leaves {
			if n := b.nested[i]; n != nil {
				a, err := newAssembler(n, values)
				if err != nil {
					return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[i].Name, err))
				}
				b.readers, b.rows = append(b.readers, nil), append(b.rows, a)
			} else {
				r, err := values(l)
				if err != nil {
					return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[i].Name, err))
				}
				b.readers, b.rows = append(b.readers, r), append(b.rows, nil)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := min(b.left, batchRows)
	if b.limit >= 0 {
		n = min(n, b.limit)
	}
	if n == 0 {
		return nil, io.EOF
	}
	cells := make([]any, int(n)*len(b.cols))
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = cells[i*len(b.cols) : (i+1)*len(b.cols) : (i+1)*len(b.cols)]
	}
	for c, r := range b.readers {
		if a := b.rows[c]; a != nil {
			for i := range rows {
				var err error
				if rows[i][c], err = a.row(); err != nil {
					return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[c].Name, err))
				}
			}
			continue
		}
		for done := 0; done < int(n); {
			k, err := r.ReadValues(b.buf[:int(n)-done])
			for i := range k {
				if v := b.buf[i]; !v.IsNull() {
					var derr error
					if rows[done+i][c], derr = b.decode[c](v); derr != nil {
						return nil, b.fault(fmt.Errorf("column %q: %w", b.cols[c].Name, derr))
					}
				}
			}
			done += k
			if done < int(n) && (err != nil || k == 0) {
				if err == nil || err == io.EOF {
					err = fmt.Errorf("column %q ends early", b.cols[c].Name)
				}
				return nil, b.fault(err)
			}
		}
	}
	b.left -= n
	if b.limit >= 0 {
		b.limit -= n
	}
	return rows, nil
}

func (b *parquetBatches) fault(err error) error { return fmt.Errorf("file %s: %w", b.file.path, err) }

func (b *parquetBatches) Close() error {
	err := b.closeReaders()
	if b.handle != nil {
		err = errors.Join(err, b.handle.Close())
	}
	return err
}
