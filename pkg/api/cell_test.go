package api

import (
	"strings"
	"testing"
)

func TestCell(t *testing.T) {
	tests := []struct {
		token, text string
		kind        CellKind
		plain       bool
	}{
		{``, "null", CellNull, false},
		{`null`, "null", CellNull, false},
		{`""`, "", CellString, true},
		{`"null"`, "null", CellString, true},
		{`"日本"`, "日本", CellString, true},
		{`"a\"b\\c\/d\b\f\n\r\te"`, "a\"b\\c/d\b\f\n\r\te", CellString, false},
		{`"\u00e9\u65E5"`, "é日", CellString, false},
		{`"\ud83d\ude00!"`, "😀!", CellString, false},
		{`"\ud83d"`, "\uFFFD", CellString, false},
		{`"\ude00\ud83d"`, "\uFFFD\uFFFD", CellString, false},
		{`"\ud83d\ud83d\ude00"`, "\uFFFD😀", CellString, false},
		{`"\ud83dx"`, "\uFFFDx", CellString, false},
		{`"\ud83d\n"`, "\uFFFD\n", CellString, false},
		{`"\u0000"`, "\x00", CellString, false},
		{`12345678901234567890.10`, "12345678901234567890.10", CellNumber, false},
		{`-1`, "-1", CellNumber, false},
		{`true`, "true", CellBool, false},
		{`false`, "false", CellBool, false},
		{`{"a": "\n"}`, `{"a": "\n"}`, CellObject, false},
		{`[1]`, `[1]`, CellArray, false},
	}
	for _, tt := range tests {
		c := Cell(tt.token)
		got, err := c.AppendText([]byte("> "))
		if err != nil || string(got) != "> "+tt.text {
			t.Errorf("%s: text %q, %v; want %q", tt.token, got, err, tt.text)
		}
		if c.Kind() != tt.kind || c.IsNull() != (tt.kind == CellNull) {
			t.Errorf("%s: kind %v, null %v", tt.token, c.Kind(), c.IsNull())
		}
		if p, ok := c.PlainText(); ok != tt.plain || ok && string(p) != tt.text {
			t.Errorf("%s: plain text %q, %v", tt.token, p, ok)
		}
	}
	for _, bad := range []string{`"`, `"a`, `"\"`, `"\x"`, `"\u12"`, `"a\u12g4"`} {
		if got, err := Cell(bad).AppendText([]byte("> ")); err == nil || string(got) != "> " {
			t.Errorf("%s: got %q, %v", bad, got, err)
		}
	}
}

func TestCellAppendPlain(t *testing.T) {
	for _, prefix := range []string{"", "> "} {
		for n := range 40 {
			text := strings.Repeat("aé-1;x", 8)[:n]
			c := Cell(`"` + text + `"`)
			if got, ok := c.AppendPlain([]byte(prefix), ','); !ok || string(got) != prefix+text {
				t.Fatalf("%s: got %q, %v", c, got, ok)
			}
			for i := range n {
				for _, special := range []string{",", `\`} {
					c := Cell(`"` + text[:i] + special + text[i+1:] + `"`)
					if got, ok := c.AppendPlain([]byte(prefix), ','); ok || string(got) != prefix {
						t.Fatalf("%s: got %q, %v", c, got, ok)
					}
				}
			}
		}
	}
	for _, c := range []Cell{nil, Cell(`null`), Cell(`12`), Cell(`true`), Cell(`[",",1]`), Cell(`{}`), Cell(`"`)} {
		if got, ok := c.AppendPlain(nil, ','); ok || len(got) != 0 {
			t.Errorf("%s: got %q, %v", c, got, ok)
		}
	}
	if got, ok := Cell(`"a,b, and more"`).AppendPlain(nil, '\t'); !ok || string(got) != "a,b, and more" {
		t.Errorf("other delimiter: got %q, %v", got, ok)
	}
}
