package cmd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
)

// columns lists the declared columns of a table, past the proxy; "none" for no table.
func (f *front) columns(kind, table string) string {
	f.t.Helper()
	list := f.api.Tables.Columns
	if kind == "bitable" {
		list = f.api.BITables.Columns
	}
	cols, err := list(f.t.Context(), gateway.DefaultProject, table)
	if err != nil {
		return "none"
	}
	names := []string{}
	for _, c := range cols {
		if !rowset.SystemColumn(c.Name) {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, " ")
}

func (f *front) file(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// TestCreateLooksFirst: a table that was there before is never touched, and one that this run made goes away with its
// failure, unless something came into it.
func TestCreateLooksFirst(t *testing.T) {
	f := newFront(t, "us")
	f.want(0, "table", "create", "people", "--column", "name:varchar")
	f.want(0, "table", "import", "people", f.file("people.csv", "name\nAda\n"))
	f.sent()
	for _, args := range [][]string{
		{"table", "create", "people", "--column", "age:bigint"}, {"table", "create", "PEOPLE", "--column",
			"name:varchar"},
		{"table", "create", "people", "--column", "name:varchar"},
	} {
		f.want(exitcode.Conflict, args...)
	}
	if sent := f.sent(); sent != "" || f.rows("people") != 1 {
		t.Errorf("sent %q, %d rows", sent, f.rows("people"))
	}

	refuse := replyWith(400, `{"errorCode":100,"message":"no such type"}`, false)
	for _, kind := range []string{"table", "bitable"} {
		add, del := spec.AddInternalColumns, spec.DeleteInternalTable
		if kind == "bitable" {
			add, del = spec.AddBiColumns, spec.DeleteBiTable
		}
		f.on(add, refuse)
		if errs := f.want(exitcode.Failed, kind, "create", "orders", "--column", "n:bigint"); f.columns(kind,
			"orders") != "none" || !strings.Contains(errs, "no such type") {
			t.Errorf("%s: %s", kind, errs)
		}
		f.on(del, replyWith(500, `{"message":"not now"}`, false))
		if errs := f.want(exitcode.Failed, kind, "create", "orders", "--column", "n:bigint"); !strings.Contains(errs,
			"remains: not now") {
			t.Errorf("%s: %s", kind, errs)
		}
		f.on(del, nil)
		f.want(0, kind, "delete", "orders", "--yes")
		f.on(add, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) { // somebody else is quicker
			more := f.api.Tables.AddColumns
			if kind == "bitable" {
				more = f.api.BITables.AddColumns
			}
			if _, err := more(t.Context(), gateway.DefaultProject, "orders",
				[]api.ColumnRequest{{Name: "theirs", DataType: "VARCHAR"}}); err != nil {
				t.Error(err)
			}
			refuse(w, r, pass)
		})
		if errs := f.want(exitcode.Failed, kind, "create", "orders", "--column", "n:bigint"); f.columns(kind,
			"orders") != "theirs" || !strings.Contains(errs, "columns that this run did not create") {
			t.Errorf("%s: %s, %s", kind, f.columns(kind, "orders"), errs)
		}
		f.on(add, nil)
		f.want(exitcode.Conflict, kind, "create", "orders", "--column", "n:bigint")
	}
}

// TestCreateFinishes: a run whose first request came through and whose second one did not is finished by the next one,
// however the first run ended, and by no other command.
func TestCreateFinishes(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"table", "bitable"} {
		f := newFront(t, "us")
		create, add := spec.CreateInternalTable, spec.AddInternalColumns
		if kind == "bitable" {
			create, add = spec.CreateBiTable, spec.AddBiColumns
		}
		args := func(name string) []string {
			return []string{kind, "create", name, "--column", "n:bigint", "--column", "t:varchar"}
		}
		for i, at := range []spec.Op{create, add} {
			for _, done := range []bool{false, true} {
				name := fmt.Sprintf("k%d%v", i, done)
				there, kill := make(chan bool), make(chan bool)
				f.on(at, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
					if done {
						pass()
					}
					close(there)
					<-kill
					panic(http.ErrAbortHandler)
				})
				c := exec.CommandContext(t.Context(), exe, args(name)...)
				c.Args[0] = "dig"
				for k, v := range f.env() {
					c.Env = append(c.Env, k+"="+v)
				}
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				<-there
				_ = c.Process.Kill()
				_ = c.Wait()
				close(kill)
				f.on(at, nil)
				f.want(0, args(name)...)
				if got := f.columns(kind, name); got != "n t" {
					t.Errorf("%s, killed at %s, done %v: columns %q", kind, at.ID, done, got)
				}
				f.want(exitcode.Conflict, args(name)...)
			}
		}
		// an answer that is lost, and columns that are there
		f.on(add, lose)
		f.want(0, args("lost")...)
		f.on(add, nil)
		// a table that got other columns in the meantime is left as it is
		f.on(add, replyWith(503, "", false))
		if errs := f.want(exitcode.Unavailable, args("changed")...); !strings.Contains(errs,
			"run the same command again") {
			t.Error(errs)
		}
		f.on(add, nil)
		f.want(0, kind, "column", "add", "changed", "other", "--type", "date")
		f.want(exitcode.Conflict, args("changed")...)
		if got := f.columns(kind, "changed"); got != "other" {
			t.Errorf("columns %q", got)
		}
	}
}

