package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestZoneLocalThatDoesNotOpen: the error says so, and names the directory; it is none of a network.
func TestZoneLocalThatDoesNotOpen(t *testing.T) {
	needLocal(t)
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{}}
	w.env["HOME"], w.env["DIG_DATA_DIR"] = w.dir, filepath.Join(w.dir, "data")
	spoil := func(name, text string) {
		path := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spoil("data/state.db", strings.Repeat("no database ", 1000))
	spoil("work/x", "")
	check := func(hint string) {
		t.Helper()
		// which does not ask about dependants that it cannot look up
		code, _, errs := w.run("table", "delete", "t", "--yes")
		if code != 1 || !strings.HasPrefix(errs, "dig: cannot open zone local: ") {
			t.Errorf("exit %d: %s", code, errs)
		}
		code, _, errs = w.run("table", "list")
		if code != 1 || !strings.HasPrefix(errs, "dig: cannot open zone local: ") || !strings.Contains(errs,
			"hint: "+hint) || strings.Contains(errs, "localhost") {
			t.Errorf("exit %d: %s", code, errs)
		}
	}
	check("stop all dig processes and restore the data directory from a backup")
	w.env["DIG_DATA_DIR"] = filepath.Join(w.dir, "work", "x", "data")
	check("its data is in " + w.env["DIG_DATA_DIR"])
}
