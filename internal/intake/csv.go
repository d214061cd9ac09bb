package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
)

// openCSV detects the delimiter and the line endings of a document, and reads its header.
func (d *Document) openCSV(ctx context.Context) error {
	head, err := d.head(rowfile.Window, d.text)
	if err != nil {
		return err
	}
	if err := rowfile.CheckSeparatorLine(head); err != nil {
		return err
	}
	whole := len(head) < rowfile.Window
	d.returns = rowfile.EndsWithReturns(head)
	escaped := d.opt.Escape == EscapeBackslash
	if d.Delimiter = d.opt.Delimiter; d.Delimiter == 0 && escaped {
		d.Delimiter = '\t'
	} else if d.Delimiter == 0 {
		d.Delimiter = rowfile.Delimiter(head, whole, d.returns, rowfile.Ending(d.Name) == "tsv")
		if d.Delimiter != ',' {
			d.remark("the fields are separated by %s; --delimiter sets another character",
				rowfile.DelimiterName(d.Delimiter))
		}
	}
	if d.opt.Escape == "" && d.Delimiter == '\t' && !d.returns {
		if escaped, err = d.escapes(ctx); err != nil {
			return err
		}
	}
	if escaped {
		d.Format = TSV
		return d.openRows(ctx)
	}
	d.plain = d.Delimiter == ',' && d.coding == rowfile.UTF8 && !d.returns && len(d.opt.Nulls) == 0
	t, err := d.text()
	if err != nil {
		return err
	}
	defer t.Close()
	r := d.records(t)
	if err := r.SkipBOM(); err != nil {
		return err
	}
	for {
		if err = r.Read(); err != nil || !r.Blank() {
			break
		}
	}
	if d.opt.NoHeader && (err == nil || errors.Is(err, io.EOF)) {
		d.width = len(r.Fields)
		return nil
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty and has no header")
	}
	if err != nil && d.opt.NoHeader {
		return err
	}
	if err != nil {
		return fmt.Errorf("cannot read the header: %w", err)
	}
	d.Header = make([]string, len(r.Fields))
	for i, f := range r.Fields {
		if !utf8.Valid(f.Text) {
			return fmt.Errorf("line %d: the name of column %d is not valid UTF-8", r.Line, i+1)
		}
		d.Header[i] = string(f.Text)
	}
	return nil
}

// records splits the text of the document into records.
func (d *Document) records(t io.Reader) *csv.Reader {
	r := csv.NewReader(t, d.Delimiter, csv.Window)
	r.CR = d.returns
	return r
}

