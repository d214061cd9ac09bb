package hosted_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/hosted"
)

// TestQuirksDocumented: docs/testing.md lists every quirk under its number and in its set, and a script of
// testdata/script/quirks tries it.
func TestQuirksDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	var scripts strings.Builder
	files, err := os.ReadDir("../../../testdata/script/quirks")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile("../../../testdata/script/quirks/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(raw)
	}
	names := hosted.QuirkNames()
	for i, name := range names {
		set := hosted.HostedSet
		if hosted.AllQuirks()[i].Set != hosted.Hosted {
			set = hosted.HarshSet
		}
		if row := fmt.Sprintf("\n| %d | `%s` | %s | ", i+1, name, set); !strings.Contains(string(doc), row) {
			t.Errorf("docs/testing.md has no row %q", strings.TrimSpace(row))
		}
		if head := fmt.Sprintf("%d %s", i+1, name); !strings.Contains(scripts.String(), head) ||
			!slices.Contains(strings.FieldsFunc(scripts.String(), func(r rune) bool {
				return r == ' ' || r == ',' ||
					r == '='
			}), name) {
			t.Errorf("no script tries %q", head)
		}
	}
	if n := strings.Count(string(doc), "` | "); strings.Contains(string(doc), fmt.Sprintf("\n| %d | `", len(names)+1)) {
		t.Errorf("docs/testing.md lists more than %d quirks (%d)", len(names), n)
	}
}

// TestMeasuredQuirks holds the names that are known to happen always, from the reports of measurements: a quirk that is
// added goes to harsh unless it is one of them.
func TestMeasuredQuirks(t *testing.T) {
	measured := strings.Fields(
		`capped-scans empty-while-syncing unknown-header-null constraints-dropped bi-display-name bi-collision late-status
		stuck-cache metadata-not-active duplicate-cache-500 schedule-ignored schema-status-500 empty-export-fails missing-cache-400
		sample-of-nothing search-ghosts transpile-query-only leaky-errors whole-column counters-lie parameter-columns first-bad-value
		cache-own-table zone-fields`)
	for _, k := range hosted.AllQuirks() {
		if slices.Contains(measured, k.Name) != (k.Set == hosted.Hosted) {
			t.Errorf("%s: set %d", k.Name, k.Set)
		}
	}
}
