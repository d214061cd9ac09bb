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

// parquetBatch are the values of some rows by column.
type parquetBatch struct {
	columns [][]parquet.Value
	arena   []byte // the texts of the values
	rows    int
	last    bool // of a row group
}

const (
	batchRows  = 1024
	batchBytes = 1 << 20
)

// parquetRows converts values while another goroutine encodes and writes those of before.
func parquetRows(pw *parquet.GenericWriter[any], rows api.RowReader, cols []cell.Column, codecs []parquetCodec,
	st *Stats) error {
	full, free := make(chan *parquetBatch), make(chan *parquetBatch, 2)
	for range cap(free) {
		free <- &parquetBatch{columns: make([][]parquet.Value, len(cols))}
	}
	failed, ended := error(nil), make(chan struct{})
	go func() {
		defer close(ended)
		failed = writeBatches(pw, full, free)
	}()
	err := convertRows(rows, cols, codecs, st, func(b *parquetBatch) *parquetBatch {
		select {
		case full <- b:
			return <-free
		case <-ended:
			return nil
		}
	}, <-free)
	close(full)
	<-ended
	if err == nil {
		err = failed
	}
	return err
}

// writeBatches writes what it receives, until that ends or cannot be written.
func writeBatches(pw *parquet.GenericWriter[any], full <-chan *parquetBatch, free chan<- *parquetBatch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	writers := pw.ColumnWriters()
	for b := range full {
		for i, values := range b.columns {
			if _, err := writers[i].WriteRowValues(values); err != nil {
				return err
			}
			b.columns[i] = values[:0]
		}
		if b.last {
			if err := pw.Flush(); err != nil {
				return err
			}
		}
		b.arena, b.rows, b.last = b.arena[:0], 0, false
		free <- b
	}
	return nil
}

// convertRows passes on the rows in batches, and gets an empty one for each; nil if no more can be written.
func convertRows(rows api.RowReader, cols []cell.Column, codecs []parquetCodec, st *Stats,
	pass func(*parquetBatch) *parquetBatch, b *parquetBatch) error {
	held, inGroup := 0, 0
	for rows.Next() {
		cells := rows.Row()
		st.Rows++
		if err := cell.CheckRow(st.Rows, cells, cols); err != nil {
			return err
		}
		for i := range cols {
			v, level := parquet.NullValue(), 0
			if c := cells[cols[i].Index]; !c.IsNull() {
				var err error
				from := len(b.arena)
				if v, err = b.value(&codecs[i], c); err != nil {
					return cell.RowError(st.Rows, &cols[i], fmt.Errorf("%w; --raw writes all values as text", err))
				}
				level = 1
				held += len(b.arena) - from
			}
			b.columns[i] = append(b.columns[i], v.Level(0, level, i))
		}
		held += 8 * len(cols)
		inGroup++
		b.last = inGroup == groupRows || held > groupBytes
		if b.rows++; b.rows == batchRows || len(b.arena) > batchBytes || b.last {
			if b.last {
				inGroup, held = 0, 0
			}
			if b = pass(b); b == nil {
				return nil
			}
		}
	}
	if err := rows.Err(); err != nil || b.rows == 0 {
		return err
	}
	pass(b)
	return nil
}

// value converts a value that is not NULL. Earlier values stay valid when arena is allocated again: they keep their
// slice of the old one.
func (b *parquetBatch) value(codec *parquetCodec, c api.Cell) (v parquet.Value, err error) {
	from := len(b.arena)
	if b.arena, err = cell.AppendText(b.arena, c); err != nil {
		return v, err
	}
	to := len(b.arena)
	b.arena = append(b.arena, make([]byte, codec.size)...)
	return codec.encode(b.arena[from:to:to], b.arena[to:])
}
