package cmd

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dig-cli/dig/pkg/spec"
)

// TestPruneNamesDependants: what depends on an object that prune deletes is named by the plan, also if --only leaves
// its kind out, and the name of the object is needed then.
func TestPruneNamesDependants(t *testing.T) {
	f := newFront(t, "local")
	f.file("data/a.csv", "id\n1\n")
	f.ok("table", "create", "t", "--column", "a:bigint")
	f.ok("table", "create", "free", "--column", "a:bigint")
	f.ok("bitable", "create", "b", "--column", "a:bigint")
	f.ok("connection", "create", "c", "--type", "files", "--credential", "path="+filepath.Join(f.home, "data"))
	f.ok("catalog", "create", "k", "--connection", "c")
	f.ok("query", "create", "qt", "--sql", `SELECT a FROM peaka."table".t`)
	f.ok("query", "create", "qb", "--sql", "SELECT a FROM peaka.bitable.b")
	f.ok("query", "create", "qk", "--sql", "SELECT * FROM k.files.a")
	f.file("p/dig.yaml", "version: 1\n")
	f.sent()
	for only, c := range map[string]struct{ plan, name string }{
		"tables":      {"t (without rows); breaks query qt\n", "t"},
		"bitables":    {"b (without rows); breaks query qb\n", "b"},
		"catalogs":    {"k; breaks query qk\n", "k"},
		"connections": {"c; breaks catalog k, query qk\n", "c"},
	} {
		if _, out, _ := f.dig("plan", "p", "--prune", "--only", only); !strings.Contains(out, c.plan) {
			t.Errorf("%s: %s", only, out)
		}
		for _, more := range [][]string{nil, {"--confirm", "nosuch"}} {
			if errs := f.want(9, append([]string{"apply", "p", "--prune", "--yes", "--only", only},
				more...)...); more == nil && !strings.Contains(errs, "--yes --confirm "+c.name+"\n") {
				t.Errorf("%s: %s", only, errs)
			}
		}
	}
	if sent := f.sent(); sent != "" {
		t.Errorf("sent: %s", sent)
	}
	if _, out, _ := f.dig("plan", "p", "--prune", "--only", "tables", "-o", "json"); !strings.Contains(out,
		`"breaks":["query qt"]`) || strings.Count(out, "breaks") != 1 {
		t.Errorf("%s", out)
	}
	f.ok("apply", "p", "--prune", "--yes", "--only", "tables", "--confirm", "t")
	f.ok("apply", "p", "--prune", "--yes") // what depends on the rest goes too
}

// TestPlanNamesWhatBreaks: what depends on a deleted object through others is named too, and so is what a new name of a
// column or query breaks.
func TestPlanNamesWhatBreaks(t *testing.T) {
	f := newFront(t, "local")
	f.ok("table", "create", "t", "--column", "a:bigint", "--column", "b:bigint")
	f.ok("query", "create", "q1", "--sql", `SELECT a, b FROM peaka."table".t`)
	f.ok("query", "create", "q2", "--sql", "SELECT a FROM peaka.query.q1")
	f.ok("query", "create", "q3", "--sql", "SELECT a FROM peaka.query.q2")
	f.ok("query", "create", "off", "--sql", "SELECT 1 AS a")
	f.file("p/dig.yaml", "version: 1\n")
	plan := func(want string, args ...string) {
		t.Helper()
		code, out, errs := f.dig(append([]string{"plan", "p"}, args...)...)
		if code != 1 || !strings.Contains(out, want+"\n") {
			t.Errorf("%q: exit %d: %s%s", args, code, out, errs)
		}
	}
	plan("t (without rows); breaks query q1, query q2, query q3", "--prune", "--only", "tables")
	if errs := f.want(9, "apply", "p", "--prune", "--yes", "--only", "tables"); !strings.Contains(errs,
		"breaks query q1, query q2, query q3") {
		t.Error(errs)
	}
	f.file("p/queries/q1.sql", "SELECT 1 AS a, 2 AS b") // reads the table no more
	f.file("p/tables/t.yaml", "columns:\n  - name: b\n    type: bigint\n")
	plan("t.a (without values)", "--prune", "--only", "tables,queries", "--no-check")

	f.file("p/queries/q1.sql", `SELECT a, b FROM peaka."table".t`)
	f.file("p/tables/t.yaml",
		"columns:\n  - name: c\n    type: bigint\n    renamed-from: a\n  - name: b\n    type: bigint\n")
	if errs := f.want(2, "plan", "p"); !strings.Contains(errs, "queries/q1.sql:1:8: Column 'a' cannot be resolved") {
		t.Error(errs)
	}
	plan("t.c; breaks query q1, query q2, query q3", "--no-check")
	plan("t.c; breaks query q1, query q2, query q3", "--only", "tables")
	f.file("p/queries/q1.sql", `SELECT c AS a, b FROM peaka."table".t`)
	plan("t.c")
	f.file("p/tables/t.yaml", "columns:\n  - name: c\n    type: bigint\n    renamed-from: a\n  - name: a\n    type: "+
		"bigint\n    renamed-from: b\n")
	plan("t.c", "--only", "tables") // another column gets the name
	plan("t.a; breaks query q1, query q2, query q3", "--only", "tables")
	f.file("p/tables/t.yaml", "columns:\n  - name: a\n    type: bigint\n  - name: b\n    type: bigint\n")

	f.file("p/queries/q1.sql", "SELECT 1 AS a")
	f.file("p/queries/q4.sql", "SELECT a FROM peaka.query.q2")
	f.file("p/queries/q4.yaml", "renamed-from: q3\n")
	f.file("p/queries/q5.sql", `SELECT a FROM peaka."table".t`)
	f.file("p/queries/q5.yaml", "renamed-from: q2\n")
	if code, _, errs := f.dig("plan", "p"); code != 2 || !strings.Contains(errs,
		"q4 reads peaka.query.q2, which would be called q5") {
		t.Errorf("exit %d: %s", code, errs)
	}
	plan("q5; breaks query q4", "--no-check")
	f.file("p/queries/q4.sql", "SELECT a FROM peaka.query.q5")
	plan("q5")
	f.ok("query", "create", "late", "--sql", "SELECT a FROM peaka.query.q2") // which the files lack
	plan("q5; breaks query late")
	f.ok("apply", "p", "--yes")

	f.ok("query", "materialize", "q5", "--wait")
	f.ok("query", "create", "stored", "--sql", "SELECT a FROM peaka.mtquery.q5")
	plan("q5; breaks query stored")
}

