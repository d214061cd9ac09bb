package sources_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/sqlite"
	"github.com/dig-cli/dig/pkg/gateway/exports"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/sources"
)

// TestOwnFiles puts to a gateway, with a project's key, every way to name its own files that is known. None may give a
// connection, and none may tell what the files hold.
func TestOwnFiles(t *testing.T) {
	base := t.TempDir()
	o := gateway.Options{Dir: filepath.Join(base, "data"), KeepOut: []string{filepath.Join(base, "cache")},
		Configs: []string{filepath.Join(base, "config")}, OpenEngine: gatewaytest.Open(t).Options.OpenEngine}
	g, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	w := gatewaytest.Wire{T: t, Partner: g.ServeKey()}
	srv := httptest.NewServer(g.Web.Handler)
	defer srv.Close()
	w.URL = srv.URL
	a, b := gatewaytest.NewTenant(w, "alpha"), gatewaytest.NewTenant(w, "bravo")
	w.Idle(b)

	data, state := o.Dir, filepath.Join(o.Dir, "state.db")
	rows := filepath.Join(o.Dir, "projects", b.IDs["projectId"], "data.duckdb")
	exports := filepath.Join(o.Dir, "exports")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	text := "id,word\n1,bravosecret\n"
	for _, dir := range []string{"cache", "config", "outside", "ancestor"} {
		must(os.MkdirAll(filepath.Join(base, dir), 0o700))
	}
	must(os.WriteFile(filepath.Join(base, "cache", "kept.csv"), []byte(text), 0o600))
	must(os.WriteFile(filepath.Join(base, "config", "credentials.yaml"), []byte(text), 0o600))
	must(os.WriteFile(filepath.Join(data, "inside.csv"), []byte(text), 0o600))
	out := filepath.Join(base, "outside")
	link := func(to, name string) string {
		p := filepath.Join(out, name)
		must(os.Symlink(to, p))
		return p
	}
	hard := func(to, name string) string {
		p := filepath.Join(out, name)
		must(os.Link(to, p))
		return p
	}
	open := func(path string) string { // as the process has it open
		f, err := os.Open(path)
		must(err)
		t.Cleanup(func() { f.Close() })
		return strconv.Itoa(int(f.Fd()))
	}
	held, dirFD := open(filepath.Join(data, "inside.csv")), open(data)
	pid := strconv.Itoa(os.Getpid())
	rel, err := filepath.Rel("/", data)
	must(err)
	up := filepath.Join(out, "x", "..", "..", "data")

	var files []string // to be read as SQLite and as DuckDB
	for i, f := range []string{state, rows} {
		n := strconv.Itoa(i)
		name, dir := filepath.Base(f), filepath.Dir(f)
		parent := link(dir, "parent"+n)
		files = append(files, f, f+"/", f+"//", f+"/.", f+"/./", dir+"//"+name, dir+"/./"+name,
			"//"+strings.TrimPrefix(f, "/"), dir+"/x/../"+name,
			link(f, "link"+n+".db"), hard(f, "hard"+n+".db"), parent+"/"+name, parent+"//"+name+"/", parent+"/./"+name+
				"/.",
			link(link(f, "twice"+n+".db"), "thrice"+n+".db"), link("../data/"+strings.TrimPrefix(f, data+"/"),
				"relative"+n+".db"),
			"/proc/self/root"+f, "/proc/"+pid+"/root"+f, "/proc/self/cwd/../../../../../../../../../../"+f,
			"/proc/self/fd/"+dirFD+strings.TrimPrefix(f, data),
			"/dev/fd/"+dirFD+strings.TrimPrefix(f, data), link("/proc/self/root"+f, "root"+n+".db"),
			"/proc/thread-self/root"+f, "/proc/self/task/"+pid+"/root"+f,
			link("/proc/self/fd/"+dirFD, "fd"+n)+strings.TrimPrefix(f, data), "file:"+f, f+"?mode=rw", f+"\x00.db")
	}
	folders := []string{data, data + "/", data + "//", data + "/.", data + "/./", "//" + rel, up,
		filepath.Join(data, "projects") + "/..", link(data, "folder"), link(data, "folder2") + "/", exports,
		exports + "/.",
		filepath.Dir(rows), "/proc/self/root" + data, "/proc/" + pid + "/root" + data, "/proc/self/fd/" + dirFD,
		"/proc/self/fd/" + dirFD + "/", "/proc/self/fd/" + dirFD + "/exports", "/dev/fd/" + dirFD,
		link("/proc/self/fd/"+dirFD, "fdfolder"), filepath.Join(base, "cache"), link(filepath.Join(base, "cache"),
			"cachefolder"), "/proc/self/fd", "/proc/self", "/dev/fd"}

	type attack struct{ kind, path string }
	var all []attack
	for _, f := range files {
		all = append(all, attack{"sqlite", f}, attack{"duckdb", f})
	}
	for _, f := range folders {
		all = append(all, attack{"files", f})
	}
	for i, x := range all {
		body, err := json.Marshal(map[string]any{"name": fmt.Sprintf("a%d", i), "type": x.kind,
			"credential": map[string]any{"path": x.path}})
		must(err)
		status, reply := w.Call(a.Key, "POST", "/connections/"+a.IDs["projectId"], string(body))
		if status < 400 || status > 499 || strings.Contains(reply, "bravosecret") {
			t.Errorf("%s %q: %d %s", x.kind, x.path, status, reply)
		}
	}

	// Folders that may be read, with ways out of them.
	must(os.WriteFile(filepath.Join(out, "mine.csv"), []byte("id\n1\n"), 0o600))
	hard(filepath.Join(data, "inside.csv"), "hard.csv")
	hard(filepath.Join(base, "config", "credentials.yaml"), "settings.csv")
	link(filepath.Join(data, "inside.csv"), "alias.csv")
	link("../data/inside.csv", "up.csv")
	link("/proc/self/fd/"+held, "held.csv")
	must(os.MkdirAll(filepath.Join(out, "parts", "k=1"), 0o700))
	must(os.Link(filepath.Join(data, "inside.csv"), filepath.Join(out, "parts", "k=1", "p.csv")))
	must(os.Symlink(filepath.Join(data, "inside.csv"), filepath.Join(base, "alias.csv")))
	for i, dir := range []string{out, base} {
		body := fmt.Sprintf(`{"name":"f%d","type":"files","credential":{"path":%q}}`, i, dir)
		_, reply := w.Call(a.Key, "POST", "/connections/"+a.IDs["projectId"], body)
		var c struct{ ID string }
		must(json.Unmarshal([]byte(reply), &c))
		if status, reply := w.Call(a.Key, "POST", "/data/projects/"+a.IDs["projectId"]+"/catalogs",
			fmt.Sprintf(`{"name":"f%d","connectionId":%q}`, i, c.ID)); status > 299 {
			t.Fatal(reply)
		}
	}
	for _, table := range []string{"f0.files.hard", "f0.files.settings", "f0.files.alias", "f0.files.up",
		"f0.files.held", "f0.files.parts", "f1.files.alias", "f1.data.inside", "f1.cache.kept", "f1.outside.hard",
		"f1.outside.alias"} {
		body := fmt.Sprintf(`{"statement":%q}`, "SELECT * FROM "+table)
		if status, reply := w.Call(a.Key, "POST", "/data/projects/"+a.IDs["projectId"]+"/queries/execute",
			body); status < 400 || strings.Contains(reply, "bravosecret") {
			t.Errorf("%s: %d %s", table, status, reply)
		}
	}
	for _, table := range []string{"f0.files.mine", "f1.outside.mine"} {
		body := fmt.Sprintf(`{"statement":%q}`, "SELECT * FROM "+table)
		if status, reply := w.Call(a.Key, "POST", "/data/projects/"+a.IDs["projectId"]+"/queries/execute",
			body); status != 200 {
			t.Errorf("%s: %d %s", table, status, reply)
		}
	}
}

