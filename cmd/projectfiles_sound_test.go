package cmd

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestPlanFindsBefore: what apply would fail at in the middle, or break, is found by plan, and apply sends nothing
// then.
func TestPlanFindsBefore(t *testing.T) {
	f := newFront(t, "local")
	f.file("data/a.csv", "id\n1\n")
	f.ok("table", "create", "sales", "--column", "day:date")
	f.ok("bitable", "create", "ab", "--column", "x:bigint")
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/bitables/ab.yaml", "columns:\n  - name: x\n    type: bigint\n")
	f.file("p/queries/uses.sql", `SELECT * FROM peaka."table".sales`)
	f.ok("apply", "p", "--yes")
	f.sent()
	for file, c := range map[string]struct{ text, want string }{
		"queries/🦆.sql": {"SELECT 1 AS x", "must contain a letter or a digit"},
		"tables/" + strings.Repeat("ü", 32) + ".yaml": {"columns:\n  - name: a\n    type: bigint\n",
			"has 64 bytes, the limit is 63"},
		"bitables/" + strings.Repeat("_", 3) + ".yaml": {"columns:\n  - name: a\n    type: bigint\n",
			"is empty without its underscores"},
		"tables/long.yaml": {"columns:\n  - name: " + strings.Repeat("x", 64) + "\n    type: bigint\n",
			"long.yaml:2: column name \"" + strings.Repeat("x", 64) + "\" has 64 bytes"},
		"tables/sales.yaml": {"columns:\n  - name: day\n    type: date\n  - name: " + strings.Repeat("y", 70) +
			"\n    type: bigint\n", "has 70 bytes"},
		"bitables/a_b.yaml": {"columns: []\n",
			"table a_b would be stored as ab, which is the name of another table"},
		"bitables/my_table.yaml": {"columns: []\n", "table my_table would be stored as mytable: name it without them"},
		"bitables/other.yaml": {"columns:\n  - name: c_d\n    type: bigint\n", "other.yaml:2: underscores are " +
			"dropped from the names of BI tables and their columns, so column c_d would be stored as cd"},
		"queries/none.sql": {"-- only a comment\n", "none.sql:1:"},
		"queries/merge.sql": {"SELECT 1 AS x\n<<<<<<< HEAD\n, 2 AS y\n=======\n, 3 AS y\n>>>>>>> b\n",
			"merge.sql:2:1: "},
		"queries/syntax.sql": {"SELECT a\nFORM t", "syntax.sql:2:6: "},
		"queries/self.sql":   {"SELECT * FROM peaka.query.self", "queries read each other: self -> self"},
		"queries/nope.sql": {`SELECT * FROM peaka."table".nope`,
			"reads peaka.table.nope, which is neither in the files nor in the project"},
		"connections/x.yaml":  {"type: fil\n", `no connection type "fil"; did you mean "files"?`},
		"connections/y.yaml":  {"type: files\ncredential:\n  pth: /x\n", "credential path is missing"},
		"queries/again.yaml":  {"renamed-from: uses\n", "again.sql, with the statement, is missing"},
		"metadata/peaka.yaml": {"{}", "reads peaka.table.sales, which would be deleted"},
	} {
		path := f.file("p/"+file, c.text)
		for _, args := range [][]string{{"plan", "p", "--prune"}, {"apply", "p", "--prune", "--yes"}} {
			if errs := f.want(2, args...); !strings.Contains(errs, c.want) {
				t.Errorf("%s: %v says %s", file, args, errs)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if sent := f.sent(); strings.Contains(sent, "create") {
		t.Errorf("sent: %s", sent)
	}
	f.file("p/queries/nope.sql", `SELECT * FROM peaka."table".nope`)
	if errs := f.want(0, "apply", "p", "--yes", "--no-check"); !strings.Contains(errs,
		"the metadata of peaka.query.nope is left out") {
		t.Errorf("a query without its table: %s", errs)
	}
	f.want(0, "pull", "q") // it does not keep the rest from being read, or itself from being mended
	f.file("p/queries/nope.sql", "SELECT 1 AS x")
	f.want(1, "plan", "p")
	f.want(0, "apply", "p", "--yes")
	f.want(0, "diff", "p", "--only", "queries")
}

// TestPlanFindsFormerNames: files that still refer to a query or connection by the name that they say it had before are
// refused by plan; apply would have created a semantic table again, and found out afterwards.
func TestPlanFindsFormerNames(t *testing.T) {
	f := newFront(t, "local")
	f.file("data/a.csv", "id\n1\n")
	f.ok("connection", "create", "c1", "--type", "files", "--credential", "path="+filepath.Join(f.home, "data"))
	f.ok("catalog", "create", "k", "--connection", "c1")
	f.ok("query", "create", "q1", "--sql", "SELECT 1 AS n")
	f.ok("semantic-catalog", "create", "kpi")
	f.ok("semantic-catalog", "table", "create", "kpi", "s.n", "--query", "q1")
	f.ok("pull", "p")
	p := filepath.Join(f.home, "p")
	if err := errors.Join(os.Rename(p+"/queries/q1.sql", p+"/queries/q2.sql"), os.Rename(p+"/connections/c1.yaml",
		p+"/connections/c2.yaml")); err != nil {
		t.Fatal(err)
	}
	f.file("p/queries/q2.yaml", "renamed-from: q1\n")
	f.file("p/connections/c2.yaml", "renamed-from: c1\ntype: files\ncredential:\n  path: "+
		filepath.Join(f.home, "data")+"\n")
	f.sent()
	for _, verb := range []string{"plan", "apply"} {
		errs := f.want(2, verb, "p", "--yes")
		for _, want := range []string{`catalogs/k.yaml:1: the connection "c1" would be called "c2"`,
			`semantic-catalogs/kpi.yaml:2: the query "q1" would be called "q2"`} {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: %s", verb, errs)
			}
		}
	}
	if sent := f.sent(); sent != "" {
		t.Errorf("sent: %s", sent)
	}
	f.file("p/catalogs/k.yaml", "connection: c2\n")
	f.file("p/semantic-catalogs/kpi.yaml", "tables:\n  s.n: q2\n")
	f.ok("apply", "p", "--yes")
	if sent := f.sent(); sent != "updateConnection updateQuery" {
		t.Errorf("sent: %s", sent)
	}
}

// TestCredentialsAreCompared: a field that only the files have is a difference, unless it is a secret, which no gateway
// tells.
func TestCredentialsAreCompared(t *testing.T) {
	f := newFront(t, "local")
	f.file("data/a.csv", "id\n1\n")
	f.file("p/dig.yaml", "version: 1\n")
	text := "type: files\ncredential:\n  path: " + filepath.Join(f.home, "data") + "\n"
	f.file("p/connections/c.yaml", text)
	f.ok("apply", "p", "--yes")
	for more, want := range map[string]int{"": 0, "  pattern: \"*.csv\"\n": 1, "  token: abcdef\n": 0,
		"  pattern: ${env:NOT_SET}\n": 0, "  pattern: \"\"\n": 0} {
		f.file("p/connections/c.yaml", text+more)
		f.want(want, "plan", "p")
	}
	f.file("p/connections/c.yaml", text+"  pattern: \"*.csv\"\n")
	f.ok("apply", "p", "--yes")
	f.want(0, "diff", "p")
}

// TestSecretsInTexts: a key in a parameter of an address, or in a document that is a text, is not pulled.
func TestSecretsInTexts(t *testing.T) {
	f := newFront(t, "local")
	f.file("data/a.csv", "id\n1\n")
	f.ok("connection", "create", "c", "--type", "files", "--credential", "path="+filepath.Join(f.home, "data"))
	f.on(spec.GetConnectionDetail, func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w,
			`{"type":"files","path":"/data","url":"https://host/x?page=1&api_key=hidden1","jdbc":"jdbc:sqlserver://host;user=me;password=hidden2",
"tables":"{\"tables\":[{\"name\":\"t\",\"query\":{\"apiKey\":\"hidden3\"}}]}","open":"{\"tables\":[{\"name\":\"token\",\"types\":{\"token\":\"varchar\"}}]}"}`)
	})
	f.ok("pull", "p")
	text := filesOf(t, filepath.Join(f.home, "p"))["connections/c.yaml"]
	if strings.Contains(text, "hidden") || !strings.Contains(text, "path: /data") || !strings.Contains(text, "open:") {
		t.Errorf("the file is\n%s", text)
	}
}

