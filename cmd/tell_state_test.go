package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tellReads are commands that read all that a gateway keeps, most of them with handlers that put in order what they
// find.
var tellReads = []string{
	"project list", "table list", "table column list people", "table sample people", "query list",
	"query get people_names", "query execute SELECT~name~FROM~people", "export list", "cache list",
	"cache history sample shop orders",
	"materialized list", "metadata status sample", "metadata list", "catalog list",
	"catalog columns peaka table people", "catalog columns ext files rows", "connection list", "semantic-catalog list",
	"workspace create w", "table create t --column a:varchar", "query create q --sql SELECT~1",
	"export query people_names --wait", "check", "gateway compact", "gateway compact --project localdev",
}

// TestTellingOnDirectoriesAsFound runs commands that only tell on data directories that a real run would put in order:
// those of earlier releases, and one that a killed process has left.
func TestTellingOnDirectoriesAsFound(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	earlier, err := filepath.Glob("../pkg/gateway/testdata/earlier/*.tar.gz")
	if err != nil || len(earlier) == 0 {
		t.Fatal(err)
	}
	for _, path := range earlier {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".tar.gz"), func(t *testing.T) {
			w := newBareWorld(t)
			if out, err := exec.Command("tar", "-xzf", path, "-C", w.env["DIG_DATA_DIR"]).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			w.tellsAll(t, tellReads[:10])
		})
	}
	t.Run("killed", func(t *testing.T) {
		whole := newTellWorld(t)
		whole.must("project", "create", "untouched")
		whole.must("query", "create", "people_names", "--sql", "SELECT name FROM people")
		whole.serve("us", nil)
		whole.must("table", "create", "late", "--column", "name:varchar")
		whole.must("workspace", "create", "late")
		whole.must("export", "query", "people_names", "--wait")
		w := newBareWorld(t) // a copy of the files of a process that has them open is what its kill would leave
		if err := os.CopyFS(w.env["DIG_DATA_DIR"], os.DirFS(whole.env["DIG_DATA_DIR"])); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"runners/00000000-0000-4000-8000-000000000000", "exports/orphan",
			"projects/localdev/incoming/x", "projects/localdev/tmp/x", "projects/localdev/compacting/data.duckdb",
			".secret-1"} {
			path := filepath.Join(w.env["DIG_DATA_DIR"], name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.tellsAll(t, append(tellReads, "table list --project untouched", "query execute SELECT~1 --project untouched"))
		_, out, errs := w.run("catalog", "columns", "peaka", "table", "late", "--dry-run", "-o", "csv")
		if !strings.Contains(out, "\nname,") {
			t.Errorf("the log of a killed process was not read: %s%s", out, errs)
		}
	})
}

// newBareWorld is a tellWorld without anything in it.
func newBareWorld(t *testing.T) *tellWorld {
	w := &tellWorld{t: t, dir: t.TempDir(), env: map[string]string{"DIG_KEY_STORAGE": "file"}}
	for name, sub := range map[string]string{"HOME": "home", "DIG_DATA_DIR": "data", "DIG_CONFIG_DIR": "config",
		"DIG_STATE_DIR": "state", "DIG_CACHE_DIR": "cache", "TMPDIR": "tmp", "W": "work"} {
		w.env[name] = filepath.Join(w.dir, sub)
		if err := os.MkdirAll(w.env[name], 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TMPDIR", w.env["TMPDIR"])
	return w
}

func (w *tellWorld) tellsAll(t *testing.T, lines []string) {
	t.Helper()
	was := w.tree()
	for _, line := range lines {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		for _, flag := range []string{"--dry-run", "--explain"} {
			_, out, errs := w.run(append(args, flag)...)
			if is := w.tree(); len(changes(was, is)) > 0 {
				t.Errorf("%s %s changed %v", line, flag, changes(was, is))
				was = is
			}
			if strings.Contains(errs, "read-only") || strings.Contains(errs, "internal error") {
				t.Errorf("%s %s: %s%s", line, flag, out, errs)
			}
		}
	}
}

// TestTellingEveryRequest: what takes several requests on a hosted zone is told of as such.
func TestTellingEveryRequest(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	w.serve("us", nil)
	for line, want := range map[string]int{"table create new --column name:varchar": 2,
		"bitable create new --column name:varchar": 2, "table import new $CSV --create": 3} {
		code, out, errs := w.run(append(strings.Fields(w.vars.Replace(line)), "--dry-run")...)
		if code != 0 || steps(out) != want {
			t.Errorf("%s: exit %d, %d steps told, want %d\n%s%s", line, code, steps(out), want, out, errs)
		}
		if _, out, _ = w.run(append(strings.Fields(w.vars.Replace(line)), "--explain")...); strings.Count(out,
			"curl -sS -X POST") != want {
			t.Errorf("%s --explain tells of %d requests, want %d\n%s", line, strings.Count(out, "curl -sS -X POST"),
				want, out)
		}
	}
}

// TestBatchTellsInOrder: requests of statements that would run at once are told of whole and in the order of the
// statements.
func TestBatchTellsInOrder(t *testing.T) {
	needLocal(t)
	w := newBareWorld(t)
	var sql strings.Builder
	var want []string
	for n := range 40 {
		fmt.Fprintf(&sql, "SELECT 1%04d;", n)
		want = append(want, fmt.Sprintf("SELECT 1%04d", n))
	}
	path := filepath.Join(w.dir, "many.sql")
	if err := os.WriteFile(path, []byte(sql.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, form := range map[string]string{
		"--dry-run": `(?m)^POST http://\S+\nContent-Type: .*\n\n\{\n(?:  .*\n)*?  "statement": "(SELECT \d+)",?\n(?: ` +
			` .*\n)*\}$`,
		"--explain": `(?m)^curl -sS -X POST 'http://\S+' .*"statement":"(SELECT \d+)".*$`,
	} {
		code, out, errs := w.run("query", "execute", "-f", path, "--jobs", "16", "--keep-going", flag)
		var got []string
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(out, -1) {
			got = append(got, m[1])
		}
		if code != 0 || !slices.Equal(got, want) || strings.Count(out, "SELECT") != len(want) {
			t.Errorf("%s: exit %d, %q\n%s%s", flag, code, got, out, errs)
		}
	}
	code, out, errs := w.run("query", "execute", "-f", path, "--jobs", "16", "--keep-going", "--dry-run", "-o", "json")
	var got []string
	for _, s := range stepsOf(t, "query execute", out) {
		var body struct{ Statement string }
		if err := json.Unmarshal(s.Body, &body); err != nil {
			t.Error(err)
		}
		got = append(got, body.Statement)
	}
	if code != 0 || !slices.Equal(got, want) {
		t.Errorf("-o json: exit %d, %q\n%s", code, got, errs)
	}
}
