package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestApplyLooksAgain: what somebody else has changed since the plan stays as it is, and what a gateway accepts without
// storing it is an error.
func TestApplyLooksAgain(t *testing.T) {
	f := newFront(t, "local")
	f.ok("query", "create", "q", "--sql", "SELECT 1 AS x")
	f.ok("query", "create", "r", "--sql", "SELECT 1 AS x")
	f.ok("pull", "p")
	f.file("p/queries/q.sql", "SELECT 2 AS mine")
	f.on(spec.GetQuery, func(w http.ResponseWriter, _ *http.Request, pass func() *http.Response) {
		f.on(spec.GetQuery, nil)
		res := pass()
		raw, _ := io.ReadAll(res.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.ReplaceAll(raw, []byte("SELECT 1"), []byte("SELECT 5")))
	})
	f.sent()
	if errs := f.want(6, "apply", "p", "--yes"); !strings.Contains(errs,
		"query q has been changed since the plan was created") || f.sent() != "" {
		t.Errorf("a query that was changed meanwhile: %s", errs)
	}
	f.on(spec.UpdateQuery, func(w http.ResponseWriter, r *http.Request, _ func() *http.Response) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":%q,"displayName":"q","name":"q","inputQuery":"SELECT 2 AS mine","queryType":"PLAIN"}`,
			filepath.Base(r.URL.Path))
	})
	if errs := f.want(1, "apply", "p", "--yes"); !strings.Contains(errs,
		"accepted changes but did not store them: query q (sql)") {
		t.Errorf("a change that is not stored: %s", errs)
	}
	f.on(spec.UpdateQuery, nil)
	f.ok("apply", "p", "--yes")
	f.sent()
	f.file("foreign/queries/r.sql", "SELECT 'mine'")
	if errs := f.want(6, "pull", "foreign"); !strings.Contains(errs, "it has no dig.yaml") && !strings.Contains(errs,
		"has no dig.yaml") {
		t.Errorf("a directory of something else: %s", errs)
	}
	for _, args := range [][]string{{"plan", "foreign"}, {"diff", "nosuch"}, {"plan", "p", "--only", "nosuch"},
		{"diff", "p", "--only="}, {"apply", "foreign", "--yes"}} {
		if errs := f.want(2, args...); f.sent() != "" {
			t.Errorf("%v: %s", args, errs)
		}
	}
	f.file("p/catalogs/c.yaml", "connection: nosuch\n")
	f.file("p/semantic-catalogs/k.yaml", "tables:\n  a.b: nosuch\n  a.c: r\n")
	for _, c := range []string{"plan", "diff", "apply"} {
		errs := f.want(2, c, "p")
		for _, want := range []string{`catalogs/c.yaml:1: there is no connection "nosuch"`,
			`semantic-catalogs/k.yaml:2: there is no query "nosuch"`} {
			if !strings.Contains(errs, want) || strings.Contains(errs, "k.yaml:3") || f.sent() != "" {
				t.Errorf("%s with references to nothing: %s", c, errs)
			}
		}
	}
	f.file("p/tables/bad.yaml", "columns:\n  - nam: x\n")
	for _, c := range []string{"plan", "diff", "apply", "pull"} {
		if errs := f.want(2, c, "p"); !strings.Contains(errs,
			`tables/bad.yaml:2: unknown member "nam"; did you mean "name"?`) {
			t.Errorf("%s with a mistake: %s", c, errs)
		}
	}
}

// TestApplyLooksAgainOwn: what apply itself has made before is no change of somebody else.
func TestApplyLooksAgainOwn(t *testing.T) {
	f := newFront(t, "local")
	f.file("p/dig.yaml", "version: 1\n")
	for _, word := range []string{"first", "second"} {
		f.file("p/tables/t.yaml", "columns:\n  - name: a\n    type: varchar\n    description: "+word+"\n")
		f.file("p/metadata/peaka.yaml", "table.t:\n  description: The "+word+" table\n")
		if code, _, errs := f.dig("apply", "p", "--yes"); code != 0 {
			t.Errorf("the %s descriptions: exit %d: %s", word, code, errs)
		}
	}
	if code, out, errs := f.dig("diff", "p"); code != 0 {
		t.Errorf("after apply: exit %d: %s%s", code, out, errs)
	}
}

