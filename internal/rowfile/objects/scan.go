package objects

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// scan parses JSON (RFC 8259) in one validating pass.
type scan struct {
	text   []byte
	at     int
	escape bool // the last string has an escape

	leads   [][]byte // what probably precedes the value of each member of an object
	usual   bool     // and does, in the last object
	escapes bool     // a string in it has an escape
}

// errShort means that the text ends before the value does, or may do so: a number at the end may continue.
var errShort = errors.New("the text ends too early")

const maxDepth = 10_000 // as in encoding/json

func (s *scan) fault(what string) error {
	return fmt.Errorf("%q where %s is expected", s.text[s.at], what)
}

// skip skips white space and returns the following character.
func (s *scan) skip() (byte, error) {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, nil
		}
	}
	return 0, errShort
}

// members parses an object and appends its members to out, which is empty.
func (s *scan) members(out []member) ([]member, error) {
	s.escapes, s.usual = false, true
	for i := 0; ; i++ {
		if i > 0 && s.at < len(s.text) && s.text[s.at] == '}' {
			s.at++
			return out, nil
		}
		if i == cap(out) {
			out = append(out, member{})
		}
		out = out[:i+1]
		m := &out[i] // its fields are overwritten: a copy of it costs as much as the rest
		if m.usual = i < len(s.leads) && bytes.HasPrefix(s.text[s.at:], s.leads[i]); m.usual {
			s.at += len(s.leads[i])
		} else if end, err := s.lead(i, m); end || err != nil {
			return out[:i], err
		}
		c, err := s.skip()
		if err != nil {
			return out, err
		}
		from := s.at
		if err := s.value(1); err != nil {
			return out, err
		}
		switch m.escape, m.value = false, s.text[from:s.at]; c {
		case '"':
			m.kind, m.value, m.escape = infer.String, s.text[from+1:s.at-1], s.escape
			s.escapes = s.escapes || s.escape
		case '{', '[':
			m.kind = infer.Nested
		case 'n':
			m.kind = infer.Null
		default:
			m.kind = infer.Field
		}
	}
}

// lead parses what precedes the value of member i of an object; end is the end of the object.
func (s *scan) lead(i int, m *member) (end bool, err error) {
	from := s.at
	if s.usual = false; i == 0 {
		s.at++ // the brace
		if c, err := s.skip(); err != nil {
			return false, err
		} else if c == '}' {
			s.at++
			return true, nil
		}
	} else if end, err := s.comma('}'); end || err != nil {
		return end, err
	}
	if m.name, err = s.name(); err == nil {
		_, err = s.skip()
	}
	m.lead = s.text[from:s.at]
	return false, err
}

// name parses a member's name, without decoding it, and the colon.
func (s *scan) name() ([]byte, error) {
	c, err := s.skip()
	if err != nil {
		return nil, err
	}
	if c != '"' {
		return nil, s.fault("the name of a member")
	}
	from := s.at
	if err := s.str(); err != nil {
		return nil, err
	}
	name := s.text[from+1 : s.at-1]
	if c, err = s.skip(); err != nil {
		return nil, err
	}
	if c != ':' {
		return nil, s.fault("a colon")
	}
	s.at++
	return name, nil
}

// comma parses a comma or the end of an object or a list.
func (s *scan) comma(end byte) (bool, error) {
	c, err := s.skip()
	if err != nil {
		return false, err
	}
	if c != ',' && c != end {
		return false, s.fault("a comma or the end of the object or the list")
	}
	s.at++
	return c == end, nil
}

// value skips a value.
func (s *scan) value(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	c, err := s.skip()
	if err != nil {
		return err
	}
	switch {
	case c == '"':
		return s.str()
	case c == '{' || c == '[':
		return s.nested(c, depth)
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	return s.fault("a value")
}

func (s *scan) nested(open byte, depth int) error {
	end := open + 2 // in ASCII for both kinds
	s.at++
	for first := true; ; first = false {
		c, err := s.skip()
		if err != nil {
			return err
		}
		if c == end && first {
			s.at++
			return nil
		}
		if open == '{' {
			if _, err := s.name(); err != nil {
				return err
			}
		}
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if done, err := s.comma(end); err != nil || done {
			return err
		}
	}
}

func (s *scan) word(w string) error {
	for i := range len(w) {
		if s.at+i == len(s.text) {
			return errShort
		}
		if s.text[s.at+i] != w[i] {
			s.at += i
			return s.fault(w)
		}
	}
	s.at += len(w)
	return nil
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

func (s *scan) str() error {
	s.escape = false
	for i := s.at + 1; i < len(s.text); i++ {
		for i+8 <= len(s.text) { // skip what is neither a quote nor a backslash nor a control character
			w := binary.LittleEndian.Uint64(s.text[i:])
			q, b := w^('"'*ones), w^('\\'*ones)
			found := ((q-ones)&^q | (b-ones)&^b | (w-' '*ones)&^w) & highs
			if i += bits.TrailingZeros64(found) >> 3; found != 0 {
				break
			}
		}
		if i == len(s.text) {
			break
		}
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return nil
		case c < ' ':
			s.at = i
			return s.fault("a character of a string")
		case c == '\\':
			s.escape = true
			if i++; i == len(s.text) {
				return errShort
			}
			switch s.text[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i == len(s.text) {
						return errShort
					}
					if h := s.text[i]; (h < '0' || h > '9') && (h < 'a' || h > 'f') && (h < 'A' || h > 'F') {
						s.at = i
						return s.fault("a hexadecimal digit")
					}
				}
			default:
				s.at = i
				return s.fault("an escape of a string")
			}
		}
	}
	return errShort
}

func (s *scan) number() (err error) {
	i := s.at
	if s.text[i] == '-' {
		i++
	}
	if i < len(s.text) && s.text[i] == '0' {
		if i++; i == len(s.text) {
			return errShort
		}
	} else if i, err = s.digits(i); err != nil {
		return err
	}
	if s.text[i] == '.' {
		if i, err = s.digits(i + 1); err != nil {
			return err
		}
	}
	if s.text[i]|0x20 == 'e' {
		if i++; i < len(s.text) && (s.text[i] == '+' || s.text[i] == '-') {
			i++
		}
		if i, err = s.digits(i); err != nil {
			return err
		}
	}
	s.at = i
	return nil
}

// digits skips digits from i, at least one.
func (s *scan) digits(i int) (int, error) {
	from := i
	for i < len(s.text) && s.text[i]-'0' <= 9 {
		i++
	}
	if i == len(s.text) {
		return i, errShort
	}
	if i == from {
		s.at = i
		return i, s.fault("a digit")
	}
	return i, nil
}
