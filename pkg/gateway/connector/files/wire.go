package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/api"
)

// newJSONDocument reads objects, or the rows of a result as a gateway sends it and `-o json` stores it.
func newJSONDocument(ctx context.Context, in readers, b *bufio.Reader) (records, error) {
	r, err := newJSONRecords(ctx, in, b)
	if err != nil {
		return nil, err
	}
	wire, err := r.isResult()
	if err != nil || !wire {
		return r, err
	}
	w := &wireRecords{readers: in, text: &gate{ctx: ctx}}
	w.text.in = io.MultiReader(bytes.NewReader(r.buf[r.at:]), b)
	w.rows = api.NewRows(io.NopCloser(w.text), "")
	cols, err := w.rows.Columns()
	if err != nil {
		return nil, errors.Join(w.fault(err), w.Close())
	}
	w.names = make([]string, len(cols))
	for i, c := range cols {
		w.names[i], w.kinds = c.Name, append(w.kinds, kindOf(c.DataType))
	}
	return w, nil
}

// isResult reports whether a document begins as a result does: with "columns", a list of objects with the member
// columnName, and then "data", a list. Nothing is consumed.
func (r *jsonRecords) isResult() (bool, error) {
	if r.array || r.at == len(r.buf) || r.buf[r.at] != '{' {
		return false, nil
	}
	for {
		s := scan{text: r.buf[r.at:]}
		wire, err := s.result()
		if !errors.Is(err, errShort) {
			return wire && err == nil, nil // an error is found again by the reader of objects
		}
		if err := r.more(); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
}

func (s *scan) result() (bool, error) {
	s.at++ // the brace
	name, err := s.name()
	if err != nil || string(name) != "columns" {
		return false, err
	}
	c, err := s.skip()
	if err != nil || c != '[' {
		return false, err
	}
	from := s.at
	if err := s.value(0); err != nil {
		return false, err
	}
	var cols []struct {
		Name *string `json:"columnName"`
	}
	if json.Unmarshal(s.text[from:s.at], &cols) != nil {
		return false, nil
	}
	for _, c := range cols {
		if c.Name == nil {
			return false, nil
		}
	}
	if end, err := s.comma('}'); err != nil || end {
		return false, err
	}
	if name, err = s.name(); err != nil || string(name) != "data" {
		return false, err
	}
	c, err = s.skip()
	return c == '[', err
}

// kindOf is the meaning of the texts of a column by its declared type. Those of columns without one are as in CSV.
func kindOf(typ string) rowfile.Kind {
	base, _, _ := strings.Cut(typ, "(")
	switch strings.TrimSpace(base) {
	case "", "tinyint", "smallint", "integer", "bigint", "decimal", "real", "double", "boolean", "date", "uuid":
		return rowfile.Field
	case "timestamp":
		if !strings.HasSuffix(typ, "time zone") {
			return rowfile.Field
		}
	}
	return rowfile.Opaque
}

// wireRecords are the rows of a result as a gateway sends it.
type wireRecords struct {
	readers
	text  *gate
	rows  *api.Rows
	names []string
	kinds []rowfile.Kind
	n     int
}

func (w *wireRecords) header() []string { return w.names }

func (w *wireRecords) next(ctx context.Context) (record, error) {
	w.text.ctx = ctx
	if !w.rows.Next() {
		if err := w.rows.Err(); err != nil {
			return record{}, w.fault(err)
		}
		return record{}, w.end(io.EOF)
	}
	w.n++
	out := record{line: w.n, fields: make([]*string, len(w.names)), kinds: w.kinds}
	for i, c := range w.rows.Row() {
		if c.IsNull() {
			continue
		}
		text, err := c.AppendText(nil)
		if err != nil {
			return record{}, w.fault(err)
		}
		s := string(text)
		out.fields[i] = &s
	}
	return out, nil
}

func (w *wireRecords) fault(err error) error {
	if ctx := w.text.ctx.Err(); ctx != nil {
		return ctx
	}
	return err
}
