package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestHistoryShortened: entries that are added while another shell shortens the file are kept.
func TestHistoryShortened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.history")
	var old strings.Builder
	for n := range 2*maxEntries + 1 {
		fmt.Fprintf(&old, "\"old %d\"\n", n)
	}
	if err := os.WriteFile(path, []byte(old.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			h := &history{path: path}
			for n := range 25 {
				if w == 0 && n%5 == 0 {
					h.shorten()
				}
				h.keep(fmt.Sprintf("new %d %d", w, n))
			}
		})
	}
	all.Wait()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for w := range 4 {
		for n := range 25 {
			if !strings.Contains(string(raw), fmt.Sprintf("\"new %d %d\"\n", w, n)) {
				t.Errorf("entry %d of shell %d is missing", n, w)
			}
		}
	}
	if n := strings.Count(string(raw), "\n"); n > maxEntries+100 || strings.Contains(string(raw), "\"old 0\"") {
		t.Errorf("%d entries", n)
	}
}
