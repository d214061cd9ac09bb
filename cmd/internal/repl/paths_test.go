package repl

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
)

// TestPaths completes names of files as arguments of a command; what is offered is read back as the name.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.sql", "it's.sql", "my q.sql", "sub dir/x.sql"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &shell{e: &cli.Env{Dir: dir}}
	for rest, want := range map[string][]string{
		"":          {"a.sql", "'it''s.sql'", "'my q.sql'", "'sub dir/"},
		"it":        {"'it''s.sql'"},
		"'m":        {"'my q.sql'"},
		"'it''":     {"'it''s.sql'"},
		"'sub dir/": {"'sub dir/x.sql'"},
		`"my`:       {`"my q.sql"`},
		`"it'`:      {`"it's.sql"`},
		"none":      nil,
	} {
		var got []string
		for _, c := range s.paths(rest) {
			got = append(got, c.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", rest, got, want)
		}
	}
	for text, want := range map[string][]string{
		"'it''s.sql'": {"it's.sql"}, "'my q.sql' x": {"my q.sql", "x"}, "''": {""}, "a''b": {"ab"},
		"n='a b'": {"n=a b"}, "'a'''": {"a'"},
		`"my q.sql"`: {"my q.sql"}, `x="a ""b"" c"`: {`x=a "b" c`}, `"it's.sql"`: {"it's.sql"},
		`'a "b'`: {`a "b`}, `""`: {""},
	} {
		if got, err := unquoted(split(text), false); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q (%v)", text, got, want, err)
		}
	}
	for text, want := range map[string][]string{`a."b c" d`: {`a."b c"`, "d"}, `'"b c"'`: {`"b c"`},
		`"a""b"`: {`"a""b"`}} {
		if got, err := unquoted(split(text), true); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{"n=O'Brien", `"a b`, "'''"} {
		if got, err := unquoted(split(text), false); err == nil {
			t.Errorf("%s is read as %q", text, got)
		}
	}
}
