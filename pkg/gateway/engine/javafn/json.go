package javafn

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/jsontext"
)

// CanonicalJSON returns JSON as Trino reads it from a source, without whitespace and with sorted keys, and false for
// what it cannot read.
func CanonicalJSON(text string) (string, bool) {
	s, ok, err := jsonParse(text)
	return s, ok && err == nil
}

// jsonParse formats JSON in Trino's canonical form: no whitespace, sorted keys.
func jsonParse(a string) (string, bool, error) {
	if jsontext.Unpaired(a) >= 0 {
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

// writeCanonical writes a value with sorted keys.
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
