package gateway

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestQuirksDocumented: docs/testing.md lists every quirk under its number and in its set, and a script of testdata/script/quirks tries it.
func TestQuirksDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	var scripts strings.Builder
	files, err := os.ReadDir("../../testdata/script/quirks")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile("../../testdata/script/quirks/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(raw)
	}
	names := QuirkNames()
	for i, name := range names {
		set := hostedSet
		if allQuirks()[i].set != hosted {
			set = harshSet
		}
		if row := fmt.Sprintf("\n| %d | `%s` | %s | ", i+1, name, set); !strings.Contains(string(doc), row) {
			t.Errorf("docs/testing.md has no row %q", strings.TrimSpace(row))
		}
		if head := fmt.Sprintf("%d %s", i+1, name); !strings.Contains(scripts.String(), head) || !slices.Contains(strings.FieldsFunc(scripts.String(), func(r rune) bool { return r == ' ' || r == ',' || r == '=' }), name) {
			t.Errorf("no script tries %q", head)
		}
	}
	if n := strings.Count(string(doc), "` | "); strings.Contains(string(doc), fmt.Sprintf("\n| %d | `", len(names)+1)) {
		t.Errorf("docs/testing.md lists more than %d quirks (%d)", len(names), n)
	}
}

// TestParseQuirks: none, some, all, and a name that is not one.
func TestParseQuirks(t *testing.T) {
	if q, err := ParseQuirks(nil); q != nil || err != nil || q.has(quirkCappedScans) {
		t.Errorf("%v %v", q, err)
	}
	q, err := ParseQuirks([]string{"late-status", "html-errors"})
	if err != nil || !q.has("late-status") || q.has(quirkCappedScans) {
		t.Errorf("%v %v", q, err)
	}
	if q, err = ParseQuirks([]string{"hosted"}); err != nil {
		t.Error(err)
	}
	h, err := ParseQuirks([]string{"harsh=0.25"})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range allQuirks() {
		if q.has(k.name) != (k.set == hosted) || h.has(k.name) == q.has(k.name) {
			t.Errorf("%s: in hosted %v, in harsh %v", k.name, q.has(k.name), h.has(k.name))
		}
	}
	for _, bad := range []string{"odd", "hosted=0.5", "late-status=0.5", "harsh=0", "harsh=1.5", "html-errors=x", "html-errors="} {
		if _, err = ParseQuirks([]string{"hosted", bad}); err == nil {
			t.Errorf("--quirks %s is taken", bad)
		}
	}
}

// TestQuirkRates: the calls that are struck are the share that was asked for, spread evenly, and begin with the first.
func TestQuirkRates(t *testing.T) {
	for spec, want := range map[string]string{"html-errors": "XXXXXXXX", "html-errors=0.5": "X.X.X.X.", "html-errors=0.25": "X...X...", "harsh": "X.X.X.X.", "hosted": "........"} {
		q, err := ParseQuirks([]string{spec})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for range 8 {
			got += map[bool]string{true: "X", false: "."}[q.strikes("html-errors")]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}

// TestMeasuredQuirks holds the names that are known to happen always, from the reports of measurements: a quirk that is added goes to
// harsh unless it is one of them.
func TestMeasuredQuirks(t *testing.T) {
	measured := strings.Fields(`capped-scans empty-while-syncing unknown-header-null constraints-dropped bi-display-name bi-collision late-status
		stuck-cache metadata-not-active duplicate-cache-500 schedule-ignored schema-status-500 empty-export-fails missing-cache-400
		sample-of-nothing search-ghosts transpile-query-only leaky-errors whole-column counters-lie parameter-columns first-bad-value
		cache-own-table`)
	for _, k := range allQuirks() {
		if slices.Contains(measured, k.name) != (k.set == hosted) {
			t.Errorf("%s: set %d", k.name, k.set)
		}
	}
}
