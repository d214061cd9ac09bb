package cmd

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	_ "modernc.org/sqlite"
)

// flip changes four bytes of a file.
func flip(at int64) func(string) error {
	return func(path string) error {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		b := make([]byte, 4)
		if _, err := f.ReadAt(b, at); err != nil {
			return err
		}
		for i := range b {
			b[i] ^= 0x5a
		}
		_, err = f.WriteAt(b, at)
		return err
	}
}

// copyOf copies a data directory, with the modes of its files.
func copyOf(from, to string) error {
	return errors.Join(os.CopyFS(to, os.DirFS(from)), os.Chmod(filepath.Join(to, "state.db"), 0o600))
}

// flipRows changes bytes in the blocks of the middle, behind those of the catalog and before those that imports read,
// the last of each column.
func flipRows(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	for at := st.Size() / 2 >> 18 << 18; at < st.Size()*3/4; at += 1 << 18 {
		err = errors.Join(err, flip(at+20_000)(path))
	}
	return err
}

func asFile(path string) error {
	return errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o600))
}

func asFolder(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }

func linkTo(target string) func(string) error {
	return func(path string) error { return errors.Join(os.Remove(path), os.Symlink(target, path)) }
}

func longer(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, raw...), 0o600)
}

func cut(size int64) func(string) error {
	return func(path string) error { return os.Truncate(path, size) }
}

