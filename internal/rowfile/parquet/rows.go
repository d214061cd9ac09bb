package parquet

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/doubletext"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// Rows are all rows of a file, with the texts of their values.
type Rows struct {
	columns []Column
	in      *Batches
	batch   [][]any
	n       int64
	row     []infer.Value
	text    []byte
}

// Values reads all columns as texts.
func (f *File) Values(columns []Column) (*Rows, error) {
	in, err := f.Read(columns, -1)
	return &Rows{columns: columns, in: in, row: make([]infer.Value, len(columns))}, err
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
	for len(r.batch) == 0 {
		var err error
		if r.batch, err = r.in.Next(ctx); err != nil {
			return nil, err
		}
	}
	row := r.batch[0]
	r.batch = r.batch[1:]
	r.n++
	r.text = r.text[:0]
	for i, v := range row {
		from := len(r.text)
		var kind infer.Kind
		r.text, kind = appendValue(r.text, r.columns[i].Type, v)
		r.row[i] = infer.Value{Text: r.text[from:], Kind: kind} // stays as it is when the buffer grows
		if _, isText := v.(string); isText && bytes.IndexByte(r.row[i].Text, 0) >= 0 {
			return nil, fmt.Errorf("row %d, column %q: %w", r.n, r.columns[i].Name, infer.CheckText(r.row[i].Text))
		}
	}
	return r.row, nil
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