// TestApplyLooksAgainTable: a table to which somebody else has added a column is not deleted.
func TestApplyLooksAgainTable(t *testing.T) {
	f := newFront(t, "local")
	f.file("p/dig.yaml", "version: 1\n")
	f.ok("table", "create", "t", "--column", "a:varchar")
	f.on(spec.ListGoldenSqls, func(w http.ResponseWriter, _ *http.Request, pass func() *http.Response) {
		f.on(spec.ListGoldenSqls, nil)
		res := pass()
		if _, err := f.api.Tables.AddColumns(t.Context(), gateway.DefaultProject, "t",
			[]api.ColumnRequest{{Name: "b", DataType: "BIGINT"}}); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, res.Body)
	})
	f.sent()
	if errs := f.want(6, "apply", "p", "--prune", "--yes"); !strings.Contains(errs,
		"table t has been changed since the plan was created") || f.sent() != "" {
		t.Errorf("a table that was changed meanwhile: %s", errs)
	}
	f.ok("apply", "p", "--prune", "--yes")
	if sent := f.sent(); sent != "deleteInternalTable" {
		t.Errorf("sent were %s", sent)
	}
}

// TestApplyLooksAgainStopped: a script learns what was made before a change that failed.
func TestApplyLooksAgainStopped(t *testing.T) {
	f := newFront(t, "local")
	f.file("p/dig.yaml", "version: 1\n")
	for _, name := range []string{"a", "b", "c"} {
		f.file("p/queries/"+name+".sql", "SELECT 1 AS "+name)
	}
	n := 0
	f.on(spec.CreateQuery, func(w http.ResponseWriter, _ *http.Request, pass func() *http.Response) {
		if n++; n == 2 {
			http.Error(w, `{"message":"no"}`, http.StatusBadRequest)
			return
		}
		res := pass()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, res.Body)
	})
	code, out, errs := f.dig("apply", "p", "--yes", "-o", "json")
	var got []struct {
		Name string
		Done bool
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code == 0 || len(got) != 2 || !got[0].Done ||
		got[1].Done || got[0].Name != "a" || got[1].Name != "b" {
		t.Errorf("exit %d, %v: %s%s", code, err, out, errs)
	}
	if !strings.Contains(errs, "1 of 3 changes were made") {
		t.Errorf("the error is %s", errs)
	}
}