// TestCreateWhole: on zone local a table comes with its columns or not at all.
func TestCreateWhole(t *testing.T) {
	f := newFront(t, "local")
	for kind, op := range map[string]spec.Op{"table": spec.CreateWholeTable, "bitable": spec.CreateWholeBi} {
		f.want(0, kind, "create", "people", "--column", "name:varchar:notnull:unique", "--column",
			"age:bigint:default=7")
		if sent := f.sent(); sent != op.ID || f.columns(kind, "people") != "name age" {
			t.Errorf("sent %s, columns %s", sent, f.columns(kind, "people"))
		}
		f.want(exitcode.Failed, kind, "create", "bad", "--column", "age:bigint", "--column", "n:bigint:default=x")
		f.want(exitcode.Conflict, kind, "create", "people", "--column", "n:bigint")
		if f.columns(kind, "bad") != "none" || f.columns(kind, "people") != "name age" {
			t.Errorf("%s: %s, %s", kind, f.columns(kind, "bad"), f.columns(kind, "people"))
		}
		f.sent()
	}
	// a gateway that does not know how yet
	f.on(spec.CreateWholeTable, replyWith(404,
		`{"timestamp":"t","path":"p","status":404,"error":"Not Found","requestId":"r"}`, false))
	f.want(0, "table", "create", "older", "--column", "n:bigint")
	if sent := f.sent(); sent != "createWholeTable createInternalTable addInternalColumns" ||
		f.columns("table", "older") != "n" {
		t.Errorf("sent %s", sent)
	}
}

// TestImportCreate: what --create cannot make is refused before anything is sent, and a failure leaves no table that
// the run made.
func TestImportCreate(t *testing.T) {
	for _, zone := range []string{"us", "local"} {
		f := newFront(t, zone)
		kinds := []string{"table"}
		if zone == "local" {
			kinds = append(kinds, "bitable")
		}
		for _, kind := range kinds {
			for _, name := range append(slices.Clone(rowset.SystemNames), "_operation", "_ID", "Text") {
				if name == "text" {
					continue
				}
				errs := f.want(exitcode.Usage, kind, "import", "t", f.file("t.csv", name+",v\n1,2\n"), "--create")
				if sent := f.sent(); sent != "" || !strings.Contains(errs, `"`+name+`"`) {
					t.Errorf("%s: sent %s, %s", name, sent, errs)
				}
				other := "my" + strings.ToLower(strings.ReplaceAll(name, "_", ""))
				f.want(0, kind, "import", "t", f.file("t.csv", name+",v\n1,2\n"), "--create", "--map", other+"="+name,
					"--map", "v=v")
				if got := f.columns(kind, "t"); got != other+" v" {
					t.Errorf("%s: %s", name, got)
				}
				f.want(0, kind, "delete", "t", "--yes")
				f.sent()
			}
			for header, want := range map[string]string{"a,a": "a a_2", "a,A": "a A_2", ",b": "column_1 b",
				"a,\"b\nc\"": "a b c"} {
				errs := f.want(0, kind, "import", "t", f.file("t.csv", header+"\n1,2\n"), "--create")
				if kind == "bitable" {
					want = strings.ReplaceAll(want, "_", "")
				}
				if got := f.columns(kind, "t"); got != want || !strings.Contains(errs, "it is called") {
					t.Errorf("%q: columns %s: %s", header, got, errs)
				}
				f.want(0, kind, "delete", "t", "--yes")
			}
			f.sent()
			// the file is no table, so none is created
			if f.want(exitcode.Failed, kind, "import", "t", f.file("t.csv", "a,b\n1,2,3\n"),
				"--create"); f.sent() != "" {
				t.Errorf("%s: a table was created", kind)
			}
			// the rows are refused, so the table goes
			f.want(exitcode.Failed, kind, "import", "t", f.file("t.csv", "a,b\n1,2\n"), "--create", "--column",
				"b:date", "--no-check")
			if got := f.columns(kind, "t"); got != "none" {
				t.Errorf("%s: a table with columns %s is left", kind, got)
			}
			f.sent()
		}
		f.on(spec.AddInternalColumns, replyWith(400, `{"errorCode":100,"message":"syntax error at ["}`, false))
		f.on(spec.CreateWholeTable, replyWith(400, `{"errorCode":100,"message":"syntax error at ["}`, false))
		f.want(exitcode.Failed, "table", "import", "t", f.file("t.csv", "[,b\n1,2\n"), "--create")
		if got := f.columns("table", "t"); got != "none" {
			t.Errorf("a table with columns %s is left", got)
		}
		f.on(spec.AddInternalColumns, nil)
		f.on(spec.CreateWholeTable, nil)

		// a table that stood before stays
		f.want(0, "table", "create", "t", "--column", "a:bigint")
		f.want(exitcode.Failed, "table", "import", "t", f.file("t.csv", "a\nx\n"), "--create")
		if got := f.columns("table", "t"); got != "a" {
			t.Errorf("columns %s", got)
		}
		// an export brings the system's columns, which is said
		if errs := f.want(0, "table", "import", "t", f.file("t.csv", "_id,a\n1,2\n")); !strings.Contains(errs,
			"skipped, since the system sets them: _id") {
			t.Error(errs)
		}
	}
}

