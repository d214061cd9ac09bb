package javafn

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/doubletext"
)

// A JSON document is parsed with its numbers as written and its keys in order.

// member is a key of an object with its value; an object is a []member.
type member struct {
	key   string
	value any
}

// readJSON parses one document; ok is false if it is invalid.
func readJSON(text string) (v any, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, err := readValue(dec, text)
	if err != nil {
		return nil, false
	}
	_, err = dec.Token()
	return v, err == io.EOF
}

// missing is the value of an empty or blank text.
type missing struct{}

// readFirst parses the first value of a text and ignores what follows. A key that an object has more than once is kept
// where it first occurs, with its last value.
func readFirst(text string) (any, bool) {
	if strings.Trim(text, " \t\r\n") == "" {
		return missing{}, true
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, err := readValue(dec, text)
	if err != nil {
		return nil, false
	}
	end := text[dec.InputOffset():]
	switch v.(type) {
	case json.Number:
		if end != "" && strings.IndexByte(" \t\r\n", end[0]) < 0 {
			return nil, false
		}
	case bool, nil:
		if r, _ := utf8.DecodeRuneInString(end); r == '_' || r == '$' || r != utf8.RuneError && (unicode.IsLetter(r) ||
			unicode.IsDigit(r)) {
			return nil, false
		}
	}
	return oneOfEach(v), true
}

// oneOfEach leaves one member of each key in the objects of a value.
func oneOfEach(v any) any {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			v[i] = oneOfEach(e)
		}
	case []member:
		at := make(map[string]int, len(v))
		kept := v[:0]
		for _, m := range v {
			m.value = oneOfEach(m.value)
			if i, ok := at[m.key]; ok {
				kept[i].value = m.value
				continue
			}
			at[m.key] = len(kept)
			kept = append(kept, m)
		}
		return kept
	}
	return v
}

// readStart is readJSON for functions that parse no more of a document than they need: an invalid part is broken, and
// anything after the value is ignored.
func readStart(text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, _ := readValue(dec, text) // a missing part is broken
	return v
}

// broken is a value that could not be parsed.
type broken struct{}

// whole reports whether all of a value could be parsed.
func whole(v any) bool {
	switch v := v.(type) {
	case broken:
		return false
	case []any:
		return len(v) == 0 || whole(v[len(v)-1])
	case []member:
		return len(v) == 0 || whole(v[len(v)-1].value)
	}
	return true
}

// readValue parses a value; with an error, it returns the part before the error, which ends in broken.
func readValue(dec *json.Decoder, text string) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return broken{}, err
	}
	if _, number := t.(json.Number); number {
		// a number followed by something else, as in 01
		if end := int(dec.InputOffset()); end < len(text) && strings.IndexByte(" \t\r\n,]}", text[end]) < 0 {
			return broken{}, errors.New("a number without an end")
		}
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := readValue(dec, text)
			list = append(list, v)
			if err != nil {
				return list, err
			}
		}
		if _, err = dec.Token(); err != nil {
			list = append(list, broken{})
		}
		return list, err
	case json.Delim('{'):
		object := []member{}
		for dec.More() {
			k, err := dec.Token()
			if err != nil {
				return append(object, member{"", broken{}}), err
			}
			v, err := readValue(dec, text)
			object = append(object, member{k.(string), v})
			if err != nil {
				return object, err
			}
		}
		if _, err = dec.Token(); err != nil {
			object = append(object, member{"", broken{}})
		}
		return object, err
	}
	return t, nil
}

var errHalfPair = refuses("half a pair of surrogates in JSON is not supported on zone local")

func writeJSON(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, x)
		}
		b.WriteByte(']')
	case []member:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, m.key)
			b.WriteByte(':')
			writeJSON(b, m.value)
		}
		b.WriteByte('}')
	case json.Number:
		s := v.String()
		if s == "-0" { // an integer
			s = "0"
		}
		if strings.ContainsAny(s, ".eE") { // a double, in Java's format
			f, _ := v.Float64() // infinite if too large
			if s = string(doubletext.Append(nil, f, 64)); math.IsInf(f, 0) {
				s = strconv.Quote(s)
			}
		}
		b.WriteString(s)
	case string:
		quote(b, v)
	case missing:
		b.WriteString("null")
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v) // a number, a boolean or nil
		b.Truncate(b.Len() - 1)
	}
}
