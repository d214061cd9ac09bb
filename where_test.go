package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// placed is code that must be in the place that docs/architecture.md names for it. A place is a file, or a folder of
// which any file may hold the code.
var placed = []struct{ what, place, code string }{
	{"the flags of `table import`", "cmd/table/import.go", `"no-check"`},
	{"the options of reading files", "internal/rowfile/options.go", `"header-row"`},
	{"the retry policy", "internal/retry", "func Do("},
	{"what `--strict` counts", "cmd/internal/trust", "func (g *Guard) Refuse("},
	{"what `--strict` counts", "cmd/internal/trust", "--strict: the answer is incomplete"},
	{"the states of a cache", "pkg/gateway/caches/states", "func End("},
	{"how a state of a cache is stored", "pkg/gateway/store/cache_runs.go", "states.End("},
	{"the refresh of a cache between two states", "pkg/gateway/caches/run.go", ") runCache("},
	{"where a cycle of saved queries is rejected", "pkg/gateway/engine/cycle", "query refers to itself"},
	{"how NULL is written in CSV", "internal/rowfile/csv/null.go", "Null = "},
	{"where a key is bound to its address", "pkg/config/keybinding", "func MaySend("},
	{"the wire text of a double", "internal/doubletext", "func Append("},
	{"a new exit code", "cmd/internal/exitcode", "Untrusted "},
	{"a new connection type", "pkg/gateway/connector/types", "func All("},
	{"a new quirk", "pkg/gateway/hosted/quirks_list.go", "func AllQuirks("},
	{"the error for a missing table", "pkg/trinosql/missing", "func Table("},
}

// TestWhereToFindThings compares the table of places in docs/architecture.md with the code.
func TestWhereToFindThings(t *testing.T) {
	raw, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "## Where to find things\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]string{}
	for line := range strings.SplitSeq(section, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 && !strings.HasPrefix(line, "|---") {
			rows[strings.TrimSpace(cells[1])] = cells[2]
		}
	}
	for what, where := range rows {
		for _, m := range regexp.MustCompile("`([^`]*/[^`]*)`").FindAllStringSubmatch(where, -1) {
			if _, err := os.Stat(strings.TrimSuffix(m[1], "/NAME")); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	for _, p := range placed {
		if strings.TrimSpace(rows[p.what]) != "`"+p.place+"`" {
			t.Errorf("for %s the table names %s, not %s alone", p.what, rows[p.what], p.place)
		}
		if !holds(t, p.place, p.code) {
			t.Errorf("%s: %s does not hold %s", p.what, p.place, p.code)
		}
	}
}

// holds reports whether a file, or a file of a folder other than a test, contains the code.
func holds(t *testing.T, place, code string) bool {
	t.Helper()
	files := []string{place}
	if !strings.HasSuffix(place, ".go") {
		var err error
		if files, err = filepath.Glob(place + "/*.go"); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), code) {
			return true
		}
	}
	return false
}
