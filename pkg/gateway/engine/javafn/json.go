package javafn

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// jsonParse writes JSON in Trino's canonical form: no whitespace, sorted keys.
func jsonParse(a string) (string, bool, error) {
	if halfPair(a) {
		return "", false, errHalfPair
	}
	d := json.NewDecoder(strings.NewReader(a))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	if err != nil {
		return "", false, says("Cannot convert value to JSON: '%s'", a)
	}
	var b bytes.Buffer
	writeCanonical(&b, v)
	return b.String(), true, nil
}

// writeCanonical writes objects with their keys in order.
func writeCanonical(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			quote(b, k)
			b.WriteByte(':')
			writeCanonical(b, v[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, x)
		}
		b.WriteByte(']')
	default:
		writeJSON(b, v)
	}
}

// shallow returns its argument unless it nests so deeply that a recursive function could overflow the stack.
func shallow(a string) (string, bool, error) {
	const most = 1000
	if JSONDepth(a) > most {
		return "", false, says("JSON nests deeper than %d levels", most)
	}
	return a, true, nil
}

// JSONDepth is the nesting depth of arrays and objects in a text, which may be invalid JSON.
func JSONDepth(s string) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return most
}
