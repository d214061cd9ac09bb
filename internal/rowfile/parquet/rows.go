package parquet

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// Rows are all rows of a file, with the texts of their values.
type Rows struct {
	columns []Column
	in      *Batches
	write   []texter // nil for nested columns
	texts   []texts  // of the columns, in the rows that were read last
	at      int      // the next of them
	size    int
	n       int64
	row     []infer.Value
}

// texts are the texts of the values of a column.
type texts struct {
	data  []byte
	ends  []int // in data
	kinds []infer.Kind
}

func (t *texts) add(data []byte, kind infer.Kind) {
	t.data, t.ends, t.kinds = data, append(t.ends, len(data)), append(t.kinds, kind)
}

// Values reads all columns as texts.
func (f *File) Values(columns []Column) (*Rows, error) {
	in, err := f.Read(columns, -1)
	if err != nil {
		return nil, err
	}
	r := &Rows{columns: columns, in: in, write: make([]texter, len(columns)), texts: make([]texts, len(columns)),
		row: make([]infer.Value, len(columns))}
	all := f.file.Root().Columns()
	for i, c := range columns {
		if in.nested[i] == nil {
			r.write[i] = texterOf(all[c.At], c.Type, in.decode[i])
		}
	}
	return r, nil
}

// Names are the names of the columns in the file.
func (r *Rows) Names() []string {
	out := make([]string, len(r.columns))
	for i, c := range r.columns {
		out[i] = c.Name
	}
	return out
}

// At is the number of rows so far.
func (r *Rows) At() int64 { return r.n }

// Close ends the reading.
func (r *Rows) Close() error { return r.in.Close() }

// Next reads a row, which is valid until the next call, and returns io.EOF after the last.
func (r *Rows) Next(ctx context.Context) ([]infer.Value, error) {
	if r.at == r.size {
		if err := r.read(ctx); err != nil {
			return nil, err
		}
	}
	at := r.at
	r.at++
	r.n++
	for i := range r.texts {
		t, from := &r.texts[i], 0
		if at > 0 {
			from = t.ends[at-1]
		}
		text, kind := t.data[from:t.ends[at]:t.ends[at]], t.kinds[at]
		r.row[i] = infer.Value{Text: text, Kind: kind}
	}
	return r.row, nil
}

// read reads the texts of the next rows.
func (r *Rows) read(ctx context.Context) error {
	r.at, r.size = 0, 0
	n, err := r.in.begin(ctx)
	if err != nil {
		return err
	}
	for c := range r.texts {
		t := &r.texts[c]
		t.data, t.ends, t.kinds = t.data[:0], t.ends[:0], t.kinds[:0]
		write := r.write[c]
		if write == nil {
			err = r.in.assemble(c, n, func(_ int, v any) { t.add(appendValue(t.data, r.columns[c].Type, v)) })
		} else {
			err = r.in.values(c, n, func(_ int, v parquet.Value) error {
				if v.IsNull() {
					t.add(t.data, infer.Null)
					return nil
				}
				data, kind, err := write(t.data, v)
				t.add(data, kind)
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	r.in.end(n)
	r.size = n
	return nil
}

// appendValue writes a value such that the type of the column can be inferred from it.
func appendValue(dst []byte, typ string, v any) ([]byte, infer.Kind) {
	switch v := v.(type) {
	case nil:
		return dst, infer.Null
	case bool:
		return strconv.AppendBool(dst, v), infer.Field
	case int64:
		return strconv.AppendInt(dst, v, 10), infer.Field
	case float64: // with a point, so that a column of doubles is not inferred to be of integers
		bits := 64
		if typ == "real" {
			bits = 32
		}
		return doubletext.Append(dst, v, bits), infer.Field
	case time.Time:
		layout := "2006-01-02 15:04:05.999999999"
		switch typ {
		case "date":
			layout = time.DateOnly
		case "timestamp with time zone":
			layout += "Z"
		}
		if v.Year() > 9999 { // as in results
			dst = append(dst, '+')
		}
		return v.AppendFormat(dst, layout), infer.Field
	case []byte:
		return fmt.Appendf(dst, "% x", v), infer.Opaque
	case string:
		dst = append(dst, v...)
		switch {
		case strings.HasPrefix(typ, "decimal("):
			return dst, infer.Number
		case typ == "time":
			return dst, infer.Clock
		case typ == "uuid":
			return dst, infer.Field
		}
		return dst, infer.Opaque
	}
	return fmt.Append(dst, v), infer.Opaque
}
