// Package objects reads JSON documents of objects as rows, and the rows of results as a gateway sends them.
package objects

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// MaxObject limits one record of a JSON file, in bytes.
const MaxObject = 1 << 30

// ErrUTF8 is the error for a record that is not UTF-8.
var ErrUTF8 = errors.New("is not valid UTF-8")

// Reader reads the objects of a document, either in one list or consecutive, and names the columns of their members in
// the order of their first occurrence.
type Reader struct {
	in    *bufio.Reader
	buf   []byte
	at    int // position up to which buf has been consumed
	end   bool
	array bool
	begun bool
	n     int64

	within int  // objects around the records, by a path
	single bool // one record is at a path

	members []member
	names   []string
	place   map[string]int
	last    []int64  // for each name: the last record that had it
	usual   []int    // the columns of the members of the previous record, which most records have in the same order
	leads   [][]byte // what precedes them there
	same    bool     // the last record is like it, and has no escapes
	row     []infer.Value
	compact bytes.Buffer
	unused  []bool // columns whose values are not used, nil for none
	clean   bool   // what is in buf is known to be valid UTF-8
}

// member is a member of an object. Both slices are valid until the next record is read.
type member struct {
	name   []byte // nil with usual
	lead   []byte // the text between the value before and the value; nil with usual
	value  []byte // the characters of a string, else the text of the value
	kind   infer.Kind
	escape bool // it is a string with escapes
	usual  bool // it has the name of the member at the same place of the previous record
}

// Open reads the beginning of a document.
func Open(in *bufio.Reader) (*Reader, error) {
	r := &Reader{in: in, place: map[string]int{}}
	c, err := r.peek()
	if err != nil && err != io.EOF {
		return nil, err
	}
	if r.array = err == nil && c == '['; r.array {
		r.at++
	}
	return r, nil
}

// NewReader reads consecutive objects from texts that Reset sets. It begins with the names of columns; need are the
// columns whose values are used, nil for all: the others are not set.
func NewReader(names []string, need []int) *Reader {
	r := &Reader{place: map[string]int{}, end: true}
	for _, name := range names {
		r.add(name)
	}
	if need != nil {
		r.unused = make([]bool, len(names))
		for i := range r.unused {
			r.unused[i] = !slices.Contains(need, i)
		}
	}
	return r
}

// Reset begins to read a text of whole objects, after n others. The text is changed.
func (r *Reader) Reset(text []byte, n int64) {
	r.buf, r.at, r.n, r.clean = text, 0, n, utf8.Valid(text)
	clear(r.last)
}

// Consecutive reports whether a document that begins with a text of whole objects consists of objects that are its
// rows.
func Consecutive(text []byte) bool {
	r := NewReader(nil, nil)
	r.Reset(text, 0)
	c, err := r.peek()
	if err != nil || c != '{' {
		return false
	}
	wire, err := r.isResult()
	return err == nil && !wire
}

// IsList reports whether a text begins with a list, which may end after the text, and that nothing follows on its line.
func IsList(text []byte) bool {
	s := scan{text: text}
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("[")) {
		return false
	}
	if err := s.value(0); err != nil {
		return errors.Is(err, errShort)
	}
	rest := bytes.TrimLeft(text[s.at:], " \t")
	return len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r'
}

// Whole returns the length of the whole objects at the beginning of a text of consecutive ones: up to a line feed
// between } and {, which is not valid within a value, or else up to the end of the last value.
func Whole(b []byte) int {
	for end := len(b); ; {
		i := bytes.LastIndexByte(b[:end], '\n')
		if i < 0 {
			break
		}
		before, after := bytes.TrimRight(b[:i], " \t\r\n"), bytes.TrimLeft(b[i:], " \t\r\n")
		if len(before) > 0 && before[len(before)-1] == '}' && len(after) > 0 && after[0] == '{' {
			return i + 1
		}
		end = len(before) // the other line feeds of this white space are between the same
	}
	s := scan{text: b}
	for whole := 0; ; whole = s.at {
		err := s.value(0)
		if errors.Is(err, errShort) {
			return whole
		}
		if err != nil {
			return len(b) // a reader finds the error
		}
	}
}

// Names are the names of all members so far.
func (r *Reader) Names() []string { return r.names }

// At is the number of objects so far.
func (r *Reader) At() int64 { return r.n }

// Next reads an object. Its row has a value for each name so far, which is valid until the next call. It returns io.EOF
// after the last object.
func (r *Reader) Next() ([]infer.Value, error) {
	if err := r.read(); err != nil {
		return nil, err
	}
	r.compact.Reset()
	clear(r.row)
	if r.same { // no member is there twice
		for i := range r.members {
			m, at := &r.members[i], r.usual[i]
			if at < len(r.unused) && r.unused[at] {
				continue
			}
			if m.kind == infer.Nested {
				if err := r.plain(m, false); err != nil {
					return nil, err
				}
			}
			r.row[at] = infer.Value{Text: m.value, Kind: m.kind}
		}
		return r.row, nil
	}
	for i := range r.members {
		m := &r.members[i]
		at, err := r.column(i, m)
		if err != nil {
			return nil, fmt.Errorf("record %d, member %q: %w", r.n, m.name, err)
		}
		if err := r.plain(m, at < len(r.unused) && r.unused[at]); err != nil {
			return nil, fmt.Errorf("record %d, member %q: %w", r.n, r.names[at], err)
		}
		if r.last[at] == r.n {
			return nil, fmt.Errorf("record %d has the member %q twice", r.n, r.names[at])
		}
		r.last[at] = r.n
		r.row[at] = infer.Value{Text: m.value, Kind: m.kind}
	}
	r.usual, r.leads = r.usual[:len(r.members)], r.leads[:len(r.members)] // of different columns, as in this record
	return r.row, nil
}