// learnCSV implements Learn.
func (d *Document) learnCSV(ctx context.Context, types bool) error {
	raw, err := d.raw()
	if err != nil {
		return err
	}
	defer raw.Close()
	t := io.ReadCloser(struct {
		io.Reader
		io.Closer
	}{io.TeeReader(raw, d.sum), raw})
	if d.plain && !types {
		count := &rowCounter{start: true}
		_, err = io.CopyBuffer(count, withContext{ctx, t}, make([]byte, rowfile.Window))
		if d.Rows, d.Blank = count.end(), count.blank; err == nil && !d.opt.NoHeader && d.Rows > 0 {
			d.Rows--
		}
		return errors.Join(err, d.unchanged())
	}
	if d.coding != rowfile.UTF8 {
		t = d.coding.Decode(t)
	}
	r := d.records(withContext{ctx, t})
	if err := r.SkipBOM(); err != nil {
		return err
	}
	width, header := 0, !d.opt.NoHeader
	d.Rows, d.Blank, d.columns = 0, 0, nil
	for {
		if err = r.Read(); err != nil {
			break
		}
		f := r.Fields
		if r.Blank() && (width != 1 || header) {
			continue
		}
		if width == 0 {
			width = len(f)
			d.columns = make([]column, width)
		}
		if header {
			header = false
			continue
		}
		if types {
			if len(f) != width {
				return fmt.Errorf("line %d: the record has %d fields, the first one has %d", r.Line, len(f), width)
			}
			if r.Broken {
				if err := d.broken(r); err != nil {
					return err
				}
			}
			d.learnRecord(f, r.Line)
		}
		if width == 1 && d.null(&f[0], 1) && string(f[0].Text) != csv.Null {
			d.Blank++ // it is sent as a blank line
		} else {
			d.Rows++
		}
	}
	var packed *rowfile.PackedError
	if errors.As(err, &packed) {
		return fmt.Errorf("after line %d: %w", r.Line, err)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return d.unchanged()
}

func (d *Document) learnRecord(fields []csv.Field, line int64) {
	for i := range fields {
		if f := &fields[i]; !d.null(f, len(fields)) {
			d.columns[i].add(f.Text, line)
		}
	}
}

// null reports whether a field is NULL.
func (d *Document) null(f *csv.Field, width int) bool {
	if f.Null(width) {
		return true
	}
	return len(d.opt.Nulls) > 0 && slices.Contains(d.opt.Nulls, string(f.Text))
}

// broken returns the error of the first field that is not valid text.
func (d *Document) broken(r *csv.Reader) error {
	for i, f := range r.Fields {
		what := "invalid UTF-8"
		if utf8.Valid(f.Text) {
			if what = "a NUL character"; bytes.IndexByte(f.Text, 0) < 0 {
				continue
			}
		}
		name := fmt.Sprintf("%d", i+1)
		if i < len(d.Header) {
			name = fmt.Sprintf("%q", d.Header[i])
		}
		return fmt.Errorf("line %d, column %s: %s: %q", r.Line, name, what, f.Text[:min(len(f.Text), 60)])
	}
	return nil
}

// Text returns the text to send, from its beginning.
func (d *Document) Text(ctx context.Context) (io.ReadCloser, error) {
	if d.Format != CSV {
		return d.rowText(ctx)
	}
	t, err := d.text()
	if err != nil {
		return nil, err
	}
	if d.plain {
		return t, nil
	}
	w := &recoder{ReadCloser: t, d: d, r: d.records(withContext{ctx, t}), header: !d.opt.NoHeader}
	return w, w.r.SkipBOM()
}

// recoder writes the records of a document with commas, keeping their line numbers.
type recoder struct {
	io.ReadCloser
	d      *Document
	r      *csv.Reader
	header bool
	rowfile.Made
}

func (w *recoder) Read(p []byte) (int, error) { return w.Made.Read(p, w.record) }

func (w *recoder) record() error {
	if err := w.r.Read(); errors.Is(err, io.EOF) {
		if err := w.d.unchanged(); err != nil {
			return err
		}
		return io.EOF
	} else if err != nil {
		return fmt.Errorf("%s: %w", w.d.Path, err)
	}
	f := w.r.Fields
	if w.r.Blank() {
		w.Out = append(w.Out, '\n')
		return nil
	}
	if w.r.Broken {
		if err := w.d.broken(w.r); err != nil {
			return fmt.Errorf("%s: %w", w.d.Path, err)
		}
	}
	for i := range f {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		if w.header || !w.d.null(&f[i], len(f)) || len(f) == 1 && string(f[0].Text) == csv.Null && !f[0].Quoted {
			w.Out = appendField(w.Out, f[i].Text, f[i].Quoted)
		}
	}
	w.header = false
	w.Out = append(w.Out, '\n')
	return nil
}

// appendField writes a field that is not NULL.
func appendField(out, text []byte, quoted bool) []byte {
	if !quoted && len(text) > 0 && bytes.IndexByte(text, ',') < 0 && bytes.IndexByte(text, '"') < 0 &&
		bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return append(out, text...)
	}
	return cell.AppendQuoted(out, text)
}

// withContext aborts reads when its context ends.
type withContext struct {
	ctx context.Context
	src io.Reader
}

func (r withContext) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.Read(p)
}
