//go:build linux

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// around does something before and after a connection is made.
type around struct {
	driver        driver.Driver
	name          string
	before, after func()
}

func (a *around) Driver() driver.Driver { return a.driver }

func (a *around) Connect(context.Context) (driver.Conn, error) {
	a.before()
	defer a.after()
	return a.driver.Open(a.name)
}

// TestSwappedParent opens a file while the folder above it is exchanged for a link to the gateway's own, after the look
// at it and before SQLite opens it by name. Also when the link leads back at once, no table of the gateway is read.
func TestSwappedParent(t *testing.T) {
	base := t.TempDir()
	for dir, text := range map[string]string{"own": "CREATE TABLE secret(n INT); PRAGMA application_id = 77",
		"mine": "CREATE TABLE harmless(n INT)"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", filepath.Join(base, dir, "data.db"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
		db.Close()
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
	lead("mine")
	conn, err := Type().Open(connector.Credential{"path": filepath.Join(at, "data.db")},
		connector.Reach{Own: connector.NewOwn([]string{filepath.Join(base, "own")}, nil, 77)})
	if err != nil {
		t.Fatal(err)
	}
	f := conn.(*file)
	a := &around{driver: f.db.Driver(), name: "file:" + filepath.Join(at, "data.db") + "?mode=ro"}
	f.db.Close()
	f.db = sql.OpenDB(a)
	defer conn.Close()
	f.db.SetMaxIdleConns(0)
	for _, c := range []struct {
		name, before, after string
		ok                  func(error) bool
	}{
		{"no exchange", "mine", "mine", func(err error) bool { return err == nil }},
		{"exchanged", "own", "own", func(err error) bool {
			return err != nil && strings.Contains(err.Error(), "was replaced while it was opened")
		}},
		{"and back", "own", "mine", func(err error) bool { return errors.Is(err, connector.ErrOwn) }},
	} {
		lead("mine")
		a.before, a.after = func() { lead(c.before) }, func() { lead(c.after) }
		tables, err := conn.Tables(t.Context(), "main")
		if !c.ok(err) || err == nil && (len(tables) != 1 || tables[0].Name != "harmless") {
			t.Errorf("%s: %v, %v", c.name, tables, err)
		}
	}
}