// TestStateByContent: a state file is known by what it says, if every look at its name was deceived.
func TestStateByContent(t *testing.T) {
	g := gatewaytest.Open(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	db, err := sql.Open("sqlite", filepath.Join(g.Options.Dir, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("VACUUM INTO ?", copied); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.Type().Open(connector.Credential{"path": copied}, g.Sources.Reach(connector.Credential{}))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Tables(t.Context(), "main"); !errors.Is(err, connector.ErrOwn) {
		t.Errorf("a copy of the state is read: %v", err)
	}
	var secrets int
	if err := db.QueryRow("SELECT count(*) FROM meta WHERE key LIKE 'secret.%'").Scan(&secrets); err != nil ||
		secrets != 0 {
		t.Errorf("the state holds %d secrets: %v", secrets, err)
	}
}

// TestForgedLink: what the state holds does not suffice to sign a link, and a link is good across a restart.
func TestForgedLink(t *testing.T) {
	g := gatewaytest.Open(t)
	expires := strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10)
	want, err := g.Exports.DownloadSignature("id", "name", expires)
	if err != nil {
		t.Fatal(err)
	}
	other := &exports.Service{Sources: &sources.Service{Vault: sources.NewVault(g.Options.Dir, g.Store)}}
	if again, err := other.DownloadSignature("id", "name", expires); err != nil || again != want {
		t.Errorf("after a restart: %q, %v", again, err)
	}
	st, err := os.ReadFile(filepath.Join(g.Options.Dir, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := g.Sources.Vault.Derive("links to the files of exports")
	if err != nil || len(key) != 32 || strings.Contains(string(st), string(key)) {
		t.Errorf("key of %d bytes: %v", len(key), err)
	}
}
