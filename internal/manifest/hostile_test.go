package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestResend: connections with secrets are sent again, once, also those that change otherwise.
func TestResend(t *testing.T) {
	connection := func(name string, credential ...string) *Connection {
		c := &Connection{Base: Base{Ref: Ref{KindConnection, name}}, Type: "postgres", Credential: map[string]Value{}}
		for i := 0; i < len(credential); i += 2 {
			c.Credential[credential[i]] = TextValue(credential[i+1])
		}
		return c
	}
	want, have := New(), New()
	for _, c := range []*Connection{connection("same", "user", "a", "password", "${env:P}"), connection("open", "path", "x"), connection("new", "password", "${env:P}"), connection("changed", "user", "b", "password", "${env:P}"), connection("named", "user", "a", "password", "${env:P}")} {
		want.Add(c)
	}
	want.Get(KindConnection, "named").(*Connection).RenamedFrom = "before"
	for _, c := range []*Connection{connection("same", "user", "a"), connection("open", "path", "x"), connection("changed", "user", "a"), connection("before", "user", "a")} {
		have.Add(c)
	}
	changes, _ := Compare(want, have)
	var got []string
	for _, ch := range Resend(changes, want, have) {
		var fields []string
		for _, f := range ch.Fields {
			fields = append(fields, f.Name)
		}
		got = append(got, string(ch.Action)+" "+ch.Name+": "+strings.Join(fields, ", "))
	}
	slices.Sort(got)
	expected := []string{"create new: type", "update changed: credential user", "update named: name, credential password", "update same: credential password"}
	if !slices.Equal(got, expected) {
		t.Errorf("%q, want %q", got, expected)
	}
}

// TestHostileYAML: what a few lines can make of a value is an error with its place, at once.
func TestHostileYAML(t *testing.T) {
	bomb := "type: files\ncredential:\n  a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := byte('b'); c < 'l'; c++ {
		bomb += fmt.Sprintf("  %c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	for text, want := range map[string]string{
		bomb: "connections/c.yaml: its anchors and aliases stand for too many values",
		"type: files\ncredential:\n  a: &a\n    b: *a\n":                      "connections/c.yaml: its anchors and aliases stand for too many values, or for themselves",
		"type: files\ncredential:\n  a:\n    b: 1\n    b: 2\n":                "connections/c.yaml:5: the member \"b\" occurs twice",
		"type: files\ncredential:\n  a:\n    <<: {b: 1}\n":                    "connections/c.yaml:4: the name of a member must be a text",
		"type: files\ncredential:\n  a:\n    ? [b]\n    : 1\n":                "connections/c.yaml:4: the name of a member must be a text",
		"type: files\ncredential:\n  a: 1\n  a: 2\n":                          "connections/c.yaml:4: mapping key \"a\" already defined at line 3",
		"type: files\ncredential: " + strings.Repeat("[", 20000):              "connections/c.yaml:2: exceeded max depth",
		"type: files\ncredential:\n  a: " + strings.Repeat("{a: ", 200) + "x": "",
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"dig.yaml": "version: 1\n", "connections/c.yaml": text} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}
