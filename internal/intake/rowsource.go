package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// rowSource reads the rows of a document that is not CSV, once.
type rowSource interface {
	// next reads a row. It may have fewer values than the document has columns: the others are NULL. The values are
	// valid until the next call, which returns io.EOF after the last row.
	next() ([]rowfile.Value, error)
	// at is the number of the row in the file, from 1.
	at() int64
	// names are the column names, nil if there is no header. They are complete after the last row.
	names() []string
	io.Closer
}

func (d *Document) nullValue(v rowfile.Value) bool {
	return v.Kind == rowfile.Null || d.nullGiven(string(v.Text))
}

// nullGiven reports whether the user declared a text to be NULL.
func (d *Document) nullGiven(text string) bool {
	return len(d.opt.Nulls) > 0 && slices.Contains(d.opt.Nulls, text)
}

// learnRows reads all rows to count them and determine the names and types of the columns.
func (d *Document) learnRows(ctx context.Context) error {
	r, err := d.rows(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	d.Rows, d.Blank, d.columns = 0, 0, make([]column, len(r.names()))
	if t, ok := r.(interface{ types() []engine.ColumnInfo }); ok {
		for i, c := range t.types() {
			d.columns[i].declared = c.Type
		}
	}
	var blank int64
	for {
		if err := ctx.Err(); d.Rows%1024 == 0 && err != nil {
			return err
		}
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for len(d.columns) < len(row) {
			d.columns = append(d.columns, column{})
		}
		empty := true
		for i, v := range row {
			if d.nullValue(v) {
				continue
			}
			empty = false
			if !utf8.Valid(v.Text) || bytes.IndexByte(v.Text, 0) >= 0 {
				return fmt.Errorf("%s %d, column %s: a value that is not text: %q", d.unit, r.at(),
					d.columnName(r.names(), i), clip.Bytes(string(v.Text), clipped))
			}
			d.columns[i].addValue(v, r.at())
		}
		if empty {
			blank++
		}
		d.Rows++
	}
	d.Header = r.names()
	if d.Header != nil {
		for len(d.Header) < len(d.columns) { // columns beyond the header
			d.Header = append(d.Header, "")
		}
	}
	if len(d.columns) == 1 { // they are sent as blank lines
		d.Rows, d.Blank = d.Rows-blank, blank
	}
	return d.unchanged()
}

func (d *Document) columnName(names []string, i int) string {
	if i < len(names) {
		return fmt.Sprintf("%q", names[i])
	}
	return fmt.Sprint(i + 1)
}

// addValue adds a value that is not NULL.
func (c *column) addValue(v rowfile.Value, at int64) {
	switch v.Kind {
	case rowfile.Field, rowfile.Double:
		c.add(v.Text, at)
		return
	case rowfile.Clock:
		c.count(isClock, v.Text, at)
		return
	case rowfile.Number:
		text := v.Text
		if !bytes.Contains(text, []byte(".")) { // so that its column is not inferred to be of bigints
			text = append(slices.Clip(text), ".0"...)
		}
		c.count(c.kindOf(text), v.Text, at)
		return
	}
	k := isText
	c.typed = true
	if v.Kind == rowfile.String {
		if k = c.kindOf(v.Text); k != isDate && k != isMoment && k != isUUID {
			k = isText
		}
	}
	c.count(k, v.Text, at)
}

// rowText writes rows as CSV.
type rowText struct {
	ctx    context.Context
	d      *Document
	r      rowSource
	header bool
	rowfile.Made
}

func (d *Document) rowText(ctx context.Context) (*rowText, error) {
	d.read.Store(0)
	r, err := d.rows(ctx)
	if err != nil {
		return nil, err
	}
	return &rowText{ctx: ctx, d: d, r: r, header: d.Header != nil}, nil
}

func (w *rowText) Close() error { return w.r.Close() }

func (w *rowText) Read(p []byte) (int, error) { return w.Made.Read(p, w.row) }

// row appends a row, or the header.
func (w *rowText) row() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.header {
		w.header = false
		for i, name := range w.d.Header {
			if i > 0 {
				w.Out = append(w.Out, ',')
			}
			w.Out = appendField(w.Out, []byte(name), true)
		}
		w.Out = append(w.Out, '\n')
		return nil
	}
	row, err := w.r.next()
	if w.d.byRows() {
		w.d.read.Add(1)
	}
	if errors.Is(err, io.EOF) {
		if err := w.d.unchanged(); err != nil {
			return err
		}
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.d.Path, err)
	}
	for i := range max(len(w.d.columns), len(row)) {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		if i < len(row) && !w.d.nullValue(row[i]) {
			w.Out = appendField(w.Out, row[i].Text, row[i].Kind > rowfile.Number)
		}
	}
	w.Out = append(w.Out, '\n')
	return nil
}

// Unit is the unit of the results of RowNumbers: lines or rows of the file.
func (d *Document) Unit() string { return d.unit }

// RowNumbers maps lines of the text that is sent to rows of the file. For CSV these are lines, too.
func (d *Document) RowNumbers(ctx context.Context, lines []int64) (map[int64]int64, error) {
	out := map[int64]int64{}
	if d.Format == CSV {
		for _, n := range lines {
			out[n] = n
		}
		return out, nil
	}
	w, err := d.rowText(ctx)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	last := slices.Max(append(lines, 0))
	for line := int64(1); line <= last; {
		w.Out = w.Out[:0]
		if err := w.row(); err != nil {
			return nil, err
		}
		if slices.Contains(lines, line) {
			out[line] = w.r.at()
		}
		line += int64(bytes.Count(w.Out, []byte("\n")))
	}
	return out, nil
}

// sheetRows are the rows of a sheet of a workbook.
type sheetRows struct {
	*rowfile.SheetRows
	ctx context.Context
}

func (d *Document) sheetRows(ctx context.Context) (rowSource, error) {
	r, err := d.book.Rows(ctx, !d.opt.NoHeader)
	if err != nil {
		return nil, err
	}
	return sheetRows{r, ctx}, nil
}

func (r sheetRows) next() ([]rowfile.Value, error) { return r.Next(r.ctx) }
func (r sheetRows) at() int64                      { return r.At }
func (r sheetRows) names() []string                { return r.Header }
