package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestActionsArePinned: a workflow runs the commits that were looked at and tools of one version, whatever a tag says
// later.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	exact := regexp.MustCompile(`^v\d+\.\d+\.\d+$`)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(raw), "\n") {
			line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
			if what, ok := strings.CutPrefix(line, "uses: "); ok && !pinned.MatchString(what) {
				t.Errorf("%s:%d: %s is not pinned by commit with its version behind it", f, n+1, what)
			}
			if v, ok := strings.CutPrefix(line, "version: "); ok && !exact.MatchString(strings.Trim(v, `"`)) {
				t.Errorf("%s:%d: version %s is not one version", f, n+1, v)
			}
		}
	}
}
