package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"unicode/utf8"
)

// decodedRow is parseRow by the decoder of the library.
func decodedRow(raw []byte) (row, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return row{}, errors.New("no object")
	}
	out := row{members: map[string]json.RawMessage{}}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return row{}, err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return row{}, err
		}
		name := key.(string)
		if _, twice := out.members[name]; twice {
			return row{}, errors.New("twice")
		}
		out.members[name] = v
		out.keys = append(out.keys, name)
	}
	return out, nil
}

var rowTexts = []string{`{}`, ` { } `, `{"a":1}`, `{ "a" : -1.5e+3 , "b" : null }`, `{"a":{"b":[1,{"c":"}]"}]},"d":[]}`,
	`{"a\"b\\":"x\\\"y","":""}`, `{"\u00e9":"\ud83d\ude00","é":1}`,
	`{"a":1,"a":2}`, `[1]`, `"x"`, `null`, `7`, "{\n\t\"a\"\r:\ttrue\n,\"b\":false}",
	`{"a":"{","b":"[","c":{"d":"\\"}}`, `{"\ud800":1}`, "{\"a\":\"\xff\"}"}

// FuzzParseRow: a row that is JSON is taken apart as the library does it.
func FuzzParseRow(f *testing.F) {
	for _, s := range rowTexts {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			t.Skip()
		}
		got, err := parseRow(raw)
		want, wantErr := decodedRow(raw)
		if !utf8.Valid(raw) {
			wantErr = errors.New("not UTF-8")
		}
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %q, %v; the library %q, %v", raw, got, err, want, wantErr)
		}
	})
}

func BenchmarkParseRow(b *testing.B) {
	raw := []byte(`{"id":12345,"name":"a name","on":true,"at":{"x":1,"y":[1,2,3]}}`)
	for name, parse := range map[string]func([]byte) (row, error){"here": func(r []byte) (row,
		error) {
		return parseRow(r)
	}, "library": decodedRow} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := parse(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
