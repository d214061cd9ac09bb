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
	"github.com/dig-cli/dig/pkg/gateway/engine/csv"
)

// mark is the byte order mark that some programs write before UTF-8.
const mark = "\xef\xbb\xbf"

// openCSV finds out how the fields and the lines of a document end, and reads its header.
func (d *Document) openCSV() error {
	head, err := d.head(window, d.text)
	if err != nil {
		return err
	}
	whole := len(head) < window
	d.returns = endsWithReturns(head)
	if d.Delimiter = d.opt.Delimiter; d.Delimiter == 0 {
		d.Delimiter = delimiterOf(head, whole, d.returns, d.ext() == ".tsv" || d.ext() == ".tab")
		if d.Delimiter != ',' {
			d.remark("the fields are separated by %s; --delimiter sets another character", DelimiterName(d.Delimiter))
		}
	}
	d.plain = d.Delimiter == ',' && d.coding == utf8Text && !d.returns && len(d.opt.Nulls) == 0
	if d.opt.NoHeader {
		return nil
	}
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
		if err = r.Read(); err != nil || !blank(r.Fields) {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty and has no header")
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

// records splits the text of the document.
func (d *Document) records(t io.Reader) *csv.Reader {
	r := csv.NewReader(t, d.Delimiter, csv.Window)
	r.CR = d.returns
	return r
}

func blank(f []csv.Field) bool { return len(f) == 1 && len(f[0].Text) == 0 && !f[0].Quoted }

// endsWithReturns reports whether the first line that ends outside quotes ends with a carriage return alone.
func endsWithReturns(head []byte) bool {
	quoted := false
	for i, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return false
		case c == '\r':
			return i+1 < len(head) && head[i+1] != '\n'
		}
	}
	return false
}

// DelimiterName is a delimiter as it is written in messages.
func DelimiterName(c byte) string {
	if c == '\t' {
		return "tabs"
	}
	return fmt.Sprintf("%q", string(rune(c)))
}

// delimiterOf returns the character that divides the beginning of a document into records of the same number of fields,
// the greatest if there are several; a comma if there is none that does.
func delimiterOf(head []byte, whole, returns, tabs bool) byte {
	candidates := []byte{',', '\t', ';', '|'}
	if tabs {
		candidates = []byte{'\t', ',', ';', '|'}
	}
	best, most := byte(0), 1
	for _, c := range candidates {
		if n := width(head, c, whole, returns); n > most {
			best, most = c, n
		}
	}
	if best == 0 { // some record differs: the header decides
		first, _, _ := bytes.Cut(head, []byte("\n"))
		for _, c := range candidates {
			if bytes.IndexByte(first, c) >= 0 {
				return c
			}
		}
		return ','
	}
	return best
}

// width is the number of fields of all records of the beginning of a document, 0 if they differ or are none.
func width(head []byte, comma byte, whole, returns bool) int {
	r := csv.NewReader(bytes.NewReader(head), comma, csv.Window)
	r.CR = returns
	if err := r.SkipBOM(); err != nil {
		return 0
	}
	n, last := 0, 0
	for records := 0; ; records++ {
		err := r.Read()
		var form *csv.Error
		if errors.Is(err, io.EOF) || !whole && records > 1 && errors.As(err, &form) {
			if !whole && records > 1 { // the last record is cut off
				return n
			}
			if last != 0 && last != n {
				return 0
			}
			return n
		}
		if err != nil || last != 0 && last != n {
			return 0
		}
		if blank(r.Fields) {
			continue
		}
		if n == 0 {
			n = len(r.Fields)
		}
		last = len(r.Fields)
	}
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
		_, err = io.CopyBuffer(count, withContext{ctx, t}, make([]byte, window))
		if d.Rows, d.Blank = count.end(), count.blank; err == nil && !d.opt.NoHeader && d.Rows > 0 {
			d.Rows--
		}
		return errors.Join(err, d.unchanged())
	}
	if d.coding != utf8Text {
		t = d.decoded(t)
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
		if blank(f) && (width != 1 || header) {
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
	if !f.Quoted && (len(f.Text) == 0 || width == 1 && string(f.Text) == csv.Null) {
		return true
	}
	return len(d.opt.Nulls) > 0 && slices.Contains(d.opt.Nulls, string(f.Text))
}

// broken returns the error of the first field that is no text.
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
		return fmt.Errorf("line %d, column %s: %s in %q", r.Line, name, what, csv.Clip(f.Text, 60))
	}
	return nil
}

// Text returns the text to send, from its start.
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

// recoder writes the records of a document with commas, each on as many lines as in the file.
type recoder struct {
	io.ReadCloser
	d      *Document
	r      *csv.Reader
	header bool
	made
}

func (w *recoder) Read(p []byte) (int, error) { return w.read(p, w.record) }

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
	if blank(f) {
		w.out = append(w.out, '\n')
		return nil
	}
	if w.r.Broken {
		if err := w.d.broken(w.r); err != nil {
			return fmt.Errorf("%s: %w", w.d.Path, err)
		}
	}
	for i := range f {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if w.header || !w.d.null(&f[i], len(f)) || len(f) == 1 && string(f[0].Text) == csv.Null && !f[0].Quoted {
			w.out = appendField(w.out, f[i].Text, f[i].Quoted)
		}
	}
	w.header = false
	w.out = append(w.out, '\n')
	return nil
}

// appendField writes a field that is not NULL.
func appendField(out, text []byte, quoted bool) []byte {
	if !quoted && len(text) > 0 && bytes.IndexByte(text, ',') < 0 && bytes.IndexByte(text, '"') < 0 && bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return append(out, text...)
	}
	return cell.AppendQuoted(out, text)
}

// withContext ends a read when the run is interrupted.
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
