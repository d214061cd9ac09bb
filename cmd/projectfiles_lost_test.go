package cmd

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestApplyLosesReplies: apply over a connection that loses the replies to changes, and one change before it arrives,
// makes each of them once and ends; where someone else changes the project at the same time, it stops.
func TestApplyLosesReplies(t *testing.T) {
	f := newFront(t, "us", "hosted")
	for name, text := range map[string]string{
		"dig.yaml":              "version: 1\n",
		"tables/people.yaml":    "columns:\n  - name: name\n    type: varchar\n    description: who\n",
		"queries/a/Names.sql":   "SELECT name FROM peaka.\"table\".people\n",
		"queries/Other.sql":     "SELECT 1 AS x\n",
		"golden-sql/names.sql":  "SELECT count(*) FROM peaka.query.names\n",
		"golden-sql/names.yaml": "prompt: How many names?\n",
	} {
		f.file("p/"+name, text)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	before := func(string) {}
	f.between(func(r *http.Request, pass func()) {
		id := callOf(r)
		mu.Lock()
		seen[id]++
		n := seen[id]
		mu.Unlock()
		lost := n == 1 && slices.Contains([]string{"createQueryFolder", "createInternalTable", "addInternalColumns",
			"createGoldenSql"}, id)
		if lost && id == "addInternalColumns" { // it does not arrive
			panic(http.ErrAbortHandler)
		}
		before(id)
		if pass(); lost {
			panic(http.ErrAbortHandler)
		}
	})
	code, out, errs := f.dig("apply", "p", "--yes", "--allow-part")
	if code != 0 || strings.Count(errs, " was lost; it was made\n") != 3 || !strings.Contains(errs,
		"create column people.name was lost; it was not made, and is sent again") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for id, want := range map[string]int{"createQueryFolder": 1, "createInternalTable": 1, "addInternalColumns": 2,
		"createGoldenSql": 1, "createQuery": 2} {
		if seen[id] != want {
			t.Errorf("%s was sent %d times, want %d", id, seen[id], want)
		}
	}
	ends := f.ok("history", "list", "-o", "json", "--jq",
		"map(select(.command == \"apply\").outcome) | group_by(.) | map(.[0], length)")
	if want := `["done",7,"refused",1]`; strings.TrimSpace(ends) != want {
		t.Errorf("the journal has %s, want %s", ends, want)
	}
	f.ok("diff", "p")
	again := filepath.Join(t.TempDir(), "p")
	f.ok("pull", again)
	if text := string(read(t, filepath.Join(again, "tables", "people.yaml"))); !strings.Contains(text,
		"description: who") {
		t.Errorf("the table is %s", text)
	}

	// Another window changes what the plan did not foresee.
	f.file("p/golden-sql/more.sql", "SELECT 1\n")
	f.file("p/golden-sql/more.yaml", "prompt: More?\n")
	f.file("p/tables/more.yaml", "columns:\n  - name: a\n    type: bigint\n")
	clear(seen)
	before = func(id string) {
		if id == "createInternalTable" {
			before = func(string) {}
			if err := f.api.Tables.Delete(t.Context(), f.env()["DIG_PROJECT"], "people"); err != nil {
				t.Error(err)
			}
		}
	}
	code, out, errs = f.dig("apply", "p", "--yes", "--allow-part")
	if code != exitcode.Conflict || !strings.Contains(errs,
		"table people has been changed since the plan was created") || seen["createInternalTable"] != 1 {
		t.Errorf("exit %d: %s%s %v", code, out, errs, seen)
	}
	f.between(nil)
	f.ok("apply", "p", "--yes", "--allow-part")
}