// TestPullKeepsNested: secrets within the members of a credential are not written to files either, and those in files
// are a warning.
func TestPullKeepsNested(t *testing.T) {
	f := newFront(t, "local")
	f.file("data/a.csv", "id\n1\n")
	f.ok("connection", "create", "c", "--type", "files", "--credential", "path="+filepath.Join(f.home, "data"))
	f.on(spec.GetConnectionDetail, func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"files","path":"/data","ssl":{"password":"hidden1"},`+
			`"hosts":[{"urls":["https://me:hidden2@host/"]}],"modes":{"tls":["on"]}}`)
	})
	f.ok("pull", "p")
	text := filesOf(t, filepath.Join(f.home, "p"))["connections/c.yaml"]
	if strings.Contains(text, "hidden") || !strings.Contains(text, "path: /data") || !strings.Contains(text, "tls:") {
		t.Errorf("the file is\n%s", text)
	}
	f.file("p/connections/c.yaml", text+"  ssl:\n    password: plain\n")
	if code, out, errs := f.dig("diff", "p"); code != 0 || !strings.Contains(errs, "connections/c.yaml: ssl") {
		t.Errorf("a secret in a file: exit %d: %s%s", code, out, errs)
	}
	f.file("p/connections/d.yaml", "type: files\ncredential:\n  path: /data\n  ssl:\n    password: ${env:HOME}\n")
	if code, out, errs := f.dig("apply", "p", "--yes"); code != exitcode.Usage || !strings.Contains(errs,
		"connections/d.yaml: credential ssl: references are resolved in strings only") {
		t.Errorf("a reference within an object: exit %d: %s%s", code, out, errs)
	}
}

// secretSource is a REST source that answers only those who know the secret.
func secretSource(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != projectSecret {
			http.Error(w, "{}", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`[{"id":1}]`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestPullKeeps: pull does not overwrite what is nowhere else, keeps references and former names, and writes no secret.
func TestPullKeeps(t *testing.T) {
	f := newFront(t, "local")
	dir := filepath.Join(f.home, "p")
	token := f.file("token.txt", projectSecret+"\n")
	f.ok("connection", "create", "shop", "--type", "rest", "--credential", "baseUrl="+secretSource(t), "--credential",
		`tables={"tables":[{"name":"items","path":"/items"}]}`, "--credential", "secret=@"+token)
	f.ok("query", "create", "q", "--sql", "SELECT 1 AS x")
	f.ok("pull", dir)
	for name, text := range filesOf(t, dir) {
		if strings.Contains(text, projectSecret) {
			t.Errorf("%s has the secret", name)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("queries/q.sql", "SELECT 2 AS mine\n")
	write("queries/new.sql", "SELECT 3 AS mine\n")
	if errs := f.want(6, "pull", dir); !strings.Contains(errs, "queries/q.sql, queries/new.sql") &&
		!strings.Contains(errs, "queries/new.sql") {
		t.Errorf("the files that would be lost are not named: %s", errs)
	}
	if got := filesOf(t, dir); got["queries/q.sql"] != "SELECT 2 AS mine\n" || got["queries/new.sql"] == "" {
		t.Error("pull has overwritten a file")
	}
	if git, err := exec.LookPath("git"); err == nil {
		run := gitIn(t, git, dir)
		run("init", "-q")
		run("add", ".")
		f.want(6, "pull", dir) // staged is not committed
		run("commit", "-q", "-m", "all")
		write("README.md", "mine")
		f.ok("pull", dir)
	} else {
		f.ok("pull", dir, "--force")
	}
	if got := filesOf(t, dir); got["queries/q.sql"] != "SELECT 1 AS x\n" || got["queries/new.sql"] != "" {
		t.Errorf("after the commit the files are %v", got)
	}
	path := "connections/shop.yaml"
	mine := strings.Replace(filesOf(t, dir)[path], "  tables:", "  secret: ${file:../token.txt}\n  tables:", 1)
	write(path, mine)
	f.ok("pull", dir, "--force")
	if got := filesOf(t, dir)[path]; got != mine {
		t.Errorf("the reference became\n%s, want\n%s", got, mine)
	}
	if code, out, errs := f.dig("diff", dir, "--secrets-from", filepath.Dir(token)); code != 0 {
		t.Errorf("a secret that cannot be read differs: exit %d: %s%s", code, out, errs)
	}
	to := newFront(t, "local")
	if errs := to.want(0, "apply", dir, "--yes", "--secrets-from", filepath.Dir(token),
		"--debug"); strings.Contains(errs, projectSecret) {
		t.Errorf("the secret is in the output: %s", errs)
	}
	if code, out, errs := to.dig("diff", dir, "--secrets-from", filepath.Dir(token)); code != 0 {
		t.Errorf("after apply: exit %d: %s%s", code, out, errs)
	}
	if err := os.Remove(token); err != nil {
		t.Fatal(err)
	}
	// it is needed only where the connection is made
	if code, out, errs := to.dig("diff", dir, "--secrets-from", filepath.Dir(token)); code != 0 {
		t.Errorf("without the secret: exit %d: %s%s", code, out, errs)
	}
	other := newFront(t, "local")
	if errs := other.want(2, "apply", dir, "--yes", "--secrets-from", filepath.Dir(token)); !strings.Contains(errs,
		"connections/shop.yaml: credential secret:") || other.sent() != "" {
		t.Errorf("a secret that is missing: %s", errs)
	}
}

// gitIn returns a function that runs git in a directory.
func gitIn(t *testing.T, git, dir string) func(args ...string) {
	return func(args ...string) {
		t.Helper()
		c := exec.Command(git, append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c",
			"commit.gpgsign=false"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}