// TestDamage: what only a repair mends is named with the remedy by each command that needs it, never as what may pass
// (exit code 5), nor as an empty project; doctor and `gateway verify` find it, and nothing is made worse.
func TestDamage(t *testing.T) {
	needLocal(t)
	home := t.TempDir()
	good := filepath.Join(home, "good")
	rows := filepath.Join(home, "rows.csv")
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 100_000 {
		fmt.Fprintf(&text, "%d,text%d\n", i, i*7919)
	}
	folder := filepath.Join(home, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{rows: text.String(), filepath.Join(home, "one.csv"): "a,b\n1,x\n",
		filepath.Join(folder, "f.csv"): "n\n1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(t *testing.T, data string, args ...string) (int, string, string) {
		t.Helper()
		return runDig(t, map[string]string{"DIG_DATA_DIR": data, "DIG_STATE_DIR": t.TempDir()}, args...)
	}
	must := func(t *testing.T, data string, args ...string) string {
		t.Helper()
		code, out, errs := run(t, data, args...)
		if code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, errs)
		}
		return out
	}
	must(t, good, "table", "import", "t", rows, "--create")
	must(t, good, "connection", "create", "folder", "--type", "files", "--credential", "path="+folder)
	must(t, good, "catalog", "create", "folder", "--connection", "folder")

	// A statement over a source opens no data file.
	const query, source, change = "SELECT count(*), max(b), max(a) FROM t", "SELECT * FROM folder.files.f", "import"
	data, state, key := "projects/localdev/data.duckdb", "state.db", "secret.key"
	for _, c := range []struct {
		name, file string
		harm       func(string) error
		fails      string // the statements that fail, others give what they gave before
		says       string
		seen       string // the part that doctor names, "" if only reading everything shows it
	}{
		{"no folder", "projects/localdev", os.RemoveAll, query + change + source, "does not exist", "project"},
		{"folder that is a file", "projects/localdev", asFile, query + change + source, "does not exist", "project"},
		{"folder of projects that is a file", "projects", asFile, query + change + source, "does not exist", "project"},
		{"data file that is a folder", data, asFolder, query + change + source, "is not a file", "project"},
		{"state that is a folder", state, asFolder, query + change + source, "is not a file", "state"},
		{"key that is a folder", key, asFolder, source, "is not a file", "secret.key"},
		{"no data file", data, os.Remove, query + change + source, "does not exist", "project"},
		{"empty data file", data, cut(0), query + change + source, "is empty", "project"},
		{"half a header", data, cut(5000), query + change + source, "its end is missing", "project"},
		{"half a data file", data, cut(600_000), query + change, "its end is missing", "project"},
		{"other contents", data, flip(8), query + change, "is damaged", "project"},
		{"flipped header", data, flip(20), query + change, "is damaged", "project"},
		{"flipped catalog", data, flip(100_000), query + change, "is damaged", "project"},
		{"flipped rows", data, flipRows, query, "is damaged", ""},
		{"no state", state, os.Remove, query + change + source, "is missing", "state"},
		{"empty state", state, cut(0), query + change + source, "is empty", "state"},
		{"other state", state, func(path string) error {
			return os.WriteFile(path, bytes.Repeat([]byte("text\n"), 5000),
				0o600)
		}, query + change + source, "is damaged", "state"},
		{"newer state", state, func(path string) error {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			defer db.Close()
			_, err = db.Exec("PRAGMA user_version = 999")
			return err
		}, query + change + source, "newer version", "state"},
		{"no key", key, os.Remove, source, "is missing", "secret.key"},
		{"empty key", key, cut(0), source, "does not have 32 bytes", "secret.key"},
		{"long key", key, longer, source, "does not have 32 bytes", "secret.key"},
		{"endless key", key, linkTo("/dev/zero"), source, "is not a file", "secret.key"},
		{"flipped key", key, flip(3), source, "is not the key", "secret.key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			if err := copyOf(good, dir); err != nil {
				t.Fatal(err)
			}
			if err := c.harm(filepath.Join(dir, filepath.FromSlash(c.file))); err != nil {
				t.Fatal(err)
			}
			lost := func(what string, code int, errs string) {
				t.Helper()
				if code != exitcode.Failed || !strings.Contains(errs, c.says) || !strings.Contains(errs, "hint: ") ||
					strings.Contains(errs, "again may help") {
					t.Errorf("%s: exit %d: %s", what, code, errs)
				}
			}
			check := func() { // both find it, before and after it was used
				t.Helper()
				code, out, errs := run(t, dir, "gateway", "verify", "-o", "json")
				var found []zone.Finding
				if err := json.Unmarshal([]byte(out), &found); err != nil {
					t.Fatalf("%v: %s%s", err, out, errs)
				}
				bad := 0
				for _, f := range found {
					if f.Status == zone.StatusDamaged {
						bad++
						if !strings.Contains(f.Problem, c.says) || f.Remedy == "" {
							t.Errorf("verify: %+v", f)
						}
					}
				}
				if bad != 1 || code != exitcode.Job {
					t.Errorf("verify: exit %d: %s", code, out)
				}
				code, out, _ = run(t, dir, "doctor", "-o", "json")
				if c.seen == "" && code != 0 || c.seen != "" && (code != exitcode.Job || !strings.Contains(out,
					`"failed","detail":"`+c.seen+" ") || !strings.Contains(out, c.says)) {
					t.Errorf("doctor: exit %d: %s", code, out)
				}
			}
			check()
			code, out, errs := run(t, dir, "sql", "-o", "csv", query)
			if strings.Contains(c.fails, query) {
				lost("a query", code, errs)
			} else if code != 0 || !strings.Contains(out, "100000,text") {
				t.Errorf("a query: exit %d: %s%s", code, out, errs)
			}
			code, _, errs = run(t, dir, "sql", "-o", "csv", source)
			if strings.Contains(c.fails, source) {
				lost("a source", code, errs)
			} else if code != 0 {
				t.Errorf("a source: exit %d: %s", code, errs)
			}
			code, _, errs = run(t, dir, "gateway", "backup", filepath.Join(t.TempDir(), "all.tar"))
			if strings.Contains(c.fails, query) {
				lost("a backup", code, errs)
			} else if code != 0 { // without the key
				t.Errorf("a backup: exit %d: %s", code, errs)
			}
			code, _, errs = run(t, dir, "table", "import", "t", filepath.Join(home, "one.csv"))
			if strings.Contains(c.fails, change) {
				lost("an import", code, errs)
			} else if code != 0 {
				t.Errorf("an import: exit %d: %s", code, errs)
			}
			if c.file == key { // nothing is sealed with another key, and none replaces the lost one unasked
				code, _, errs = run(t, dir, "connection", "create", "another", "--type", "files", "--credential",
					"path="+folder)
				lost("another connection", code, errs)
			}
			check()
		})
	}

	t.Run("another key", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		if err := copyOf(good, dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, key)); err != nil {
			t.Fatal(err)
		}
		must(t, dir, "gateway", "reset", "--key", "--yes")
		if code, _, errs := run(t, dir, "sql", source); code != exitcode.Failed || !strings.Contains(errs,
			"connection update") {
			t.Errorf("a credential of the lost key: exit %d: %s", code, errs)
		}
		must(t, dir, "connection", "update", "folder", "--credential", "path="+folder)
		if out := must(t, dir, "sql", "-o", "csv", source); out != "n\n1\n" {
			t.Errorf("after the update: %s", out)
		}
		must(t, dir, "gateway", "verify")
	})
	t.Run("deleted", func(t *testing.T) { // the remedy that gives the project up
		dir := filepath.Join(t.TempDir(), "data")
		must(t, dir, "project", "create", "other")
		must(t, dir, "table", "import", "t", rows, "--create", "--project", "other")
		must(t, dir, "gateway", "verify")
		if err := os.RemoveAll(filepath.Join(dir, "projects")); err != nil {
			t.Fatal(err)
		}
		must(t, dir, "project", "delete", "other", "--yes", "--confirm", "other")
		must(t, dir, "gateway", "verify")
	})
}
