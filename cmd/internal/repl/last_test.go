package repl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/resolve"
)

// TestCommands reads commands and their arguments.
func TestCommands(t *testing.T) {
	for text, want := range map[string]string{
		`\d people`:             "d|people",
		`\d;`:                   "d",
		`  \bind 1 'a b' ''`:    "bind|1|'a b'|''",
		`\export 'my file.csv'`: "export|'my file.csv'",
		`\d "my table";`:        `d|"my table"`,
		"quit":                  "q",
		"EXIT;":                 "q",
		"help":                  "?",
		"describe people;":      "d|people",
		"use sample.shop":       "use|sample.shop",
		".tables":               "tables",
		".tables a*":            "tables|a*",
		"?":                     "?",
	} {
		name, args, ok := commandOf(text)
		if got := strings.Join(append([]string{name}, args...), "|"); !ok || got != want {
			t.Errorf("%s: %q %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"select 1", "help me please", "quit now", "use", "describe"} {
		if name, _, ok := commandOf(text); ok {
			t.Errorf("%s is taken for \\%s", text, name)
		}
	}
}

// TestDone ends a text at a semicolon that is not within a text, a name or a comment.
func TestDone(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "select 1;": true, "select 1; ": true, "select 1; -- x": true, "select 1": false, "select ';": false,
		"select \";": false, "select 1 -- ;": false,
		"select /* ; ": false, `\d`: true, "select 1;\n\\d": true, "select 1;\nselect 2": false, "quit": true,
		"-- only a comment": true, "select '\\';": true,
		"\\x\nselect 4 -- no end": false, "\\x\nselect 4;": true, "\\x\n\\dt\n": true, "\\x\n\\dt\nselect 1": false,
		".tables": true, ".tables\n": true, " .schema people": true, ".tables\nselect 1": false, "!ls": true,
		":q": true, "?": true, "select\n.5": false,
		"WITH FUNCTION f() RETURNS int BEGIN RETURN 1;":               false,
		"WITH FUNCTION f() RETURNS int BEGIN RETURN 1; END SELECT 1;": true,
	} {
		if got := done(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestPieces ends a pasted command at the end of its line, unless it is within a text.
func TestPieces(t *testing.T) {
	for text, want := range map[string][]string{
		"\\x\nselect 1;\n":                      {"1 \\x\n", "2 select 1;\n"},
		"select 1;\n\\dt\nselect 2;\nselect 3;": {"1 select 1;\n", "2 \\dt\n", "3 select 2;\n", "4 select 3;"},
		"select 1\n\\g\nselect 2;":              {"2 select 1\n\\g\n", "3 select 2;"},
		"select 1; \\d\nselect\n2":              {"1 select 1; \\d\n", "3 select\n2"},
		"select 'a;\n\\x\n';\n":                 {"3 select 'a;\n\\x\n';\n"},
		"select 1\n-- c;\n;\n\nquit\n":          {"3 select 1\n-- c;\n;\n", "5 \nquit\n"},
		"-- c\n\n/* d\n*/ select 1\n;":          {"1 -- c\n", "5 \n/* d\n*/ select 1\n;"},
		"\\x":                                   {"1 \\x"},
		".tables\nselect 1;\n.x\nselect\n.5;\n": {"1 .tables\n", "2 select 1;\n", "3 .x\n", "5 select\n.5;\n"},
		" \n":                                   nil,
	} {
		var got []string
		for n, piece := range pieces(text) {
			got = append(got, fmt.Sprint(n, " ", piece))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestNameParts splits names at the dots outside quotes.
func TestNameParts(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "a.b.c": "a|b|c", `"a.b".c`: "a.b|c",
		`peaka."table".x`: "peaka|table|x", `"a""b"`: `a"b`} {
		parts, err := resolve.NameParts(name)
		if err != nil || strings.Join(parts, "|") != want {
			t.Errorf("%s: %q, %v", name, parts, err)
		}
	}
	for _, name := range []string{"", ".", "a.", `"a`, "a..b", "a.b.c.d", `"a"b`} {
		if parts, err := resolve.NameParts(name); err == nil {
			t.Errorf("%q is taken as %q", name, parts)
		}
	}
}

// TestMayEnd tries all texts of a few lines: what becomes complete with a line must be tried there.
func TestMayEnd(t *testing.T) {
	lines := []string{"\n", "select 1\n", "select 'a\n", "';\n", "quit\n", "quit;\n", ";\n", "\\dt\n", "-- c\n",
		"/* c\n", ".t\n", "*/\n", "*/ quit\n", "\"\n", "help\n"}
	var try func(text string, depth int)
	try = func(text string, depth int) {
		for _, line := range lines {
			all := text + line
			switch {
			case done(all) && strings.TrimSpace(all) != "":
				if !mayEnd(all, line) {
					t.Errorf("%q is complete with its last line", all)
				}
			case depth > 1:
				try(all, depth-1)
			}
		}
	}
	try("", 4)
}
