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
	for _, c := range []*Connection{connection("same", "user", "a", "password", "${env:P}"), connection("open", "path",
		"x"), connection("new", "password", "${env:P}"), connection("changed", "user", "b", "password", "${env:P}"),
		connection("named", "user", "a", "password", "${env:P}")} {
		want.Add(c)
	}
	want.Get(KindConnection, "named").(*Connection).RenamedFrom = "before"
	for _, c := range []*Connection{connection("same", "user", "a"), connection("open", "path", "x"),
		connection("changed", "user", "a"), connection("before", "user", "a")} {
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
	expected := []string{"create new: type", "update changed: credential user",
		"update named: name, credential password", "update same: credential password"}
	if !slices.Equal(got, expected) {
		t.Errorf("%q, want %q", got, expected)
	}
}

// TestHostileYAML: what a few lines can make of a value is an error with its place, at once.
func TestHostileYAML(t *testing.T) {
	bomb := "type: files\ncredential:\n  a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := byte('b'); c < 'l'; c++ {
		bomb += fmt.Sprintf("  %c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9),
			", "))
	}
	for text, want := range map[string]string{
		bomb: "connections/c.yaml: its anchors and aliases expand to too many values",
		"type: files\ncredential:\n  a: &a\n    b: *a\n":       "connections/c.yaml: its anchors and aliases expand to too many values, or refer to themselves",
		"type: files\ncredential:\n  a:\n    b: 1\n    b: 2\n": "connections/c.yaml:5: duplicate member \"b\"",
		"type: files\ncredential:\n  a:\n    <<: {b: 1}\n":     "connections/c.yaml:4: the name of a member must be a text",
		"type: files\ncredential:\n  a:\n    ? [b]\n    : 1\n": "connections/c.yaml:4: the name of a member must be a text",
		"type: files\ncredential:\n  a: 1\n  a: 2\n":           "connections/c.yaml:4: mapping key \"a\" already defined at line 3",
		"type: files\ncredential: " + strings.Repeat("[",
			20000): "connections/c.yaml:2: exceeded max depth",
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

// TestStatementsAreText: what is not UTF-8 would be stored as something else, and what is too long would be parsed for
// minutes.
func TestStatementsAreText(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1,\n'M\xfcnchen'": "queries/q.sql: it is not text in UTF-8: line 2, column 3 " +
			"has the byte 0xfc",
		"\xff\xfeS\x00": "queries/q.sql: it is not text in UTF-8",
		"SELECT " + strings.Repeat("1 + ", 5<<20) +
			"1": "queries/q.sql: it has 20971528 bytes, more than 1048576, the maximum for statements",
		"DROP TABLE x": "queries/q.sql: a saved query can only read, and the " +
			"statement is one of the kind DropTable",
		"SELECT '\ufffd'": "",
	} {
		dir := t.TempDir()
		if err := Write(dir, map[string][]byte{"dig.yaml": []byte("version: 1\n"), "queries/q.sql": []byte(text)},
			[]string{"dig.yaml", "queries/q.sql"}, nil); err != nil {
			t.Fatal(err)
		}
		p, err := Read(dir)
		if err == nil {
			changes, _ := Compare(p, New())
			if bad := Sound(p, New(), changes, nil, nil); len(bad) > 0 {
				err = bad
			}
		}
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// TestNamesThatAreNoText: names of files that are not UTF-8 are mistakes in the files, and so is a prompt with NUL:
// apply would fail at them midway.
func TestNamesThatAreNoText(t *testing.T) {
	for file, want := range map[string]string{
		"queries/a%FF.sql":   `the name "a\xff" is not text`,
		"queries/f%FE/b.sql": `the name "/f\xfe" is not text`,
		"tables/t%C3.yaml":   `the name "t\xc3" is not text`,
		"golden-sql/g.yaml":  "golden-sql/g.yaml:1: a prompt cannot contain NUL",
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{Marker: "version: 1\n",
			file: map[string]string{".sql": "SELECT 1 AS n", ".yaml": "columns: []\n"}[filepath.Ext(file)]} {
			if strings.HasPrefix(name, dirGolden) {
				text = `prompt: "a\0b"`
			}
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, dirGolden) {
				if err := os.WriteFile(strings.TrimSuffix(path, endYAML)+endSQL, []byte("SELECT 1 AS n"),
					0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSizeOfTheMarker: what makes a directory a project is small, and a large one is not parsed.
func TestSizeOfTheMarker(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Marker), []byte("version: 1\n#"+strings.Repeat("x", 64<<10)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(),
		"dig.yaml: it has 65548 bytes, more than 65536") {
		t.Errorf("%v", err)
	}
}
