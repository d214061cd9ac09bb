package csv

import (
	"bytes"
	"fmt"
)

// Dialect is how a document differs from RFC 4180.
type Dialect struct {
	Quote   byte // 0 for none: quotes are text
	Escape  byte // makes the quote, the delimiter or itself after it a part of the text; 0 for none
	Comment byte // begins lines that are no records; 0 for none
	Lenient bool // mends what is wrong with quotes

	Quotes, Blanks Mended // by Lenient: quotes that are text, and blanks around quotes, which are left off
}

// Mended counts what was mended.
type Mended struct {
	N    int64
	Line int64 // of the first
}

func (m *Mended) Add(line int64) {
	if m.N++; m.N == 1 {
		m.Line = line
	}
}

// longestMended is the number of bytes after which Lenient takes a quote that is not closed for a part of the text.
const longestMended = 1 << 20

// SetDialect sets the dialect before the first record is read.
func (r *Reader) SetDialect(d *Dialect) { r.dialect = d }

// Dialect is the dialect; nil for RFC 4180.
func (r *Reader) Dialect() *Dialect { return r.dialect }

// From sets the number of the first line.
func (r *Reader) From(line int64) { r.next = line }

// comment consumes a comment at the beginning of a record. again is set if it has, or if more of the document has to be
// read to know.
func (r *Reader) comment() (again bool, err error) {
	if r.dialect.Comment == 0 || r.buf[r.start] != r.dialect.Comment {
		return false, nil
	}
	for at := r.start; ; {
		if end := bytes.IndexAny(r.buf[at:r.end], "\r\n"); end >= 0 {
			end += at
			if r.buf[end] == '\n' || r.CR && (end+1 < r.end && r.buf[end+1] != '\n' || r.eof) {
				r.start, r.next = end+1, r.next+1
				return true, nil
			}
			if at = end + 1; at < r.end {
				continue
			}
		}
		if r.eof {
			r.start = r.end
			return true, nil
		}
		_, err := r.fill()
		return true, err
	}
}

// cutDialect is cut for a document with a dialect.
func (r *Reader) cutDialect() (n int, lines int64, err error) {
	d, b := r.dialect, r.buf[r.start:r.end]
	quotes, blanks := d.Quotes, d.Blanks
	defer func() {
		if n == 0 { // it is read again
			d.Quotes, d.Blanks = quotes, blanks
		}
	}()
	r.Fields = r.Fields[:0]
	for i := 0; ; {
		f, end, more := r.field(b, i, r.next+lines)
		if more {
			return 0, 0, nil
		}
		lines += int64(bytes.Count(b[i:end], newline))
		if r.CR {
			lines += loneReturns(b[i:end])
		}
		if len(r.Fields) == MaxFields {
			return 0, 0, &Error{r.next + lines, fmt.Sprintf("the record has more than %d fields", MaxFields)}
		}
		r.Fields = append(r.Fields, f)
		if end == len(b) {
			return end, lines, nil
		}
		i = end + 1
		switch c := b[end]; {
		case c == r.comma:
		case c == '\n' || c == '\r' && r.CR && (i == len(b) || b[i] != '\n'):
			return i, lines + 1, nil
		case c == '\r' && i < len(b) && b[i] == '\n':
			return i + 1, lines + 1, nil
		case c == '\r' && i == len(b):
			if !r.eof {
				return 0, 0, nil
			}
			return i, lines, nil
		case c == '\r':
			return 0, 0, &Error{r.next + lines, "a carriage return without a line feed outside quotes"}
		case f.Quoted:
			return 0, 0, &Error{r.next + lines, fmt.Sprintf("text after the closing quote of field %q",
				Clip(f.Text, 60))}
		default:
			return 0, 0, &Error{r.next + lines, fmt.Sprintf("a quote within the unquoted field %q", Clip(f.Text, 60))}
		}
	}
}

// field finds the field that begins at a place. more is set if the window ends before it.
func (r *Reader) field(b []byte, from int, line int64) (f Field, end int, more bool) {
	d, begin := r.dialect, from
	if d.Lenient {
		begin = r.blanks(b, from)
	}
	if d.Quote != 0 && begin < len(b) && b[begin] == d.Quote {
		f, end, more = r.quoted(b, begin, line)
		switch {
		case more && r.eof && !d.Lenient:
			return f, 0, true // the error is that of Read
		case more && !r.eof && !(d.Lenient && len(b)-begin > longestMended):
			return f, 0, true
		case !more && f.Quoted:
			if begin > from || b[end-1] != d.Quote {
				d.Blanks.Add(line)
			}
			return f, end, false
		}
		d.Quotes.Add(line)
	}
	return r.unquoted(b, from, line, begin < len(b) && b[begin] == d.Quote)
}

// blanks returns the place after blanks.
func (r *Reader) blanks(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\t') && b[at] != r.comma {
		at++
	}
	return at
}

// quoted finds the end of a quoted field. It is not Quoted if Lenient takes its first quote for a part of the text.
func (r *Reader) quoted(b []byte, from int, line int64) (f Field, end int, more bool) {
	d, odd := r.dialect, false
	for i := from + 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == d.Escape && c != d.Quote && d.Escape != 0:
			f.pairs = true
			i++
		case c == '\n' && odd:
			return Field{}, 0, false
		case c != d.Quote:
		case i+1 == len(b) && !r.eof:
			return f, 0, true
		case i+1 < len(b) && b[i+1] == d.Quote:
			f.pairs = true
			i++
		default:
			end := i + 1
			if d.Lenient {
				end = r.blanks(b, end)
				if end == len(b) && !r.eof {
					return f, 0, true
				}
				if end < len(b) && b[end] != r.comma && b[end] != '\n' && b[end] != '\r' {
					if bytes.IndexByte(b[from:i], '\n') >= 0 {
						return Field{}, 0, false
					}
					odd = true
					continue
				}
			}
			if odd {
				d.Quotes.Add(line)
			}
			f.Quoted, f.Text = true, b[from+1:i]
			return f, end, false
		}
	}
	return f, 0, true
}

// unquoted finds the end of a field without quotes.
func (r *Reader) unquoted(b []byte, from int, line int64, counted bool) (f Field, end int, more bool) {
	d := r.dialect
	i := from
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == r.comma || c == '\n' || c == '\r':
			f.Text = b[from:i]
			return f, i, false
		case c == d.Escape && d.Escape != 0 && c != d.Quote:
			f.pairs = true
			i++
		case c == d.Quote && d.Quote != 0 && !d.Lenient:
			f.Text = b[from:i]
			return f, i, false
		case c == d.Quote && d.Quote != 0 && !counted:
			counted = true
			d.Quotes.Add(line)
		}
	}
	f.Text = b[from:min(i, len(b))]
	return f, len(b), !r.eof
}

// unescaped is the text of a field, in place.
func (d *Dialect) unescaped(b []byte, comma byte) []byte {
	w := 0
	for i := 0; i < len(b); i++ {
		if i+1 < len(b) {
			next := b[i+1]
			if b[i] == d.Escape && d.Escape != 0 && (next == d.Quote || next == d.Escape || next == comma) ||
				b[i] == d.Quote && next == d.Quote && d.Quote != 0 {
				i++
			}
		}
		b[w] = b[i]
		w++
	}
	return b[:w]
}
