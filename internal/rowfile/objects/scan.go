package objects

import (
	"errors"
	"fmt"

	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// scan parses JSON (RFC 8259) in one validating pass.
type scan struct {
	text []byte
	at   int
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

// members parses an object and appends its members.
func (s *scan) members(out []member) ([]member, error) {
	s.at++ // the brace
	for first := true; ; first = false {
		c, err := s.skip()
		if err != nil {
			return out, err
		}
		if c == '}' && first {
			s.at++
			return out, nil
		}
		name, err := s.name()
		if err != nil {
			return out, err
		}
		m := member{name: name}
		if c, err = s.skip(); err != nil {
			return out, err
		}
		from := s.at
		if err := s.value(1); err != nil {
			return out, err
		}
		m.value = s.text[from:s.at]
		switch c {
		case '"':
			m.kind, m.value = infer.String, m.value[1:len(m.value)-1]
		case '{', '[':
			m.kind = infer.Nested
		case 'n':
		default:
			m.kind = infer.Field
		}
		out = append(out, m)
		end, err := s.comma('}')
		if err != nil || end {
			return out, err
		}
	}
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

func (s *scan) str() error {
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return nil
		case c < ' ':
			s.at = i
			return s.fault("a character of a string")
		case c == '\\':
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

func (s *scan) number() error {
	i := s.at
	digits := func() error {
		from := i
		for i < len(s.text) && s.text[i] >= '0' && s.text[i] <= '9' {
			i++
		}
		if i == len(s.text) {
			return errShort
		}
		if i == from {
			s.at = i
			return s.fault("a digit")
		}
		return nil
	}
	if s.text[i] == '-' {
		i++
	}
	if i < len(s.text) && s.text[i] == '0' {
		if i++; i == len(s.text) {
			return errShort
		}
	} else if err := digits(); err != nil {
		return err
	}
	if s.text[i] == '.' {
		i++
		if err := digits(); err != nil {
			return err
		}
	}
	if s.text[i]|0x20 == 'e' {
		if i++; i < len(s.text) && (s.text[i] == '+' || s.text[i] == '-') {
			i++
		}
		if err := digits(); err != nil {
			return err
		}
	}
	s.at = i
	return nil
}
