package objects

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/nearest"
)

// OpenAt reads the objects that are at a path of members: a list of them, or one. What the document has beside it is
// not read as rows, but must be JSON.
func OpenAt(in *bufio.Reader, path []string) (*Reader, error) {
	d := json.NewDecoder(in)
	for i, name := range path {
		if err := enter(d, name); err != nil {
			return nil, fmt.Errorf("%s: %w", shown(path[:i]), err)
		}
	}
	rest := bufio.NewReader(io.MultiReader(d.Buffered(), in))
	if len(path) > 0 { // the decoder has read up to the name
		c, err := colon(rest)
		if err != nil {
			return nil, err
		}
		if c != '{' && c != '[' {
			return nil, fmt.Errorf("%s is neither an object nor a list of objects", shown(path))
		}
	}
	r, err := Open(rest)
	if err != nil {
		return nil, err
	}
	r.within, r.single = len(path), !r.array && len(path) > 0
	return r, nil
}

// shown is a path in a message.
func shown(path []string) string { return strings.Join(append([]string{"$"}, path...), ".") }

// enter reads up to the value of a member of an object.
func enter(d *json.Decoder, name string) error {
	t, err := d.Token()
	if err != nil {
		return unexpected(err)
	}
	if t != json.Delim('{') {
		return errors.New("it is not an object")
	}
	var names []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return unexpected(err)
		}
		if t == name {
			return nil
		}
		if len(names) < 100 {
			names = append(names, t.(string))
		}
		if err := skip(d); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return unexpected(err)
	}
	err = fmt.Errorf("there is no member %q", name)
	if near := nearest.Of(name, names); near != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return err
}

// skip reads a value.
func skip(d *json.Decoder) error {
	for depth := 0; ; {
		t, err := d.Token()
		if err != nil {
			return unexpected(err)
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// colon reads a colon, if the decoder has not, and returns the first character of the value after it.
func colon(in *bufio.Reader) (byte, error) {
	for {
		c, err := in.ReadByte()
		if err != nil {
			return 0, unexpected(err)
		}
		if c != ':' && !slices.Contains([]byte(" \t\r\n"), c) {
			return c, in.UnreadByte()
		}
	}
}

// ended reads what follows the objects at a path. It returns io.EOF at the end of the document.
func (r *Reader) ended() error {
	d := json.NewDecoder(io.MultiReader(strings.NewReader(strings.Repeat(`{"":`, r.within)+"0"),
		bytes.NewReader(r.buf[r.at:]), r.in))
	for depth := 0; ; {
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && depth == 0:
			r.at, r.within, r.single, r.array = len(r.buf), 0, false, false
			return io.EOF
		case err != nil:
			return fmt.Errorf("after the records: %w", unexpected(err))
		case t == json.Delim('{') || t == json.Delim('['):
			if depth == 0 && d.InputOffset() > 1 {
				return errors.New("unexpected data after the document with the records")
			}
			depth++
		case t == json.Delim('}') || t == json.Delim(']'):
			depth--
		case depth == 0:
			return errors.New("unexpected data after the document with the records")
		}
	}
}

// Lists finds the lists of objects within an object: the paths to them, at most three members deep.
func Lists(object []byte) (paths [][]string) { return lists(object, nil) }

func lists(object []byte, to []string) (paths [][]string) {
	s := scan{text: object}
	members, err := s.members(nil)
	if err != nil {
		return nil
	}
	for _, m := range members {
		path := append(slices.Clone(to), string(m.name))
		switch {
		case len(m.value) == 0 || strings.ContainsAny(string(m.name), `\"`):
		case m.value[0] == '{' && len(path) < 3:
			paths = append(paths, lists(m.value, path)...)
		case m.value[0] == '[':
			inner := scan{text: m.value, at: 1}
			if c, err := inner.skip(); err == nil && c == '{' {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