// TestSecretsOfFiles: what is in a file of a secret is sent as it is meant, or refused.
func TestSecretsOfFiles(t *testing.T) {
	f := newFront(t, "local")
	url := secretSource(t)
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/connections/shop.yaml", "type: rest\ncredential:\n  baseUrl: "+url+
		"\n  tables: '{\"tables\":[{\"name\":\"items\",\"path\":\"/items\"}]}'\n  secret: ${file:token}\n")
	for text, want := range map[string]string{"": "is empty", "\r\n": "is empty", "\xef\xbb\xbf\n": "is empty",
		"\xff\xfea\x00": "is not text in UTF-8", "a\x00b": "is not text in UTF-8"} {
		f.file("p/token", text)
		if errs := f.want(2, "apply", "p", "--yes"); !strings.Contains(errs, want) {
			t.Errorf("%q: %s", text, errs)
		}
	}
	for _, text := range []string{projectSecret, "\xef\xbb\xbf" + projectSecret + "\r\n"} {
		f.file("p/token", text)
		f.ok("apply", "p", "--yes", "--secrets")
	}
}

// TestSecretsInDocuments: a secret arrives as it is within the text of a JSON document, whatever characters it has.
func TestSecretsInDocuments(t *testing.T) {
	f := newFront(t, "local")
	const odd = "a\"b\\c<&>\n${env:X}'d"
	f.vars = map[string]string{"ODD": odd}
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/connections/shop.yaml", "type: rest\ncredential:\n  baseUrl: "+secretSource(t)+
		"\n  secret: ${env:ODD}\n  tables: "+
		"'{\"tables\":[{\"name\":\"items\",\"path\":\"/items\",\"query\":{\"key\":\"x ${env:ODD}\"}}]}'\n")
	var got string
	f.on(spec.CreateConnection, func(w http.ResponseWriter, r *http.Request, _ func() *http.Response) {
		var body struct {
			Credential struct{ Secret, Tables string }
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		var doc struct {
			Tables []struct{ Query struct{ Key string } }
		}
		if err = errors.Join(err, json.Unmarshal([]byte(body.Credential.Tables), &doc)); err != nil ||
			len(doc.Tables) != 1 || body.Credential.Secret != odd {
			t.Errorf("%v: %+v", err, body)
		} else {
			got = doc.Tables[0].Query.Key
		}
		http.Error(w, `{"message":"enough"}`, http.StatusConflict)
	})
	if errs := f.want(6, "apply", "p", "--yes"); got != "x "+odd || strings.Contains(errs, "a\"b") {
		t.Errorf("%q arrived as %q: %s", odd, got, errs)
	}
}

