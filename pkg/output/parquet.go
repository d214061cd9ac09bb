package output

import (
	"fmt"
	"io"
	"reflect"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/parquet-go/parquet-go"
)

const (
	groupRows  = 128 << 10
	groupBytes = 24 << 20 // size of the buffered values of one row group, which limits memory
)

// parquetRoot is the schema of a result: optional leaves in the order of the columns (parquet.Group would sort them).
type parquetRoot struct {
	parquet.Group
	fields []parquet.Field
}

func (r parquetRoot) Fields() []parquet.Field { return r.fields }

// GoType is not called: rows are written as values, never from structs. The type that Group would create fails on names
// such as "".
func (r parquetRoot) GoType() reflect.Type { return reflect.TypeFor[map[string]any]() }

type parquetField struct {
	parquet.Node
	name string
}

func (f *parquetField) Name() string { return f.name }

func (f *parquetField) Value(base reflect.Value) reflect.Value {
	return base.MapIndex(reflect.ValueOf(f.name))
}

// writeParquet writes a file of optional columns, typed by declared type unless Raw, compressed with Snappy. A value
// that does not fit its declared type is an error, because a column cannot change its type later. Row groups are
// written when they are full.
func writeParquet(w io.Writer, rows api.RowReader, cols []cell.Column, o Options) (Stats, error) {
	var st Stats
	if len(cols) == 0 {
		return st, cell.Usagef("use another format for a result that may have no columns",
			"parquet requires columns, and the result has none")
	}
	root := parquetRoot{}
	config := []parquet.WriterOption{parquet.Compression(&parquet.Snappy), parquet.CreatedBy("dig", "", "")}
	codecs := make([]parquetCodec, len(cols))
	for i := range cols {
		codecs[i] = stringCodec
		if o.typed() {
			codecs[i] = codecOf(cols[i].Type)
		}
		root.fields = append(root.fields, &parquetField{parquet.Optional(codecs[i].node), cols[i].Key})
		if codecs[i].noBounds {
			config = append(config, parquet.SkipPageBounds(cols[i].Key))
		}
	}
	out := &counter{w: w}
	pw := parquet.NewGenericWriter[any](out, append(config, parquet.NewSchema("result", root))...)
	err := parquetRows(pw, rows, cols, codecs, &st)
	if err == nil {
		err = pw.Close()
	}
	st.Shown, st.Bytes = st.Rows, out.n
	return st, err
}

func parquetRows(pw *parquet.GenericWriter[any], rows api.RowReader, cols []cell.Column, codecs []parquetCodec,
	st *Stats) error {
	const batch = 128
	var (
		pending = make([]parquet.Row, 0, batch)
		arena   []byte // strings of the pending rows
		held    int
		inGroup int
	)
	for range batch {
		pending = append(pending, make(parquet.Row, len(cols)))
	}
	n := 0
	write := func() error {
		_, err := pw.WriteRows(pending[:n])
		n, arena = 0, arena[:0]
		return err
	}
	for rows.Next() {
		cells := rows.Row()
		st.Rows++
		if err := cell.CheckRow(st.Rows, cells, cols); err != nil {
			return err
		}
		for i := range cols {
			c := cells[cols[i].Index]
			v, level := parquet.NullValue(), 0
			if !c.IsNull() {
				var err error
				from := len(arena)
				// Earlier values stay valid when arena is reallocated: they keep their slice of the old one.
				if arena, err = cell.AppendText(arena, c); err == nil {
					v, err = codecs[i].encode(arena[from:len(arena):len(arena)])
				}
				if err != nil {
					return cell.RowError(st.Rows, &cols[i], fmt.Errorf("%w; --raw writes all values as text", err))
				}
				level = 1
				held += len(arena) - from
			}
			pending[n][i] = v.Level(0, level, i)
		}
		held += 8 * len(cols)
		inGroup++
		if n++; n == batch || len(arena) > 1<<20 {
			if err := write(); err != nil {
				return err
			}
		}
		if inGroup == groupRows || held > groupBytes {
			if err := write(); err != nil {
				return err
			}
			if err := pw.Flush(); err != nil {
				return err
			}
			inGroup, held = 0, 0
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return write()
}
