package objects

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// jsonSeeds are texts in and near the grammar.
var jsonSeeds = []string{`{}`, `{"a":1}`, `{"a":-0.5e+10,"b":[1,{"c":null}],"d":"x\u00e9\"\\\/\b\f\n\r\t"}`, `{"a":01}`,
	`{"a":1.}`, `{"a":.5}`, `{"a":1e}`, `{"a":+1}`, `{"a":tru}`, `{"a":nul1}`, `{"a" 1}`,
	`{"a":1,}`, `{,}`, `{"a":[1,]}`, `{"a":[]}`, `{"a":{}}`, `{"a":{"b":}}`, `{"a":"\x"}`, `{"a":"\u12g4"}`,
	"{\"a\":\"\x01\"}", `{"a":"`, `{"a":"b`, `{"a`, `{`, `{"a":"\u`, `{"a":"\`, `{"a":-}`, `{"a":- 1}`, `{"a":1 2}`,
	`{"a":1}}`, `{"a":[1}`, `{"a":[[[[1]]]]}`, ` { "a" : 1 , "b" : [ 1 , 2 ] } `, `{"\u0061":1}`,
	"{\"a\":\"\\u\x10\x10\x10\x10\"}", `{"a":0}`, `{"a":-0}`, `{"a":1E5}`, `{'a':1}`, `{"a":true,"b":false,"c":null}`,
	`{"a":NaN}`, `{"a":"ü"}`}

// checkJSON compares the reading of one object with that of encoding/json.
func checkJSON(t *testing.T, text string) {
	s := scan{text: []byte(text)}
	c, err := s.skip()
	if err != nil || c != '{' {
		return
	}
	members, err := s.members(nil)
	var want json.RawMessage
	dec := json.NewDecoder(strings.NewReader(text))
	if refused := dec.Decode(&want); (err == nil) != (refused == nil) {
		t.Fatalf("%q: %v, encoding/json says %v", text, err, refused)
	} else if err != nil {
		return
	}
	if int64(s.at) != dec.InputOffset() {
		t.Fatalf("%q ends at %d, want %d", text, s.at, dec.InputOffset())
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(want, &all); err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		raw := m.value
		if m.kind == infer.String {
			raw = []byte(`"` + string(m.value) + `"`)
		}
		r := NewReader(nil, nil)
		if _, err := r.column(0, &m); err != nil || r.plain(&m, false) != nil || !utf8.Valid(m.name) {
			continue // half of a surrogate pair, or what a record refuses
		}
		var again int
		for _, o := range members {
			if bytes.Equal(o.name, m.name) {
				again++
			}
		}
		if again == 1 && !bytes.Equal(bytes.TrimSpace(all[string(m.name)]), raw) {
			t.Fatalf("%q, member %q: %s, want %s", text, m.name, raw, all[string(m.name)])
		}
	}
	for cut := 1; cut < s.at; cut++ { // every beginning asks for more, but for what is wrong already
		short := scan{text: []byte(text)[:cut]}
		if c, err := short.skip(); err == nil && c == '{' {
			if _, err := short.members(nil); err != errShort {
				t.Fatalf("%q: %v", text[:cut], err)
			}
		}
	}
}

func TestJSONGrammar(t *testing.T) {
	for _, text := range jsonSeeds {
		checkJSON(t, text)
		for i := range text { // and with one character less, or another one
			checkJSON(t, text[:i]+text[i+1:])
			for _, c := range "{}[]\",:0-.e\\u \x01t" {
				checkJSON(t, text[:i]+string(c)+text[i+1:])
			}
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 300 && strings.Count(text, "[")+strings.Count(text, "{") < 100 {
			checkJSON(t, text)
		}
	})
}

// TestUsualMembers reads records with members in changing order, which a reader expects where the record before had
// them: each value gets its column, and a member that is there twice is refused.
func TestUsualMembers(t *testing.T) {
	const comma = "where a comma or the end of the object or the list is expected"
	for _, c := range []struct{ text, want string }{
		{`{"a":1,"b":2}` + "\n" + `{"a":3,"b":4}{"b":5,"a":6} {"a":7}{"a":8,"b":9}`, "[1 2] [3 4] [6 5] [7 ] [8 9]"},
		{`{"a":1,"b":2,"c":3}{"b":4,"a":5}{"c":6}{"c":7,"a":8,"c":9}`,
			"[1 2 3] [5 4 ] [  6] record 4 has the member \"c\" twice"},
		{`{"a":1,"b":2}{"a":1,"a":2}`, "[1 2] record 2 has the member \"a\" twice"},
		{`{ "a" : 1 , "b" : [ 2 ] }{ "a" : 3 , "b" : 4}`, "[1 [2]] [3 4]"},
		{`{"a":"x\n","\u0062":1}{"a":"\"","\u0062":2}{"a":"y","b":3}{"a":"z","\u0062":4}`,
			"[x\n 1] [\" 2] [y 3] [z 4]"},
		{`{"a":1,"b":2}{"a":1,"b":2,}`, "[1 2] record 2: '}' where the name of a member is expected"},
		{`{"a":1}{"a":1 "b":2}`, "[1] record 2: '\"' " + comma},
		{`{"a":1}{"a":}`, "[1] record 2: '}' where a value is expected"},
	} {
		r, err := Open(bufio.NewReader(strings.NewReader(c.text)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for {
			row, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					got += " " + err.Error()
				}
				break
			}
			got += " ["
			for i, v := range row {
				if i > 0 {
					got += " "
				}
				if v.Kind != infer.Null {
					got += string(v.Text)
				}
			}
			got += "]"
		}
		if got = strings.TrimPrefix(got, " "); got != c.want {
			t.Errorf("%s\n%q, want\n%q", c.text, got, c.want)
		}
	}
}
