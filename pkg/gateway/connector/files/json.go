package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// jsonMember is a member of an object. Both slices are valid until the next record is read.
type jsonMember struct {
	name  []byte
	value []byte // the characters of a string, else the text of the value
	kind  byte   // s string, n number, b boolean, j object or list, 0 null
}

// maxObject limits one record of a JSON file.
const maxObject = 1 << 30

// jsonRecords reads the objects of a file, either in one list or consecutive.
type jsonRecords struct {
	readers
	ctx     context.Context //nolint:containedctx // that of the call in which it is read
	in      *bufio.Reader
	buf     []byte
	at      int // position up to which buf has been consumed
	end     bool
	array   bool
	begun   bool
	n       int
	members []jsonMember
}

func newJSONRecords(ctx context.Context, in readers, b *bufio.Reader) (*jsonRecords, error) {
	r := &jsonRecords{readers: in, in: b, ctx: ctx}
	c, err := r.peek()
	if err != nil && err != io.EOF {
		in.Close()
		return nil, err
	}
	if r.array = err == nil && c == '['; r.array {
		r.at++
	}
	return r, nil
}

func (r *jsonRecords) header() []string { return nil }

// more reads further; unconsumed bytes move to the beginning of buf. It returns io.EOF at the end of the file.
func (r *jsonRecords) more() error {
	if r.end {
		return io.EOF
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.buf = r.buf[:copy(r.buf, r.buf[r.at:])]
	r.at = 0
	if len(r.buf) > maxObject {
		return fmt.Errorf("it is longer than %d MiB", maxObject>>20)
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
func (r *jsonRecords) peek() (byte, error) {
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

func (r *jsonRecords) next(ctx context.Context) (record, error) {
	r.ctx = ctx
	bad := func(err error) (record, error) {
		return record{}, fmt.Errorf("record %d: %w", r.n+1, err)
	}
	c, err := r.peek()
	if err == io.EOF && !r.array {
		return record{}, r.finish(io.EOF)
	}
	if r.array {
		switch {
		case err == io.EOF:
			return record{}, fmt.Errorf("record %d: the list is not closed", r.n+1)
		case err != nil:
		case c == ']':
			r.at++
			if _, err := r.peek(); err == nil {
				return record{}, errors.New("unexpected data after the list of records")
			} else if err != io.EOF {
				return bad(err)
			}
			r.array = false // the end is expected now
			return record{}, r.finish(io.EOF)
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
		return record{}, r.noObject()
	}
	for {
		s := scan{text: r.buf[r.at:]}
		members, err := s.members(r.members[:0])
		if err == nil {
			text := s.text[:s.at]
			r.at += s.at
			r.n++
			r.members = members
			if !utf8.Valid(text) {
				return record{}, fmt.Errorf("record %d is not valid UTF-8", r.n)
			}
			for i := range members {
				if err := members[i].plain(); err != nil {
					return record{}, fmt.Errorf("record %d, member %q: %w", r.n, members[i].name, err)
				}
			}
			return record{line: r.n, members: members}, nil
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
func (r *jsonRecords) noObject() error {
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

func (r *jsonRecords) finish(err error) error { return r.readers.end(err) }

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// plain decodes the escapes of a member's name or of a string.
func (m *jsonMember) plain() error {
	if bytes.IndexByte(m.name, '\\') >= 0 {
		s, err := unescape(m.name)
		if err != nil {
			return err
		}
		m.name = s
	}
	if m.kind != 's' || bytes.IndexByte(m.value, '\\') < 0 {
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
	return nil
}

func unescape(s []byte) ([]byte, error) {
	var text string
	err := json.Unmarshal(append(append([]byte{'"'}, s...), '"'), &text)
	return []byte(text), err
}

// object maps the members of records to columns. Most records have the same members in the same order.
type object struct {
	place map[string]int
	names []string // of the previous record, by position among its members
	at    []int    // column of each member of the last record; for a new name, the number of columns before it
	times []int64  // number of records with each column
	last  []int    // the last record that had it
	n     int
	fixed bool // unknown names get no column
}

// newObject returns an object for the given columns. If cols is nil, it collects all names of members.
func newObject(cols []column) *object {
	o := &object{place: map[string]int{}, fixed: cols != nil}
	for i, c := range cols {
		o.place[c.member] = i
	}
	o.times, o.last = make([]int64, len(cols)), make([]int, len(cols))
	return o
}

// record maps a record's members. A duplicate name in a record is an error.
func (o *object) record(rec record) error {
	o.n++
	o.at = o.at[:0]
	for i, m := range rec.members {
		var k int
		if i < len(o.names) && o.names[i] == string(m.name) {
			k = o.place[o.names[i]]
		} else {
			var ok bool
			if k, ok = o.place[string(m.name)]; !ok {
				k = len(o.times)
				o.place[string(m.name)] = k
				o.times, o.last = append(o.times, 0), append(o.last, 0)
			}
			if i < len(o.names) {
				o.names[i] = string(m.name)
			} else {
				o.names = append(o.names, string(m.name))
			}
		}
		if o.last[k] == o.n {
			return fmt.Errorf("record %d has the member %q twice", rec.line, m.name)
		}
		o.last[k] = o.n
		o.times[k]++
		o.at = append(o.at, k)
	}
	return nil
}
