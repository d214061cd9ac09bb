package rowfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// lines reads the text format of PostgreSQL's COPY, which `-o tsv` writes: tabs between fields, no quotes, \N for NULL,
// and backslash escapes of tabs, line ends and backslashes.
type lines struct {
	*text
	comma     byte
	n         int64  // number of the line
	raw       []byte // the line without its end
	names     []string
	row       []infer.Value
	width     int
	unescaped []byte
	comment   byte    // 0 for none
	mended    *mended // nil if a record of another width is an error
}

func (f *File) openLines(ctx context.Context, t *text) (Rows, error) {
	l := &lines{text: t, comma: f.Delimiter, n: f.opt.begin(), comment: f.opt.comment}
	if f.opt.lenient {
		l.mended = &f.mended
	}
	if f.opt.NoHeader() {
		return l, nil
	}
	return l, f.header(ctx, l, &l.names, &l.width)
}

// line reads the next line.
func (l *lines) line() (err error) {
	for {
		switch l.raw, err = readLine(l.Reader, l.raw, csv.MaxRecord); {
		case errors.Is(err, io.EOF):
			return err
		case err != nil:
			return fmt.Errorf("line %d: %w", l.n+1, err)
		}
		l.n++
		if l.comment == 0 || l.raw[0] != l.comment {
			l.raw = bytes.TrimSuffix(bytes.TrimSuffix(l.raw, []byte("\n")), []byte("\r"))
			return nil
		}
	}
}

func (l *lines) Next(ctx context.Context) ([]infer.Value, error) {
	l.gate.ctx = ctx
	for {
		if err := l.line(); err != nil {
			return nil, err
		}
		if len(l.raw) > 0 || l.width == 1 {
			break
		}
	}
	l.row, l.unescaped = l.row[:0], l.unescaped[:0]
	if cap(l.unescaped) < len(l.raw) { // values keep pointing into it
		l.unescaped = make([]byte, 0, len(l.raw))
	}
	for field := range bytes.SplitSeq(l.raw, []byte{l.comma}) {
		if string(field) == csv.Null {
			l.row = append(l.row, infer.Value{})
			continue
		}
		from := len(l.unescaped)
		var bad int
		if l.unescaped, bad = unescape(l.unescaped, field); bad >= 0 {
			return nil, fmt.Errorf("line %d, column %d: the backslash of %s begins no escape", l.n, len(l.row)+1,
				csv.Clip(field[bad:], 20))
		}
		v := infer.Value{Text: l.unescaped[from:], Kind: infer.Field}
		if string(v.Text) == csv.Null { // the text, not NULL
			v.Kind = infer.Opaque
		}
		if err := checkText(v.Text, l.n, len(l.row), l.names); err != nil {
			return nil, err
		}
		l.row = append(l.row, v)
	}
	if l.width == 0 {
		l.width = len(l.row)
	}
	if len(l.row) != l.width {
		if l.mended == nil {
			return nil, &widthError{l.n, len(l.row), l.width}
		}
		l.row = l.mended.ragged(l.row, l.width, l.n)
	}
	return l.row, nil
}

func (l *lines) At() int64       { return l.n }
func (l *lines) Names() []string { return l.names }

// escapes decides whether the backslashes of a text with tabs between its fields are escapes, as `-o tsv` writes them.
// Every backslash begins an escape then, and quotes, which that format does not have, do not enclose fields. A path
// such as C:\new looks like that, too: a field \N decides, or else the name of the file, unless there is a path.
func (f *File) escapes(ctx context.Context, named bool) (bool, error) {
	t, err := f.text(ctx)
	if err != nil {
		return false, err
	}
	defer t.Close()
	l := &lines{text: t, n: f.opt.begin(), comment: f.opt.comment}
	var nulls, quoted, path bool
	var first string
	for {
		err := l.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, err
		}
		quoted = quoted || bytes.HasPrefix(l.raw, []byte{'"'}) || bytes.Contains(l.raw, []byte("\t\""))
		if !hasBackslash(l.raw) {
			continue
		}
		for field := range bytes.SplitSeq(l.raw, []byte{'\t'}) {
			if string(field) == csv.Null {
				nulls = true
				continue
			}
			var bad int
			if l.unescaped, bad = unescape(l.unescaped[:0], field); bad >= 0 {
				return false, nil
			}
			path = path || isPath(field)
			if first == "" && hasBackslash(field) {
				first = fmt.Sprintf("%s in line %d", csv.Clip(field, 40), l.n)
			}
		}
	}
	enclosed := quoted
	if quoted && (nulls || named) {
		if enclosed, err = f.encloses(ctx); err != nil {
			return false, err
		}
	}
	switch {
	case nulls && !enclosed && !f.nullGiven(csv.Null):
		f.remark(`\N was read as NULL, and \t, \n, \r and \\ as the characters they stand for; `+
			`%s takes them as text`, f.opt.Way.spell([]setting{{"escape", None}}))
		return true, nil
	case named && !enclosed && !nulls && first == "": // what quotes there are, are text
		return quoted, nil
	case named && !enclosed && !nulls && !path:
		f.remark(`\t, \n, \r and \\ were read as the characters they stand for; %s takes them as text`,
			f.opt.Way.spell([]setting{{"escape", None}}))
		return true, nil
	case first != "":
		f.remark(`backslashes were taken as text, such as %s; `+
			`%s reads \t, \n, \r, \\ and \N as escapes`, first, f.opt.Way.spell([]setting{{"escape", backslash}}))
	}
	return false, nil
}

// encloses reports whether the quotes of a text enclose fields: it can be read so.
func (f *File) encloses(ctx context.Context) (bool, error) {
	t, err := f.text(ctx)
	if err != nil {
		return false, err
	}
	defer t.Close()
	in := f.reader(t, '\t', f.window())
	for width := 0; ; {
		err := in.Read()
		var form *csv.Error
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case errors.As(err, &form):
			return false, nil
		case err != nil:
			return false, err
		case in.Blank():
		case width > 0 && len(in.Fields) != width:
			return false, nil
		default:
			width = len(in.Fields)
		}
	}
}

// isPath reports whether a field is a path of Windows whose backslashes are no escapes, such as C:\new or \\server\new:
// an escaped one has two of each.
func isPath(field []byte) bool {
	rest, unc := bytes.CutPrefix(field, []byte(`\\`))
	if !unc {
		drive := len(field) > 3 && field[1] == ':' && field[0]|0x20 >= 'a' && field[0]|0x20 <= 'z'
		return drive && field[2] == '\\' && field[3] != '\\'
	}
	return len(rest) > 0 && rest[0] != '\\' && hasBackslash(bytes.ReplaceAll(rest, []byte(`\\`), nil))
}
