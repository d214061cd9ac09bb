package trinosql

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func comments(text string) (found []string) {
	l := lexer{text: text, line: 1, comment: func(from, end int) {
		found = append(found,
			strings.TrimRight(text[from:end], " \t\r\n"))
	}}
	for l.next().kind != kEOF {
	}
	return found
}

// formatted formats a text and compares the tree, the comments and a second formatting.
func formatted(t *testing.T, text string) string {
	t.Helper()
	out, err := Format(text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return ""
	}
	if again, err := Format(out); err != nil || again != out {
		t.Errorf("%q\n\tis formatted as %q\n\tand then as    %q, %v", text, out, again, err)
	}
	a, b := Split(text), Split(out)
	if len(a) != len(b) {
		t.Fatalf("%q has %d statements, formatted as %q %d", text, len(a), out, len(b))
	}
	for i := range a {
		first, err1 := Parse(a[i].Text)
		second, err2 := Parse(b[i].Text)
		if err1 != nil || err2 != nil || dump(first) != dump(second) {
			t.Errorf("%q\n\tis formatted as %q\n\twith another tree (%v, %v)", text, out, err1, err2)
		}
	}
	if a, b := strings.Join(comments(text), "\n"), strings.Join(comments(out), "\n"); a != b {
		t.Errorf("%q\n\tis formatted as %q\n\twith the comments %q, not %q", text, out, b, a)
	}
	return out
}

func TestFormat(t *testing.T) {
	for _, s := range statements {
		formatted(t, s)
	}
	raw, err := os.ReadFile(filepath.Join("testdata", "format.sql"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strings.Split(string(raw), "=====\n") {
		before, want, ok := strings.Cut(c, "-----\n")
		if got := formatted(t, before); !ok || got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", before, got, want)
		}
	}
}

// TestFormatOfTheCorpus formats every tenth of the statements that are compared with Trino.
func TestFormatOfTheCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("witness", "testdata", "*.sql"))
	if err != nil || files == nil {
		t.Fatal(files, err)
	}
	n := 0
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range Split(string(raw)) {
			if i%10 > 0 {
				continue
			}
			if _, err := Parse(p.Text); err == nil {
				formatted(t, p.Text)
				n++
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d statements", n)
	}
}

func TestFormatErrors(t *testing.T) {
	_, err := Format("SELECT 1;\n\n  SELECT FROM t")
	if err == nil || err.Error() != "line 3:10: mismatched input 'FROM'. Expecting: <expression>" {
		t.Error(err)
	}
}

// hostile is texts made to be large, of about n bytes each.
func hostile(n int) []string {
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return []string{
		repeat("("), repeat("-"), repeat("'"), repeat(`"`), repeat("["), repeat("/*"), "SELECT " + repeat("("),
		"SELECT " + repeat("- "), "SELECT " + repeat("NOT "),
		"SELECT " + repeat("(SELECT "), "SELECT " + repeat("CASE WHEN "), "SELECT " + repeat("f("),
		"SELECT " + repeat("ARRAY["), "SELECT a" + repeat("[1]"),
		"SELECT a" + repeat(".a"), "SELECT 1" + repeat("+1"), "SELECT a" + repeat(" AND a"), "SELECT x IN (1" +
			repeat(", 1") + ")", "SELECT 1" + repeat(", 1"),
		"SELECT 1 FROM t" + repeat(" CROSS JOIN t"), "SELECT 1" + repeat(" UNION SELECT 1"),
		"SELECT " + repeat("x -> "), "SELECT CAST(a AS " + repeat("array("),
		"SELECT " + strings.Repeat("(", 400) + "1" + strings.Repeat(")", 400), repeat(";"), repeat("SELECT 1;"),
		"SELECT CASE" + repeat(" WHEN a THEN b") + " END", "WITH a AS (SELECT 1)" + repeat(", a AS (SELECT 1)") +
			" SELECT 1",
		"SELECT 1 FROM a" + repeat(", (SELECT 1)"), "VALUES 1" + repeat(", (1, 'a')"), repeat("-- x\n"),
		repeat("/* */ "),
	}
}

// TestHostileTexts reads and formats them: each ends with an error or a tree.
func TestHostileTexts(t *testing.T) {
	for _, text := range hostile(50_000) {
		if out, err := Format(text); err == nil && out == "" && strings.Trim(text, "; ") != "" {
			t.Errorf("%.40q is formatted as nothing", text)
		}
	}
}

// BenchmarkHostile formats each of them at 1 MB.
func BenchmarkHostile(b *testing.B) {
	for _, text := range hostile(1 << 20) {
		b.Run(fmt.Sprintf("%.24q", text), func(b *testing.B) {
			for b.Loop() {
				_, _ = Format(text)
			}
		})
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range statements {
		f.Add(s)
	}
	f.Add("--\v")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Format(text); err == nil {
			formatted(t, text)
		}
	})
}
