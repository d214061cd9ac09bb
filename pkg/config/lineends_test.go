package config

import (
	"os"
	"strings"
	"testing"
)

// TestLineEnds: a file that was written on another system keeps its line ends and its byte order mark.
func TestLineEnds(t *testing.T) {
	s := openStore(t, fileEnv())
	for _, c := range []struct{ mark, end string }{{"", "\n"}, {"", "\r\n"}, {"\ufeff", "\r\n"}, {"\ufeff", "\n"}} {
		before := c.mark + strings.Join([]string{"# mine", "current: a", "profiles:", "  a: # short", "    zone: us",
			"    # about it", "    project: x # of sales", ""}, c.end)
		write(t, s.Path(), before)
		if _, err := s.Set("a", map[string]string{"project": "y"}, nil, false); err != nil {
			t.Fatal(err)
		}
		if got, want := read(t, s.Path()), strings.Replace(before, "project: x", "project: y", 1); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if _, err := s.Add(Profile{Name: "a", Zone: "us"}, mustKey(t, hostedKey),
			AddOptions{Replace: true}); err != nil {
			t.Fatal(err)
		}
		keys := newFileStore(s.dir).path
		raw := read(t, keys)
		raw = c.mark + strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(raw, "\ufeff"), "\r", ""), "\n", c.end)
		if err := os.WriteFile(keys, []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Logout("a"); err != nil {
			t.Fatal(err)
		}
		got := read(t, keys)
		if !strings.HasPrefix(got, c.mark) || strings.Count(got, "\n") != strings.Count(got, c.end) || c.end == "\n" &&
			strings.Contains(got, "\r") {
			t.Errorf("%q", got)
		}
	}
}
