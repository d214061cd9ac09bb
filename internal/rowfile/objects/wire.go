package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/pkg/api"
)

// Result returns the rows of a document that is a result as a gateway sends it and `-o json` stores it; nil if it is
// none. Nothing else is read of such a document.
func (r *Reader) Result() (*Result, error) {
	wire, err := r.isResult()
	if err != nil || !wire {
		return nil, err
	}
	w := &Result{rows: api.NewRows(io.NopCloser(io.MultiReader(bytes.NewReader(r.buf[r.at:]), r.in)), "")}
	cols, err := w.rows.Columns()
	if err != nil {
		return nil, err
	}
	w.names, w.row = make([]string, len(cols)), make([]infer.Value, len(cols))
	for i, c := range cols {
		w.names[i], w.kinds = c.Name, append(w.kinds, kindOf(c.DataType))
	}
	return w, nil
}

// isResult reports whether a document begins as a result does: with "columns", a list of objects with the member
// columnName, and then "data", a list. Nothing is consumed.
func (r *Reader) isResult() (bool, error) {
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
func kindOf(typ string) infer.Kind {
	base, _, _ := strings.Cut(typ, "(")
	switch strings.TrimSpace(base) {
	case "", "tinyint", "smallint", "integer", "bigint", "decimal", "boolean", "date", "uuid":
		return infer.Field
	case "real", "double":
		return infer.Float
	case "timestamp":
		if !strings.HasSuffix(typ, "time zone") {
			return infer.Field
		}
	}
	return infer.Opaque
}

// Result are the rows of a result as a gateway sends it.
type Result struct {
	rows  *api.Rows
	names []string
	kinds []infer.Kind
	row   []infer.Value
	text  []byte
	n     int64
}

// Names are the names of the columns.
func (w *Result) Names() []string { return w.names }

// At is the number of rows so far.
func (w *Result) At() int64 { return w.n }

// Next reads a row, which is valid until the next call, and returns io.EOF after the last.
func (w *Result) Next() ([]infer.Value, error) {
	if !w.rows.Next() {
		if err := w.rows.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	w.n++
	w.text = w.text[:0]
	for i, c := range w.rows.Row() {
		if w.row[i] = (infer.Value{}); c.IsNull() {
			continue
		}
		from := len(w.text)
		var err error
		if w.text, err = c.AppendText(w.text); err != nil {
			return nil, err
		}
		text := w.text[from:] // stays as it is when the buffer grows
		if err := infer.CheckText(text); err != nil {
			return nil, fmt.Errorf("row %d, column %q: %w", w.n, w.names[i], err)
		}
		w.row[i] = infer.Value{Text: text, Kind: w.kinds[i]}
	}
	return w.row, nil
}
