package cmd

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/journal"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
)

// history lists the changes, the oldest first.
func (f *front) history(args ...string) []journal.Change {
	f.t.Helper()
	code, out, errs := f.dig(append([]string{"history", "list", "-o", "json"}, args...)...)
	var all []journal.Change
	if err := json.Unmarshal([]byte(out), &all); code != 0 || err != nil {
		f.t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
	}
	slices.Reverse(all)
	return all
}

// TestHistory: what was changed is recorded with its outcome and the object before, without secrets, and reads are not.
func TestHistory(t *testing.T) {
	const secret, again, param = "pa55word-nobody-knows", "0ther-pa55word", "t0ken-of-a-callback"
	f := newFront(t, "us")
	for path, text := range map[string]string{
		"c.json": `{"url":"127.0.0.1","port":1,"databaseName":"shop","user":"reader","password":"` + secret + `"}`,
		"d.json": `{"url":"127.0.0.1","port":1,"databaseName":"shop","user":"reader","password":"` + again + `"}`} {
		if err := os.WriteFile(filepath.Join(f.home, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	drop := func(w http.ResponseWriter, _ *http.Request, pass func() *http.Response) {
		pass()
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		c.Close()
	}
	says := func(text string) func(http.ResponseWriter, *http.Request, func() *http.Response) {
		return func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
			w.Header().Set("Content-Type", "application/json")
			if _, err := w.Write([]byte(text)); err != nil {
				t.Error(err)
			}
		}
	}
	const db = `{"id":"24d1ff83-c2c1-4d74-82d5-4bf3441230b2","name":"db","type":"POSTGRES"}`
	for _, op := range []spec.Op{spec.CreateConnection, spec.UpdateConnection, spec.GetConnection,
		spec.DeleteConnection} {
		f.on(op, says(db))
	}
	f.on(spec.ListConnections, says("[]"))
	f.want(0, "query", "create", "q", "--sql", "SELECT 1 AS x")
	f.want(0, "query", "update", "q", "--sql", "SELECT 2 AS x")
	f.want(0, "query", "list")
	f.want(0, "query", "execute", "--sql", "SELECT 3")
	f.want(0, "query", "delete", "q", "--yes", "--dry-run")
	f.want(0, "query", "delete", "q", "--yes")
	f.want(0, "connection", "create", "db", "--type", "postgres", "--credential-file", filepath.Join(f.home, "c.json"))
	f.on(spec.ListConnections, says("["+db+"]"))
	f.want(0, "connection", "update", "db", "--credential-file", filepath.Join(f.home, "d.json"))
	f.want(0, "metadata", "callback", "set", "http://127.0.0.1:1/x", "--callback-token", "@"+f.file("token", param))
	f.want(0, "connection", "delete", "db", "--yes")
	f.want(exitcode.NotFound, "api", "PUT", "/data/projects/{project}/queries/0", "-f", "displayName=none")
	f.on(spec.CreateWorkspace, drop)
	if code, _, _ := f.dig("workspace", "create", "lost"); code == 0 {
		t.Error("the lost reply was a success")
	}
	f.on(spec.CreateWorkspace, nil)
	if code, _, _ := f.dig("--base-url", "http://127.0.0.1:1/api/v1", "api", "POST",
		"/data/projects/{project}/table/nobody"); code == 0 {
		t.Error("nobody answered")
	}
	f.want(0, "api", "POST", "/data/projects/{project}/queries", "-f", "displayName=by_api", "-f",
		"inputQuery=SELECT 4")

	all := f.history()
	var got []string
	for _, c := range all {
		got = append(got, c.Command+" "+c.Operation+" "+c.Outcome)
		if c.ID == "" || c.At.IsZero() || c.Zone != "us" || !strings.HasPrefix(c.Address, "http://127.0.0.1:") ||
			c.Path == "" || c.Method == "" || c.Of != "" {
			t.Errorf("%+v", c)
		}
		if strings.HasPrefix(c.Path, "/data/") && c.Project != gateway.DefaultProject {
			t.Errorf("%+v", c)
		}
	}
	want := []string{
		"query create createQuery done", "query update updateQuery done", "query delete deleteQuery done",
		"connection create createConnection done", "connection update updateConnection done",
		"metadata callback set registerRefreshCallback done", "connection delete deleteConnection done",
		"api updateQuery refused", "workspace create createWorkspace unknown",
		"api createInternalTable not-sent", "api createQuery done",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	field := func(doc json.RawMessage, name string) string {
		var v map[string]any
		if json.Unmarshal(doc, &v) != nil {
			return ""
		}
		s, _ := v[name].(string)
		return s
	}
	if len(all) == len(want) {
		if field(all[1].Before, "inputQuery") != "SELECT 1 AS x" ||
			field(all[1].Body, "inputQuery") != "SELECT 2 AS x" ||
			field(all[2].Before, "inputQuery") != "SELECT 2 AS x" {
			t.Errorf("%s, %s, %s", all[1].Before, all[1].Body, all[2].Before)
		}
		if field(all[3].Body, "name") != "db" || strings.Contains(string(all[3].Body), "reader") ||
			field(all[6].Before, "name") != "db" {
			t.Errorf("%s, %s", all[3].Body, all[6].Before)
		}
		if all[8].Error == "" || all[7].Status != 400 || all[0].Status != 200 {
			t.Errorf("%+v\n%+v", all[7], all[8])
		}
		_, out, _ := f.dig("history", "show", all[1].ID[:8], "-o", "json")
		var shown journal.Change
		if err := json.Unmarshal([]byte(out), &shown); err != nil || shown.ID != all[1].ID ||
			string(shown.Before) != string(all[1].Before) {
			t.Errorf("%v: %s", err, out)
		}
	}
	if n := len(f.history("--failed")); n != 3 {
		t.Errorf("%d changes that are not known to be done", n)
	}
	if n := len(f.history("--here")); n != len(all)-1 {
		t.Errorf("%d changes here", n)
	}
	if n := len(f.history("--limit", "2")); n != 2 {
		t.Errorf("%d changes of 2", n)
	}
	f.want(exitcode.NotFound, "history", "show", "zz")
	f.want(exitcode.Usage, "history", "list", "--limit", "-1")

	files := 0
	err := filepath.WalkDir(filepath.Join(f.home, ".local"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, s := range []string{secret, again, param, f.key} {
			if strings.Contains(string(raw), s) {
				t.Errorf("%s contains %q", path, s)
			}
		}
		if strings.Contains(path, "journal") {
			st, err := d.Info()
			if err != nil || st.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", path, st.Mode(), err)
			}
			files++
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}

	f.vars = map[string]string{"DIG_JOURNAL": "off"}
	f.want(0, "query", "create", "quiet", "--sql", "SELECT 1 AS x")
	if n := len(f.history()); n != len(all) {
		t.Errorf("%d changes, %d before it was off", n, len(all))
	}
	f.vars = map[string]string{"DIG_STATE_DIR": filepath.Join(f.home, "c.json")} // no directory
	if errs := f.want(0, "query", "create", "unwritten", "--sql", "SELECT 1 AS x"); strings.Count(errs,
		"not recorded in the journal") != 1 {
		t.Errorf("%s", errs)
	}
}

// TestHistoryOfProcesses: 20 processes at once and one that is killed while it waits for its reply leave a journal that
// has all of it.
func TestHistoryOfProcesses(t *testing.T) {
	f := newFront(t, "us")
	state := t.TempDir()
	f.vars = map[string]string{"DIG_STATE_DIR": state}
	run := func(args ...string) error {
		c := process(t, t.TempDir(), args...)
		for k, v := range f.env() {
			c.Env = append(c.Env, k+"="+v)
		}
		return c.Run()
	}
	var all sync.WaitGroup
	names := map[string]bool{}
	for i := range 20 {
		name := "q" + string(rune('a'+i))
		names[name] = true
		all.Go(func() {
			if err := run("query", "create", name, "--sql", "SELECT 1 AS x"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	all.Wait()
	arrived, quit := make(chan struct{}), make(chan struct{})
	defer close(quit)
	f.on(spec.CreateWorkspace, func(http.ResponseWriter, *http.Request, func() *http.Response) {
		close(arrived)
		<-quit
	})
	c := process(t, t.TempDir(), "workspace", "create", "killed")
	for k, v := range f.env() {
		c.Env = append(c.Env, k+"="+v)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-arrived
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("it was not killed")
	}
	changes := f.history()
	for _, x := range changes[:len(changes)-1] {
		var body struct{ DisplayName string }
		if err := json.Unmarshal(x.Body, &body); err != nil || x.Outcome != "done" || !names[body.DisplayName] {
			t.Errorf("%+v", x)
		}
		delete(names, body.DisplayName)
	}
	last := changes[len(changes)-1]
	if len(names) > 0 || last.Operation != spec.CreateWorkspace.ID || last.Outcome != "" {
		t.Errorf("%d are missing; the last is %+v", len(names), last)
	}
	f.on(spec.CreateWorkspace, nil)
	if err := run("workspace", "create", "after"); err != nil {
		t.Error(err)
	}
	if now := f.history(); len(now) != len(changes)+1 {
		t.Errorf("%d changes, %d before", len(now), len(changes))
	}
}
