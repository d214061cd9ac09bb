package output

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
)

// separated is the common part of csv and tsv.
type separated struct {
	api.Delimited
	cols        []cell.Column
	header, raw bool
	field       func(dst, text []byte) []byte // appends a value as a field
	types       func() []string               // types of the result, nil until fetched
	scratch     []byte
}

func newSeparated(cols []cell.Column, o Options, between byte) separated {
	f := separated{cols: cols, header: !o.NoHeader && len(cols) > 0, raw: o.Raw}
	f.Between, f.End, f.Null, f.Floats = between, '\n', []byte(csv.Null), make([]bool, len(cols))
	for i, c := range cols {
		f.Floats[i] = !o.Raw && c.Class.Float() // columns whose exponents are converted
		if c.Type == "" && !o.Raw && o.Types != nil {
			if f.Untold == nil {
				f.Untold, f.types = make([]bool, len(cols)), o.Types
			}
			f.Untold[i] = true
		}
	}
	return f
}

// exponent reports whether a value is a double in scientific notation that must be converted. If that depends on an
// unknown type, the types are fetched.
func (f *separated) exponent(i int, c api.Cell) bool {
	if f.types != nil && f.Untold[i] && c.LikeDouble() {
		types := f.types()
		f.types = nil
		clear(f.Untold) // the slice is shared with the template of rows
		for k := range f.cols {
			if at := f.cols[k].Index; f.cols[k].Type == "" && at < len(types) {
				f.cols[k].Class = cell.ClassOf(strings.ToLower(types[at]))
				f.Floats[k] = f.cols[k].Class.Float()
			}
		}
	}
	return f.Floats[i] && c.HasExponent()
}

func (f *separated) head(dst []byte) []byte {
	if !f.header {
		return dst
	}
	for i := range f.cols {
		if i > 0 {
			dst = append(dst, f.Between)
		}
		dst = f.field(dst, []byte(f.cols[i].Name))
	}
	return append(dst, f.End)
}

func (f *separated) row(dst []byte, n int64, cells []api.Cell) (_ []byte, err error) {
	for i := range f.cols {
		if i > 0 {
			dst = append(dst, f.Between)
		}
		if dst, err = f.Cell(dst, n, i, cells[f.cols[i].Index]); err != nil {
			return dst, err
		}
	}
	return append(dst, f.End), nil
}

func (f *separated) delimited() *api.Delimited { return &f.Delimited }

// csvFormat writes RFC 4180 with \n between records, like psql and DuckDB. A field is quoted if it contains a comma, a
// quote, a line break, or a space or tab at either end. NULL is an empty field without quotes and the empty string is
// "", so both are preserved; Options.Null replaces the former, and a string equal to it is quoted.
//
// A record of a single NULL would be a blank line, which most readers skip. In a result of one column NULL is therefore
// \N, as in tsv; an import of one column reads it back.
type csvFormat struct{ separated }

func newCSV(cols []cell.Column, o Options) *csvFormat {
	f := &csvFormat{newSeparated(cols, o, ',')}
	if len(cols) > 1 || o.Null != "" {
		f.Null = []byte(o.Null)
	}
	f.Cell, f.field = f.cell, f.quoted
	return f
}

func (f *csvFormat) cell(dst []byte, n int64, i int, c api.Cell) (_ []byte, err error) {
	if c.IsNull() {
		return append(dst, f.Null...), nil
	}
	if size := len(c); size > 2 && size-2 != len(f.Null) && c[1] != ' ' && c[size-2] != ' ' && !f.exponent(i, c) {
		// Text without escapes contains no quote and no control character.
		if b, ok := c.AppendPlain(dst, ','); ok {
			return b, nil
		}
		if c[0] == '"' && bytes.IndexByte(c, '\\') < 0 { // it contains a comma: the JSON quotes serve as CSV quotes
			return append(dst, c...), nil
		}
	}
	if f.scratch, err = textOf(f.scratch[:0], c, f.cols[i].Class, f.raw); err != nil {
		return dst, cell.RowError(n, &f.cols[i], err)
	}
	return f.quoted(dst, f.scratch), nil
}

func (f *csvFormat) tail(dst []byte, _ int64) []byte { return dst }

func (f *csvFormat) quoted(dst, t []byte) []byte {
	if !f.mustQuote(t) {
		return append(dst, t...)
	}
	return cell.AppendQuoted(dst, t)
}

func (f *csvFormat) mustQuote(t []byte) bool {
	if len(t) == 0 {
		return true
	}
	if first, last := t[0], t[len(t)-1]; first <= ' ' || last <= ' ' {
		return true
	}
	for _, c := range t {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	// psql's end-of-data marker
	return len(f.Null) > 0 && bytes.Equal(t, f.Null) || len(t) == 2 && t[0] == '\\' && t[1] == '.'
}

// tsvFormat writes the text format of PostgreSQL's COPY: tabs between fields, \N for NULL, and \t \n \r \\ for those
// characters within values. With Options.Null a string equal to it would read back as NULL: a note says so.
type tsvFormat struct {
	separated
	note  func(string, ...any)
	bare  bool   // nothing parses the lines
	clash string // the first value equal to Null
}

func newTSV(cols []cell.Column, o Options) *tsvFormat {
	f := &tsvFormat{separated: newSeparated(cols, o, '\t'), note: o.note, bare: o.bare}
	if o.Null != "" || o.bare {
		f.Null = []byte(o.Null)
	}
	f.Cell, f.field = f.cell, appendTSV
	return f
}

func (f *tsvFormat) cell(dst []byte, n int64, i int, c api.Cell) (_ []byte, err error) {
	if c.IsNull() {
		return append(dst, f.Null...), nil
	}
	if len(c)-2 != len(f.Null) && !f.exponent(i, c) {
		if b, ok := c.AppendPlain(dst, '\t'); ok { // a tab would be an escape in JSON
			return b, nil
		}
	}
	if f.scratch, err = textOf(f.scratch[:0], c, f.cols[i].Class, f.raw); err != nil {
		return dst, cell.RowError(n, &f.cols[i], err)
	}
	from := len(dst)
	dst = appendTSV(dst, f.scratch)
	if f.clash == "" && bytes.Equal(dst[from:], f.Null) {
		f.clash = fmt.Sprintf("row %d, column %q", n, f.cols[i].Name)
	}
	return dst, nil
}

func (f *tsvFormat) tail(dst []byte, _ int64) []byte {
	if f.clash != "" && !f.bare {
		f.note("%s contains the text %q, which reads back as NULL", f.clash, f.Null)
	}
	return dst
}

func appendTSV(dst, t []byte) []byte {
	for _, c := range t {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
