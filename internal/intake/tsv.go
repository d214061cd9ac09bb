package intake

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
)

// longestLine is the length in bytes from which a line is refused.
const longestLine = 64 << 20

// lines reads the text format of PostgreSQL's COPY, which `-o tsv` writes: tabs between fields, no quotes, \N for NULL,
// and backslash escapes of tabs, line ends and backslashes.
type lines struct {
	io.Closer
	in     *bufio.Reader
	comma  byte
	n      int64  // number of the line
	raw    []byte // the line without its end
	header []string
	row    []rowfile.Value
	width  int
	text   []byte
}

func (d *Document) lines(ctx context.Context) (*lines, error) {
	t, err := d.text()
	if err != nil {
		return nil, err
	}
	l := &lines{Closer: t, in: bufio.NewReaderSize(withContext{ctx, t}, rowfile.Window), comma: d.Delimiter}
	if mark, _ := l.in.Peek(len(rowfile.Mark)); string(mark) == rowfile.Mark {
		_, err = l.in.Discard(len(mark))
	}
	return l, err
}

// escapedRows reads the rows of a document in that format.
func (d *Document) escapedRows(ctx context.Context) (rowSource, error) {
	l, err := d.lines(ctx)
	if err != nil || d.opt.NoHeader {
		return l, err
	}
	row, err := l.next()
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty and has no header")
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	for _, v := range row {
		l.header = append(l.header, string(v.Text))
	}
	return l, nil
}

// line reads the next line.
func (l *lines) line() (err error) {
	switch l.raw, err = rowfile.ReadLine(l.in, l.raw, longestLine); {
	case errors.Is(err, io.EOF):
		return err
	case err != nil:
		return fmt.Errorf("line %d: %w", l.n+1, err)
	}
	l.n++
	l.raw = bytes.TrimSuffix(bytes.TrimSuffix(l.raw, []byte("\n")), []byte("\r"))
	return nil
}

func (l *lines) next() ([]rowfile.Value, error) {
	for {
		if err := l.line(); err != nil {
			return nil, err
		}
		if len(l.raw) > 0 || l.width == 1 {
			break
		}
	}
	l.row, l.text = l.row[:0], l.text[:0]
	if cap(l.text) < len(l.raw) { // values keep pointing into it
		l.text = make([]byte, 0, len(l.raw))
	}
	for field := range bytes.SplitSeq(l.raw, []byte{l.comma}) {
		if string(field) == csv.Null {
			l.row = append(l.row, rowfile.Value{})
			continue
		}
		from := len(l.text)
		var bad int
		if l.text, bad = rowfile.Unescape(l.text, field); bad >= 0 {
			return nil, fmt.Errorf("line %d, column %d: the backslash of %s begins no escape", l.n, len(l.row)+1,
				csv.Clip(field[bad:], 20))
		}
		v := rowfile.Value{Text: l.text[from:], Kind: rowfile.Field}
		if len(v.Text) == 0 || string(v.Text) == csv.Null { // neither is NULL
			v.Kind = rowfile.Opaque
		}
		l.row = append(l.row, v)
	}
	if l.width == 0 {
		l.width = len(l.row)
	}
	if len(l.row) != l.width {
		return nil, fmt.Errorf("line %d: the record has %d fields, the first one has %d", l.n, len(l.row), l.width)
	}
	return l.row, nil
}

func (l *lines) at() int64       { return l.n }
func (l *lines) names() []string { return l.header }

// escapes decides whether the backslashes of a document with tabs between its fields are escapes. They are if a field
// is \N and every other backslash begins an escape, unless fields begin with quotes, which that format does not have: a
// path such as C:\new looks like an escape, too.
func (d *Document) escapes(ctx context.Context) (bool, error) {
	l, err := d.lines(ctx)
	if err != nil {
		return false, err
	}
	defer l.Close()
	var nulls, quoted bool
	var first string
	for {
		err := l.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return false, err
		}
		quoted = quoted || bytes.HasPrefix(l.raw, []byte{'"'}) || bytes.Contains(l.raw, []byte("\t\""))
		if !rowfile.Escaped(l.raw) {
			continue
		}
		for field := range bytes.SplitSeq(l.raw, []byte{'\t'}) {
			if string(field) == csv.Null {
				nulls = true
				continue
			}
			var bad int
			if l.text, bad = rowfile.Unescape(l.text[:0], field); bad >= 0 {
				return false, nil
			}
			if first == "" && rowfile.Escaped(field) {
				first = fmt.Sprintf("%s in line %d", csv.Clip(field, 40), l.n)
			}
		}
	}
	switch {
	case nulls && !quoted && !d.nullGiven(csv.Null):
		d.remark(`\N was read as NULL, and \t, \n, \r and \\ as the characters they stand for; --escape none takes ` +
			`them as text`)
		return true, nil
	case first != "":
		d.remark(
			`backslashes were taken as text, such as %s; --escape backslash reads \t, \n, \r, \\ and \N as escapes`,
			first)
	}
	return false, nil
}
