//go:build cgo && linux

package duckdbfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/dbfile"
)

// TestSwappedParent opens a file while the folder above it is exchanged for a link to the gateway's own, after the look
// at it and before DuckDB opens it by name. Also when the link leads back at once, no table of the gateway is read.
func TestSwappedParent(t *testing.T) {
	base := t.TempDir()
	for dir, table := range map[string]string{"own": "secret", "mine": "harmless"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		fixture(t, filepath.Join(base, dir, "data.db"), "CREATE TABLE "+table+"(n INT)")
	}
	at := filepath.Join(base, "at")
	lead := func(to string) {
		t.Helper()
		if err := os.Symlink(to, at+".new"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(at+".new", at); err != nil {
			t.Fatal(err)
		}
	}
	var before, after string // where the link leads then
	p := newPool()
	opened := 0
	p.dbfile = func(path string, settings [][2]string) (*dbfile.File, error) {
		lead(before)
		f, err := dbfile.Open(path, settings)
		if err == nil {
			opened++
		}
		lead(after)
		return f, err
	}
	lead("mine")
	conn, err := p.open(connector.Credential{"path": filepath.Join(at, "data.db")},
		connector.Reach{Own: connector.NewOwn([]string{filepath.Join(base, "own")}, nil, 0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, before, after string
		reads               bool
	}{{"no exchange", "mine", "mine", true}, {"exchanged", "own", "own", false}, {"and back", "own", "mine", false}} {
		lead("mine")
		before, after = c.before, c.after
		tables, err := conn.Tables(t.Context(), "main")
		switch {
		case c.reads:
			if err != nil || len(tables) != 1 || tables[0].Name != "harmless" {
				t.Errorf("%s: %v, %v", c.name, tables, err)
			}
		case err == nil || !strings.Contains(err.Error(), "was replaced while it was opened"):
			t.Errorf("%s: %v, %v", c.name, tables, err)
		}
	}
	if opened < 3 {
		t.Errorf("DuckDB opened %d times: the exchange was not seen by it", opened)
	}
	if len(p.files) != 0 {
		t.Errorf("%d files are still open", len(p.files))
	}
}