// TestCreateTold: a run that only tells tells of every request, in the form that the zone takes, and leaves no note.
func TestCreateTold(t *testing.T) {
	for zone, want := range map[string][2]int{"us": {2, 3}, "local": {1, 2}} {
		f := newFront(t, zone)
		for i, args := range [][]string{{"table", "create", "people", "--column", "n:bigint"},
			{"table", "import", "people", f.file("n.csv", "n\n1\n"), "--create"}} {
			for _, flag := range []string{"--dry-run", "--explain"} {
				code, out, errs := f.dig(append(args, flag)...)
				if n := strings.Count(out, "POST "); code != 0 || n != want[i] || f.sent() != "" {
					t.Errorf("%s: %v %s: exit %d, %d requests: %s%s", zone, args, flag, code, n, out, errs)
				}
			}
		}
		if _, err := os.Stat(filepath.Join(f.home, ".local", "state")); err == nil {
			t.Errorf("%s: a note is left", zone)
		}
	}
}

// TestUndoKeepsOtherRows: rows that another process imports into a table, while the import that created the table
// fails, are kept.
func TestUndoKeepsOtherRows(t *testing.T) {
	f := newFront(t, "local")
	bad, good := f.file("bad.csv", "a,b\n1,2\n"), f.file("good.csv", "a,b\n1,2024-01-01\n")
	f.on(spec.DropEmptyTable, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		f.want(0, "table", "import", "t", good)
		resp := pass()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	})
	errs := f.want(exitcode.Failed, "table", "import", "t", bad, "--create", "--column", "b:date", "--no-check")
	if n := f.rows("t"); n != 1 || !strings.Contains(errs, "was created and remains: table t has 1 rows") {
		t.Errorf("%d rows are left: %s", n, errs)
	}
}

// TestCreateKeepsConstraints: --column asks for a constraint that a table which exists does not have: that is an error
// before a row is sent.
func TestCreateKeepsConstraints(t *testing.T) {
	f := newFront(t, "local")
	f.want(0, "table", "import", "t", f.file("one.csv", "a,b\n1,x\n"), "--create")
	for _, word := range []string{"unique", "notnull"} {
		errs := f.want(exitcode.Usage, "table", "import", "t", f.file("two.csv", "a,b\n7,x\n7,y\n"), "--create",
			"--column", "a:BIGINT:"+word)
		if !strings.Contains(errs, "its column is not "+word) || f.rows("t") != 1 {
			t.Errorf("%d rows: %s", f.rows("t"), errs)
		}
	}
	f.want(0, "table", "import", "u", f.file("one.csv", "a,b\n1,x\n"), "--create", "--column", "a:BIGINT:unique")
	f.want(0, "table", "import", "u", f.file("three.csv", "a,b\n3,x\n"), "--create", "--column", "a:BIGINT:unique")
}
