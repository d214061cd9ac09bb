//go:build cgo

package duckdb

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	csvWindow = 256 << 10 // bytes read at once
	csvRecord = 64 << 20  // bytes of the longest record
)

// csvField is one field of a record. b is good until the next record is read.
type csvField struct {
	b      []byte
	quoted bool
	pairs  bool // holds doubled quotes, not yet undone
}

// csvFields is how many fields a record may have.
const csvFields = 16384

// csvReader cuts a document of RFC 4180 into records. A record that does not end within the window is read again from its
// start after the window was filled up, so there is no state between calls but the window.
type csvReader struct {
	src    io.Reader
	buf    []byte
	start  int // of the unread part
	end    int
	eof    bool
	next   int64 // line at start
	line   int64 // line where the last record began
	fields []csvField
	broken bool // the last record is not UTF-8, or holds a NUL
}

// csvError is a fault after which the rest of a document cannot be understood.
type csvError struct {
	line   int64
	reason string
}

func (e *csvError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

func newCSVReader(src io.Reader) *csvReader {
	return &csvReader{src: src, buf: make([]byte, csvWindow), next: 1}
}

// fill reads more of the document behind what is unread; false when there is no more.
func (r *csvReader) fill() (bool, error) {
	if r.eof {
		return false, nil
	}
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		if len(r.buf) >= csvRecord {
			return false, &csvError{r.next, fmt.Sprintf("the record is longer than %d bytes, or its quotes are not closed", csvRecord)}
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

// skipBOM passes over the mark that some programs put before UTF-8.
func (r *csvReader) skipBOM() error {
	if _, err := r.fill(); err != nil {
		return err
	}
	if bytes.HasPrefix(r.buf[r.start:r.end], []byte("\xef\xbb\xbf")) {
		r.start += 3
	}
	return nil
}

// read cuts the next record and returns io.EOF after the last.
func (r *csvReader) read() error {
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
		n, lines, err := r.cut()
		if err != nil {
			return err
		}
		if n > 0 {
			raw := r.buf[r.start : r.start+n]
			r.broken = !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0
			r.line = r.next
			r.start += n
			r.next += lines
			for i := range r.fields {
				if r.fields[i].pairs {
					r.fields[i].b = undouble(r.fields[i].b)
				}
			}
			return nil
		}
		more, err := r.fill()
		if err != nil {
			return err
		}
		if !more {
			return &csvError{r.next, "a quoted field is not closed at the end of the document"}
		}
	}
}

// undouble turns "" into " in place.
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

// cut finds the fields of the record at the start of the window. n is its length with the line end, 0 when the window ends
// before the record does.
func (r *csvReader) cut() (n int, lines int64, err error) {
	b := r.buf[r.start:r.end]
	r.fields = r.fields[:0]
	i := 0
	for {
		var f csvField
		if i < len(b) && b[i] == '"' {
			f.quoted = true
			i++
			begin := i
			for {
				k := bytes.IndexByte(b[i:], '"')
				if k < 0 {
					return 0, 0, nil
				}
				lines += int64(bytes.Count(b[i:i+k], newline))
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
			f.b = b[begin : i-1]
		} else {
			begin := i
			for i < len(b) && (b[i] > ',' || !endsPlain(b[i])) {
				i++
			}
			f.b = b[begin:i]
		}
		if len(r.fields) == csvFields {
			return 0, 0, &csvError{r.next + lines, fmt.Sprintf("the record has more than %d fields", csvFields)}
		}
		r.fields = append(r.fields, f)
		if i == len(b) {
			if r.eof {
				return i, lines, nil
			}
			return 0, 0, nil
		}
		switch b[i] {
		case ',':
			i++
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
			return 0, 0, &csvError{r.next + lines, "a carriage return without a line feed outside quotes"}
		case '"':
			return 0, 0, &csvError{r.next + lines, fmt.Sprintf("a quote within the unquoted field %q", clipTo(f.b, 60))}
		default:
			return 0, 0, &csvError{r.next + lines, fmt.Sprintf("text after the closing quote of field %q", clipTo(f.b, 60))}
		}
	}
}

// clipTo makes a valid text of at most about n bytes.
func clipTo(b []byte, n int) string {
	if len(b) > n {
		return string(bytes.ToValidUTF8(b[:n], []byte("?"))) + "..."
	}
	return string(bytes.ToValidUTF8(b, []byte("?")))
}

var newline = []byte{'\n'}

// endsPlain tells the bytes that cannot stand within an unquoted field; none is above the comma.
func endsPlain(c byte) bool { return c == ',' || c == '"' || c == '\n' || c == '\r' }
