package output

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
)

var errShortRow = errors.New("the row has no such cell")

// csvFormat writes RFC 4180 with \n between records, as psql and DuckDB do. A field is quoted when it holds a comma, a quote,
// a line break, or a space or tab at either end. NULL is an empty field without quotes and the empty string is "", so both
// survive; Options.Null replaces the former, and a string that equals it is quoted.
//
// A record of a single NULL would be a blank line, which most readers skip. In a result of one column NULL is therefore \N, as
// in tsv; an import of one column reads it back.
type csvFormat struct {
	cols    []column
	hot     []hotColumn
	null    []byte
	header  bool
	raw     bool
	scratch []byte
}

func newCSV(cols []column, o Options) *csvFormat {
	f := &csvFormat{cols: cols, hot: hotColumns(cols, o.Raw), null: []byte(o.Null), header: !o.NoHeader && len(cols) > 0, raw: o.Raw}
	if len(cols) == 1 && o.Null == "" {
		f.null = []byte(`\N`)
	}
	return f
}

func (f *csvFormat) head(dst []byte) []byte {
	if !f.header {
		return dst
	}
	for i := range f.cols {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = f.field(dst, []byte(f.cols[i].name))
	}
	return append(dst, '\n')
}

func (f *csvFormat) row(dst []byte, n int64, cells []api.Cell) (_ []byte, err error) {
	for i := range f.hot {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = f.cell(dst, n, i, cells[f.hot[i].index]); err != nil {
			return dst, err
		}
	}
	return append(dst, '\n'), nil
}

func (f *csvFormat) cell(dst []byte, n int64, i int, c api.Cell) (_ []byte, err error) {
	if c.IsNull() {
		return append(dst, f.null...), nil
	}
	if size := len(c); size > 2 && size-2 != len(f.null) && c[1] != ' ' && c[size-2] != ' ' && (!f.hot[i].float || !hasExponent(c)) {
		// Text without escapes holds no quote and no control character.
		if b, ok := c.AppendPlain(dst, ','); ok {
			return b, nil
		}
		if c[0] == '"' && bytes.IndexByte(c, '\\') < 0 { // a comma is in it: the quotes of the wire serve as well
			return append(dst, c...), nil
		}
	}
	if f.scratch, err = textOf(f.scratch[:0], c, f.cols[i].class, f.raw); err != nil {
		return dst, rowError(n, &f.cols[i], err)
	}
	return f.field(dst, f.scratch), nil
}

func (f *csvFormat) delimited() *api.Delimited {
	return &api.Delimited{Between: ',', End: '\n', Null: f.null, Floats: floats(f.hot), Cell: f.cell}
}

func (f *csvFormat) tail(dst []byte, _ int64) []byte { return dst }

// hotColumn is what most cells need to know of their column, close together.
type hotColumn struct {
	index int  // of its cell in a row
	float bool // its exponents are made readable
}

func hotColumns(cols []column, raw bool) []hotColumn {
	hot := make([]hotColumn, len(cols))
	for i, c := range cols {
		hot[i] = hotColumn{c.index, !raw && c.class.float()}
	}
	return hot
}

func floats(hot []hotColumn) []bool {
	list := make([]bool, len(hot))
	for i := range hot {
		list[i] = hot[i].float
	}
	return list
}

// hasExponent looks for it byte by byte: doubles are short, where calling IndexByte costs more.
func hasExponent(t []byte) bool {
	for _, c := range t {
		if c|0x20 == 'e' {
			return true
		}
	}
	return false
}

func (f *csvFormat) field(dst, t []byte) []byte {
	if !f.mustQuote(t) {
		return append(dst, t...)
	}
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(t, '"')
		if i < 0 {
			break
		}
		dst = append(append(dst, t[:i+1]...), '"')
		t = t[i+1:]
	}
	return append(append(dst, t...), '"')
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
	return len(f.null) > 0 && bytes.Equal(t, f.null) || len(t) == 2 && t[0] == '\\' && t[1] == '.' // psql's end of data
}

// tsvFormat writes the text format of PostgreSQL's COPY: tabs between fields, \N for NULL, and \t \n \r \\ for those
// characters within values. With Options.Null a string that equals it would read back as NULL: a remark says so.
type tsvFormat struct {
	cols    []column
	hot     []hotColumn
	null    []byte
	header  bool
	raw     bool
	scratch []byte
	note    func(string, ...any)
	clash   string // the first value that equals null
}

func newTSV(cols []column, o Options) *tsvFormat {
	f := &tsvFormat{cols: cols, hot: hotColumns(cols, o.Raw), null: []byte(o.Null), header: !o.NoHeader && len(cols) > 0, raw: o.Raw, note: o.note}
	if o.Null == "" {
		f.null = []byte(`\N`)
	}
	return f
}

func (f *tsvFormat) head(dst []byte) []byte {
	if !f.header {
		return dst
	}
	for i := range f.cols {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = appendTSV(dst, []byte(f.cols[i].name))
	}
	return append(dst, '\n')
}

func (f *tsvFormat) row(dst []byte, n int64, cells []api.Cell) (_ []byte, err error) {
	for i := range f.hot {
		if i > 0 {
			dst = append(dst, '\t')
		}
		if dst, err = f.cell(dst, n, i, cells[f.hot[i].index]); err != nil {
			return dst, err
		}
	}
	return append(dst, '\n'), nil
}

func (f *tsvFormat) cell(dst []byte, n int64, i int, c api.Cell) (_ []byte, err error) {
	if c.IsNull() {
		return append(dst, f.null...), nil
	}
	if len(c)-2 != len(f.null) && (!f.hot[i].float || !hasExponent(c)) {
		if b, ok := c.AppendPlain(dst, '\t'); ok { // a tab would be an escape on the wire
			return b, nil
		}
	}
	if f.scratch, err = textOf(f.scratch[:0], c, f.cols[i].class, f.raw); err != nil {
		return dst, rowError(n, &f.cols[i], err)
	}
	from := len(dst)
	dst = appendTSV(dst, f.scratch)
	if f.clash == "" && bytes.Equal(dst[from:], f.null) {
		f.clash = fmt.Sprintf("row %d, column %q", n, f.cols[i].name)
	}
	return dst, nil
}

func (f *tsvFormat) delimited() *api.Delimited {
	return &api.Delimited{Between: '\t', End: '\n', Null: f.null, Floats: floats(f.hot), Cell: f.cell}
}

func (f *tsvFormat) tail(dst []byte, _ int64) []byte {
	if f.clash != "" {
		f.note("%s holds the text %q, which reads back as NULL", f.clash, f.null)
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