// column is the column of member i of a record, whose name is then decoded.
func (r *Reader) column(i int, m *member) (at int, err error) {
	if m.usual {
		return r.usual[i], nil
	}
	if bytes.IndexByte(m.name, '\\') >= 0 {
		if m.name, err = unescape(m.name); err != nil {
			return 0, err
		}
	}
	at, ok := r.place[string(m.name)]
	if !ok {
		at = r.add(string(m.name))
	}
	if i == len(r.usual) {
		r.usual, r.leads = append(r.usual, at), append(r.leads, nil)
	}
	r.usual[i], r.leads[i] = at, append(r.leads[i][:0], m.lead...)
	return at, nil
}

func (r *Reader) add(name string) int {
	at := len(r.names)
	r.names, r.place[name] = append(r.names, name), at
	r.last, r.row = append(r.last, 0), append(r.row, infer.Value{})
	return at
}

// more reads further; unconsumed bytes move to the beginning of buf. It returns io.EOF at the end of the file.
func (r *Reader) more() error {
	if r.end {
		return io.EOF
	}
	r.buf = r.buf[:copy(r.buf, r.buf[r.at:])]
	r.at = 0
	if len(r.buf) > MaxObject {
		return fmt.Errorf("it is longer than %d MiB", MaxObject>>20)
	}
	if cap(r.buf)-len(r.buf) < r.in.Size() {
		r.buf = append(make([]byte, 0, max(2*cap(r.buf), 2*r.in.Size())), r.buf...)
	}
	for { // fill the available space: a record that does not fit is read again from its beginning
		n, err := r.in.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if err == io.EOF {
			r.end = true
			if n == 0 && r.at == len(r.buf) {
				return io.EOF
			}
			return nil
		}
		if err != nil || len(r.buf) == cap(r.buf) {
			return err
		}
	}
}

// peek returns the next character that is not white space.
func (r *Reader) peek() (byte, error) {
	for {
		for ; r.at < len(r.buf); r.at++ {
			if c := r.buf[r.at]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				return c, nil
			}
		}
		if err := r.more(); err != nil {
			return 0, err
		}
	}
}

// read reads the members of the next object.
func (r *Reader) read() error {
	bad := func(err error) error { return fmt.Errorf("record %d: %w", r.n+1, err) }
	if r.single && r.n > 0 {
		return r.ended()
	}
	c, err := r.peek()
	if err == io.EOF && !r.array {
		return io.EOF
	}
	if r.array {
		switch {
		case err == io.EOF:
			return bad(errors.New("the list is not closed"))
		case err != nil:
		case c == ']':
			r.at++
			if r.within > 0 {
				return r.ended()
			}
			if _, err := r.peek(); err == nil {
				return errors.New("unexpected data after the list of records")
			} else if err != io.EOF {
				return bad(err)
			}
			r.array = false // the end is expected now
			return io.EOF
		case r.begun && c != ',':
			return bad(fmt.Errorf("%q where a comma or the end of the list is expected", c))
		case r.begun:
			r.at++
			c, err = r.peek()
		}
	}
	if err != nil {
		return bad(unexpected(err))
	}
	r.begun = true
	if c != '{' {
		return r.noObject()
	}
	for {
		s := scan{text: r.buf[r.at:], leads: r.leads}
		members, err := s.members(r.members[:0])
		if err == nil {
			r.at += s.at
			r.n++
			r.members, r.same = members, s.usual && !s.escapes
			if !r.clean && !utf8.Valid(s.text[:s.at]) {
				return fmt.Errorf("record %d %w", r.n, ErrUTF8)
			}
			return nil
		}
		if !errors.Is(err, errShort) {
			return bad(err)
		}
		if err := r.more(); err != nil {
			return bad(unexpected(err))
		}
	}
}

// noObject returns the error for a record that is not an object.
func (r *Reader) noObject() error {
	for {
		s := scan{text: r.buf[r.at:]}
		err := s.value(0)
		if err == nil && (s.at < len(s.text) || r.end) {
			return fmt.Errorf("record %d is not an object", r.n+1)
		}
		if err != nil && !errors.Is(err, errShort) {
			return fmt.Errorf("record %d: %w", r.n+1, err)
		}
		if err := r.more(); err != nil {
			return fmt.Errorf("record %d: %w", r.n+1, unexpected(err))
		}
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// plain decodes the escapes of a string, and removes the white space from an object or a list.
func (r *Reader) plain(m *member, unused bool) error {
	switch {
	case m.kind == infer.Nested:
		if unused || !bytes.ContainsAny(m.value, " \t\r\n") {
			return nil
		}
		from := r.compact.Len()
		if err := json.Compact(&r.compact, m.value); err != nil {
			return err
		}
		m.value = r.compact.Bytes()[from:] // stays as it is when the buffer grows
		return nil
	case !m.escape:
		return nil
	}
	s, err := unescape(m.value)
	if err != nil {
		return err
	}
	if bytes.ContainsRune(s, utf8.RuneError) && !bytes.ContainsRune(m.value, utf8.RuneError) &&
		!bytes.Contains(bytes.ToLower(m.value), []byte(`\ufffd`)) {
		return errors.New("an unpaired surrogate")
	}
	m.value = s
	return infer.CheckText(s)
}

func unescape(s []byte) ([]byte, error) {
	var text string
	err := json.Unmarshal(append(append([]byte{'"'}, s...), '"'), &text)
	return []byte(text), err
}
