package javafn

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// A document of JSON is read with its numbers as written and its keys in their order.

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

// readStart is readJSON for functions that read no more of a document than they need: what cannot be read is broken, and what follows the
// value is left alone.
func readStart(text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, _ := readValue(dec, text) // what is missing is broken
	return v
}

// broken stands for a value that cannot be read.
type broken struct{}

// whole reports whether all of a value could be read.
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

// readValue reads a value; with an error, as much as there is of it, and something broken at its end.
func readValue(dec *json.Decoder, text string) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return broken{}, err
	}
	if _, number := t.(json.Number); number {
		if end := int(dec.InputOffset()); end < len(text) && strings.IndexByte(" \t\r\n,]}", text[end]) < 0 { // as in 01
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
		if strings.ContainsAny(s, ".eE") { // a double, as Java writes it
			f, _ := v.Float64() // what is too large is infinite
			if s = string(AppendDouble(nil, f, 64)); math.IsInf(f, 0) {
				s = strconv.Quote(s)
			}
		}
		b.WriteString(s)
	case string:
		quote(b, v)
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v) // a number, a boolean or nil
		b.Truncate(b.Len() - 1)
	}
}