// TestPullOverHiddenChanges: files that git was told not to look at count as changed.
func TestPullOverHiddenChanges(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	f := newFront(t, "local")
	f.ok("query", "create", "q", "--sql", "SELECT 1 AS x")
	f.ok("pull", "p")
	dir := filepath.Join(f.home, "p")
	run := gitIn(t, git, dir)
	run("init", "-q")
	run("add", ".")
	run("commit", "-q", "-m", "all")
	for _, hide := range []string{"assume-unchanged", "skip-worktree"} {
		run("update-index", "--"+hide, "queries/q.sql")
		f.file("p/queries/q.sql", "SELECT 2 AS mine\n")
		if errs := f.want(6, "pull", "p"); !strings.Contains(errs, "queries/q.sql") {
			t.Errorf("%s: %s", hide, errs)
		}
		run("update-index", "--no-"+hide, "queries/q.sql")
		run("checkout", "-q", ".")
	}
}

// projectState describes the objects of a project as the gateway has them, without what differs from one project to the
// next.
func projectState(t *testing.T, f *front) string {
	t.Helper()
	ctx, cl, p := t.Context(), f.api, gateway.DefaultProject
	var out []string
	put := func(err error, values ...any) {
		t.Helper()
		raw, merr := json.Marshal(values)
		if err != nil || merr != nil {
			t.Fatal(err, merr)
		}
		out = append(out, string(raw))
	}
	names := map[string]string{}
	catalogs, err := cl.Catalogs.List(ctx, p)
	put(err)
	for _, c := range catalogs {
		names[c.ID] = c.Name
		put(nil, "catalog", c.Name, c.DisplayName, c.CatalogType)
		relations, err := cl.Metadata.Relations(ctx, p, c.ID)
		put(err)
		for _, r := range relations {
			put(nil, c.Name, r.SourceSchemaName, r.SourceTableName, r.SourceColumnName, r.TargetSchemaName,
				r.TargetTableName, r.TargetColumnName, r.Type)
		}
	}
	for kind, s := range map[string]cli.TableService{"table": cl.Tables, "bitable": cl.BITables} {
		tables, err := s.List(ctx, p)
		put(err)
		for _, k := range tables {
			columns, err := s.Columns(ctx, p, k.TableName)
			for _, c := range columns {
				c.ID = ""
				put(err, kind, k.TableName, c)
			}
		}
	}
	queries, err := cl.Queries.List(ctx, p)
	put(err)
	for _, q := range queries {
		put(nil, q.DisplayName, q.Name, q.InputQuery, q.QueryType, q.Path, q.Schedule)
	}
	caches, err := cl.Cache.Statuses(ctx, p)
	put(err)
	for _, st := range caches {
		c, err := cl.Cache.Settings(ctx, p, st.ID)
		put(err, names[c.CatalogID], c.SchemaName, c.TableName, c.IncrementalCacheSchedule, c.FullRefreshCacheSchedule)
	}
	all, err := cl.Metadata.Project(ctx, p, "", "")
	put(err)
	for _, m := range all.Metadata {
		for _, c := range m.Metadata.Columns {
			put(nil, names[m.Metadata.CatalogID], m.Metadata.SchemaName, m.Metadata.TableName,
				m.Metadata.TableDescription, m.Metadata.UseWithAI, c.ColumnName, c.ColumnDescription, c.IsCategorical,
				c.CategoricalValues)
		}
	}
	golden, err := cl.Metadata.ListGoldenSQL(ctx, p)
	put(err)
	for _, g := range golden {
		put(nil, g.Metadata.Prompt, g.Metadata.SQL)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
