// Package csv splits documents of RFC 4180 into records, for imports and for files that are sources.
package csv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/clip"
)

const (
	Window    = 256 << 10 // bytes that are usually read at once
	MaxRecord = 64 << 20  // bytes of the longest record, unless the caller sets another
	MaxFields = 16384     // fields of one record
)

// Field is one field of a record. Text is valid until the next record is read.
type Field struct {
	Text   []byte
	Quoted bool
	pairs  bool // contains doubled quotes, which are not yet unescaped
}

// Reader splits a document into records. A record that does not end within the window is read again from its
// start after the window was filled, so the window is the only state between calls.
type Reader struct {
	Record // the last one

	// Set before the first record is read:
	CR      bool // a carriage return alone ends a record as well
	Longest int  // bytes of the longest record

	src   io.Reader // nil after Reset
	comma byte
	high  byte // the highest byte that ends an unquoted field
	buf   []byte
	start int // of the unread part
	end   int
	eof   bool
	clean bool  // what is in buf is known to be valid UTF-8
	next  int64 // line at start

	dialect *Dialect // nil for RFC 4180
}

// Error is an error after which the rest of a document cannot be parsed.
type Error struct {
	Line   int64
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// NewReader reads a document with fields separated by comma, window bytes at once.
func NewReader(src io.Reader, comma byte, window int) *Reader {
	return &Reader{Longest: MaxRecord, src: src, comma: comma, high: max(comma, '"'), buf: make([]byte, window),
		next: 1}
}

// Reset begins to read whole records of a document, the first of which begins at a line. The text is changed.
func (r *Reader) Reset(text []byte, line int64) {
	r.buf, r.start, r.end, r.eof, r.next = text, 0, len(text), true, line
	r.clean = utf8.Valid(text)
}

// Rest returns the text after the last record, and its line.
func (r *Reader) Rest() (text []byte, line int64) { return r.buf[r.start:r.end], r.next }

// Whole returns the length of the whole records at the beginning of a text, which begins with a record: those up to the
// last line feed outside quotes. Where a document has an error, records after it may be divided at other places.
func Whole(b []byte) int {
	quotes, end := bytes.Count(b, quote), len(b)
	for {
		i := bytes.LastIndexByte(b[:end], '\n')
		if i < 0 {
			return 0
		}
		if quotes -= bytes.Count(b[i:end], quote); quotes%2 == 0 {
			return i + 1
		}
		end = i
	}
}

// Blank reports whether the record is a blank line.
func (r *Record) Blank() bool {
	return len(r.Fields) == 1 && len(r.Fields[0].Text) == 0 && !r.Fields[0].Quoted
}

// fill reads more of the document after the unread part; false at its end.
func (r *Reader) fill() (bool, error) {
	if r.eof {
		return false, nil
	}
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		if len(r.buf) >= r.Longest {
			return false, &Error{r.next, fmt.Sprintf("the record is longer than %d bytes, or its quotes are not closed",
				r.Longest)}
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	for r.end < len(r.buf) {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		if err == io.EOF {
			r.eof = true
			break
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// SkipBOM skips the byte order mark that some programs write before UTF-8.
func (r *Reader) SkipBOM() error {
	if _, err := r.fill(); err != nil {
		return err
	}
	if bytes.HasPrefix(r.buf[r.start:r.end], []byte("\xef\xbb\xbf")) {
		r.start += 3
	}
	return nil
}

// Read reads the next record and returns io.EOF after the last.
func (r *Reader) Read() error {
	for {
		if r.start == r.end {
			more, err := r.fill()
			if err != nil {
				return err
			}
			if !more || r.start == r.end {
				return io.EOF
			}
		}
		n, lines, err := 0, int64(0), error(nil)
		if r.dialect == nil {
			n, lines, err = r.cut()
		} else {
			again := false
			if again, err = r.comment(); again && err == nil {
				continue
			} else if err == nil {
				n, lines, err = r.cutDialect()
			}
		}
		if err != nil {
			return err
		}
		if n > 0 {
			raw := r.buf[r.start : r.start+n]
			r.Broken = !r.clean && !utf8.Valid(raw)
			r.Line = r.next
			r.start += n
			r.next += lines
			for i := range r.Fields {
				switch f := &r.Fields[i]; {
				case f.pairs && r.dialect != nil:
					f.Text = r.dialect.unescaped(f.Text, r.comma)
				case f.pairs:
					f.Text = undouble(f.Text)
				}
			}
			return nil
		}
		more, err := r.fill()
		if err != nil {
			return err
		}
		if !more {
			return &Error{r.next, "a quoted field is not closed at the end of the document"}
		}
	}
}

// undouble replaces "" by " in place.
func undouble(b []byte) []byte {
	w := 0
	for i := 0; i < len(b); i++ {
		b[w] = b[i]
		w++
		if b[i] == '"' {
			i++
		}
	}
	return b[:w]
}

// cut finds the fields of the record at the start of the window. n is its length with the line end, 0 if the window
// ends before the record does.
func (r *Reader) cut() (n int, lines int64, err error) {
	b := r.buf[r.start:r.end]
	r.Fields = r.Fields[:0]
	i, ended := r.plain(b, 0)
	if ended {
		return i, 1, nil
	}
	for {
		var f Field
		if i < len(b) && b[i] == '"' {
			f.Quoted = true
			i++
			begin := i
			for {
				k := bytes.IndexByte(b[i:], '"')
				if k < 0 {
					return 0, 0, nil
				}
				lines += int64(bytes.Count(b[i:i+k], newline))
				if r.CR {
					lines += loneReturns(b[i : i+k])
				}
				i += k + 1
				if i == len(b) && !r.eof {
					return 0, 0, nil // the next byte decides whether this is a pair
				}
				if i < len(b) && b[i] == '"' {
					f.pairs = true
					i++
					continue
				}
				break
			}
			f.Text = b[begin : i-1]
		} else {
			begin := i
			for i < len(b) && (b[i] > r.high || !r.endsPlain(b[i])) {
				i++
			}
			f.Text = b[begin:i]
		}
		if len(r.Fields) == MaxFields {
			return 0, 0, &Error{r.next + lines, fmt.Sprintf("the record has more than %d fields", MaxFields)}
		}
		r.Fields = append(r.Fields, f)
		if i == len(b) {
			if r.eof {
				return i, lines, nil
			}
			return 0, 0, nil
		}
		switch b[i] {
		case r.comma:
			if i++; i < len(b) && b[i] != '"' {
				if i, ended = r.plain(b, i); ended {
					return i, lines + 1, nil
				}
			}
			continue
		case '\n':
			return i + 1, lines + 1, nil
		case '\r':
			if i+1 == len(b) {
				if r.eof {
					return i + 1, lines, nil
				}
				return 0, 0, nil
			}
			if b[i+1] == '\n' {
				return i + 2, lines + 1, nil
			}
			if r.CR {
				return i + 1, lines + 1, nil
			}
			return 0, 0, &Error{r.next + lines, "a carriage return without a line feed outside quotes"}
		case '"':
			return 0, 0, &Error{r.next + lines, fmt.Sprintf("a quote within the unquoted field %q", Clip(f.Text, 60))}
		default:
			return 0, 0, &Error{r.next + lines, fmt.Sprintf("text after the closing quote of field %q",
				Clip(f.Text, 60))}
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain finds the fields of a record from the start of one up to the first quote or carriage return, eight bytes at a
// time. It returns where the next field begins, or the end of the record.
func (r *Reader) plain(b []byte, begin int) (_ int, ended bool) {
	fields := r.Fields
	limit, commas := (uint64(r.high)+1)*ones, uint64(r.comma)*ones
	few := r.high < '0' // bytes that end no field are rare among those up to it
words:
	for at := begin; at+8 <= len(b); at += 8 {
		w := binary.LittleEndian.Uint64(b[at:])
		var found uint64 // the high bit of each byte that may end a field
		if few {
			found = (w - limit) &^ w & highs
		} else {
			c, q, l, t := w^commas, w^('"'*ones), w^('\n'*ones), w^('\r'*ones)
			found = ((c-ones)&^c | (q-ones)&^q | (l-ones)&^l | (t-ones)&^t) & highs
		}
		for ; found != 0; found &= found - 1 {
			k := at + bits.TrailingZeros64(found)>>3
			c := b[k]
			if c != r.comma && c != '\n' {
				if c == '"' || c == '\r' {
					break words
				}
				continue
			}
			if len(fields) == MaxFields {
				break words
			}
			fields = append(fields, Field{Text: b[begin:k]})
			begin = k + 1
			if c == '\n' {
				r.Fields = fields
				return begin, true
			}
		}
	}
	r.Fields = fields
	return begin, false
}

// loneReturns counts the carriage returns that no line feed follows.
func loneReturns(b []byte) (n int64) {
	for i, c := range b {
		if c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			n++
		}
	}
	return n
}

// Clip truncates a text to a valid one of about n bytes.
func Clip(b []byte, n int) string {
	return clip.Bytes(string(bytes.ToValidUTF8(b, []byte("?"))), n)
}

var newline, quote = []byte{'\n'}, []byte{'"'}

// endsPlain lists the bytes that cannot occur within an unquoted field; none is above r.high.
func (r *Reader) endsPlain(c byte) bool { return c == r.comma || c == '"' || c == '\n' || c == '\r' }
