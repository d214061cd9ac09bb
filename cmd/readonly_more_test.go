package cmd

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestReadOnlyEverywhere: apply, the shell and statements that write send nothing where nothing may be changed; what
// reads works.
func TestReadOnlyEverywhere(t *testing.T) {
	f := newFront(t, "local")
	f.ok("table", "create", "people", "--column", "name:varchar")
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/queries/q.sql", "SELECT 1 AS x\n")
	f.file("p/tables/t.yaml", "columns:\n  - name: a\n    type: bigint\n")
	f.file("w.sql", "SELECT 1 AS n;\nDELETE FROM peaka.\"table\".people;\n")
	var mu sync.Mutex
	var writes []string
	f.between(func(r *http.Request, pass func()) {
		raw, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(raw))
		op, _ := spec.Find(callOf(r))
		reads := op.ID != "" && !op.Changes() && (op.ID != spec.ExecuteQuery.ID || strings.Contains(string(raw),
			`"SELECT 7`) || strings.Contains(string(raw), `"SELECT 8`) || strings.Contains(string(raw),
			`"SELECT 1 AS n"`) || strings.Contains(string(raw), `"SHOW`))
		mu.Lock()
		if err != nil || !reads {
			writes = append(writes, r.Method+" "+r.URL.Path+" "+string(raw))
		}
		mu.Unlock()
		pass()
	})
	written := func() []string {
		mu.Lock()
		defer mu.Unlock()
		out := writes
		writes = nil
		return out
	}
	lines := [][]string{{"table", "create", "new", "--column", "a:bigint"}, {"table", "delete", "people", "--yes",
		"--confirm", "people"}, {"query", "create", "new", "--sql", "SELECT 1"}}
	for _, op := range spec.All() { // apply refuses before the first of them
		if op.Changes() && strings.HasPrefix(op.Path, "/data/projects/{projectId}/") && !op.Partner {
			path := strings.NewReplacer("{projectId}", "{project}", "{tableName}", "people").Replace(op.Path)
			for _, p := range op.Params() {
				path = strings.Replace(path, "{"+p+"}", "x1", 1)
			}
			lines = append(lines, []string{"api", op.Method, path})
		}
	}
	if len(lines) < 40 {
		t.Errorf("only %d lines", len(lines))
	}
	for _, protect := range []map[string]string{{"DIG_READ_ONLY": "1"}, {"DIG_PROTECT": "read-only"}} {
		f.vars = protect
		for _, args := range append([][]string{
			{"apply", "p", "--yes"}, {"apply", "p", "--yes", "--prune"}, {"apply", "p", "--yes", "--secrets"},
			{"sql", "DELETE FROM peaka.\"table\".people"}, {"sql", "CREATE TABLE t AS SELECT 1 AS n"}, {"sql", "w.sql"},
			{"query", "execute", "INSERT INTO peaka.\"table\".people VALUES ('x')"},
			{"query", "execute", "/* SELECT */ DROP TABLE peaka.\"table\".people"},
			{"query", "execute", "EXPLAIN ANALYZE DELETE FROM peaka.\"table\".people"},
			{"query", "execute", "WITH x AS (SELECT 1) DELETE FROM peaka.\"table\".people"},
			{"query", "execute", "CALL system.kill()"}, {"query", "execute", "GRANT SELECT ON t TO u"},
			{"query", "execute", "EXECUTE IMMEDIATE 'DELETE FROM t'"},
			{"query", "execute", "PREPARE p FROM DELETE FROM t"}, {"query", "execute", "SELECT 1; DELETE FROM t"},
			{"api", "POST", "/data/projects/{project}/queries/execute", "-f", "statement=TRUNCATE TABLE t"},
			{"api", "DELETE", "/data/projects/{project}/table/people"},
		}, lines...) {
			code, _, errs := f.dig(args...)
			if sent := written(); code == 0 || sent != nil {
				t.Errorf("%v %v: exit %d, sent %v: %s", protect, args, code, sent, errs)
			}
		}
		code, out, errs := f.digIn("SELECT 7 AS n;\nDELETE FROM peaka.\"table\".people;\nDROP TABLE "+
			"peaka.\"table\".people;\nSELECT 8 AS n;\n", "shell")
		if sent := written(); sent != nil || !strings.Contains(out, "7") || strings.Contains(errs, "panic") {
			t.Errorf("%v shell: exit %d, sent %v: %s%s", protect, code, sent, out, errs)
		}
		for _, args := range [][]string{{"plan", "p"}, {"diff", "p"}, {"pull", "q"}, {"sql", "SELECT 1 AS n"},
			{"query", "execute", "SHOW CATALOGS"}, {"table", "list"}} {
			if code, _, errs := f.dig(args...); code != 0 && code != 1 || strings.Contains(errs, "protect") {
				t.Errorf("%v %v: exit %d: %s", protect, args, code, errs)
			}
		}
	}
	f.between(nil)
	if f.rows("people") != 0 {
		t.Error("the table is gone")
	}
	f.vars = nil
	if code, _, _ := f.dig("plan", "p"); code != exitcode.Failed {
		t.Error("something was applied")
	}
}
