package gateway

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestQuirksDocumented: docs/testing.md lists every quirk under its number, and a script of testdata/script/quirks tries it.
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
		if row := fmt.Sprintf("\n| %d | `%s` | ", i+1, name); !strings.Contains(string(doc), row) {
			t.Errorf("docs/testing.md has no row %q", strings.TrimSpace(row))
		}
		if head := fmt.Sprintf("%d %s", i+1, name); !strings.Contains(scripts.String(), head) || !slices.Contains(strings.FieldsFunc(scripts.String(), func(r rune) bool { return r == ' ' || r == ',' }), name) {
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
	for _, name := range QuirkNames() {
		if !q.has(name) {
			t.Errorf("hosted lacks %s", name)
		}
	}
	if _, err = ParseQuirks([]string{"hosted", "odd"}); err == nil {
		t.Error("a quirk called odd")
	}
}