// TestPruneLooksForDependants: what has come to depend on an object since the plan keeps it from being deleted.
func TestPruneLooksForDependants(t *testing.T) {
	f := newFront(t, "local")
	for _, name := range []string{"t1", "t2"} {
		f.ok("table", "create", name, "--column", "a:bigint")
	}
	f.file("p/dig.yaml", "version: 1\n")
	f.on(spec.DeleteInternalTable, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		lose := filepath.Base(r.URL.Path) == "t1"
		res := pass()
		if lose {
			f.ok("query", "create", "late", "--sql", `SELECT a FROM t2`)
		}
		w.WriteHeader(res.StatusCode)
	})
	if errs := f.want(6, "apply", "p", "--prune", "--yes", "--only", "tables"); !strings.Contains(errs,
		"table t2 is now used by query late, unlike when the plan was created; it is not deleted") {
		t.Error(errs)
	}
	if _, out, _ := f.dig("table", "list"); !strings.Contains(out, "t2") || strings.Contains(out, "t1") {
		t.Error(out)
	}
}

// TestDryRunOfNestedFolders: a folder that is to be created in another one has no id of its parent yet.
func TestDryRunOfNestedFolders(t *testing.T) {
	f := newFront(t, "us")
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/queries/a/b/c/q.sql", "SELECT 1 AS x")
	for _, more := range [][]string{nil, {"-o", "json"}} {
		if code, out, errs := f.dig(append([]string{"apply", "p", "--dry-run", "--yes"}, more...)...); code != 0 ||
			!strings.Contains(out, "id-of-a-b") {
			t.Errorf("%v: exit %d: %s%s", more, code, out, errs)
		}
	}
}

// TestApplyIgnoresCase: a table or column that the files write in another case is the same, on each run.
func TestApplyIgnoresCase(t *testing.T) {
	f := newFront(t, "local")
	f.ok("table", "create", "t", "--column", "c:bigint")
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/tables/T.yaml", "columns:\n  - name: C\n    type: bigint\n")
	f.want(0, "diff", "p")
	f.file("p/tables/T.yaml",
		"columns:\n  - name: C\n    type: varchar\n    description: changed\n  - name: d\n    type: bigint\n")
	f.ok("apply", "p", "--prune", "--yes")
	f.want(0, "diff", "p")
	if _, out, _ := f.dig("table", "column", "list", "t", "--jq", ".[].name"); !strings.Contains(out, "c\nd\n") {
		t.Error(out)
	}
}

// TestPruneKeepsNewRows: a table or column that has got rows since the plan is not deleted; what nobody has touched is.
func TestPruneKeepsNewRows(t *testing.T) {
	for _, zone := range []string{"local", "us"} {
		f := newFront(t, zone)
		f.file("a.csv", "a,b\n1,x\n2,y\n")
		f.file("b.csv", "b\nz\n")
		f.file("p/dig.yaml", "version: 1\n")
		f.file("p/tables/t2.yaml", "columns:\n  - name: b\n    type: varchar\n")
		for _, name := range []string{"t1", "t2"} {
			f.ok("table", "create", name, "--column", "a:bigint", "--column", "b:varchar")
			f.ok("table", "import", name, "a.csv")
		}
		if _, out, _ := f.dig("plan", "p", "--prune"); !strings.Contains(out, "t1 (with 2 rows)\n") ||
			!strings.Contains(out, "t2.a (with 2 values)\n") {
			t.Error(out)
		}
		late := func(file string, op spec.Op) {
			var done atomic.Bool // columns are listed in parallel
			f.on(op, func(w http.ResponseWriter, _ *http.Request, pass func() *http.Response) {
				res := pass()
				if done.CompareAndSwap(false, true) {
					for _, name := range []string{"t1", "t2"} {
						f.dig("table", "import", name, file, "--again")
					}
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(res.StatusCode)
				_, _ = io.Copy(w, res.Body)
			})
		}
		late("a.csv", spec.ListInternalColumns) // while the plan is created: they are counted
		f.dig("plan", "p", "--prune")
		late("a.csv", spec.CreateQueryFolder) // after the plan
		f.file("p/queries/new/.folder.yaml", "{}\n")
		f.sent()
		errs := f.want(6, "apply", "p", "--prune", "--yes", "--only", "tables,queries")
		if !strings.Contains(errs, "have changed since the plan was created, from 4 to 6; it is not deleted") ||
			strings.Contains(f.sent(), "deleteInternal") {
			t.Error(errs)
		}
		if n := f.rows("t1"); n != 6 {
			t.Errorf("%d rows", n)
		}
		f.ok("apply", "p", "--prune", "--yes", "--only", "tables,queries")
		if n := f.rows("t1"); n != -1 || f.rows("t2") != 6 {
			t.Errorf("%d rows", n)
		}
	}
}
