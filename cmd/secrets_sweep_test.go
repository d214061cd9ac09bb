package cmd

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoSecretAnywhere plants secrets of every kind and runs every command in every form: none is in what is printed,
// in a file but those that are for keys, in the journal, in pulled files, or in the arguments of programs that are run.
func TestNoSecretAnywhere(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	secrets := map[string]string{"password": "planted-passw0rd-1", "token": "planted-t0ken-2", "env": "planted-env-3",
		"file": "planted-file-4", "url": "planted-url-5", "literal": "planted-literal-6", "again": "planted-again-7"}
	hidden := filepath.Join(t.TempDir(), "hidden") // the user's own files of secrets
	write := func(path, text string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	credential := func(password string) string {
		raw, _ := json.Marshal(map[string]any{"url": "127.0.0.1", "port": 1, "databaseName": "shop", "user": "reader",
			"password": password})
		return write(filepath.Join(hidden, password), string(raw))
	}
	// hostile: its errors repeat what it gets
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/bad") {
			http.Error(w, r.Header.Get("X-Api-Key")+" "+r.URL.String(), http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`[{"id":1}]`))
	}))
	t.Cleanup(source.Close)
	for _, name := range []string{"mysql", "header", "parameter", "ca", "duckdb", "sqlite"} {
		secrets[name] = "planted-" + name + "-secret"
	}
	tables := `{"test":"/t","tables":[{"name":"t","path":"/t","query":{"api_key":"` + secrets["parameter"] +
		`"}},{"name":"bad","path":"/bad","query":{"api_key":"` + secrets["parameter"] +
		`"},"columns":[{"name":"a","type":"varchar"}]}]}`
	fields := func(name string, members map[string]any) string {
		raw, _ := json.Marshal(members)
		return write(filepath.Join(hidden, name), string(raw))
	}
	api := fields("api", map[string]any{"baseUrl": source.URL, "header": "X-Api-Key", "secret": secrets["header"],
		"tables": tables})
	my := fields("my", map[string]any{"url": "127.0.0.1", "port": 1, "user": "reader", "password": secrets["mysql"]})
	pg := fields("pg", map[string]any{"url": "127.0.0.1", "port": 1, "user": "reader", "password": secrets["mysql"],
		"databaseName": "shop", "useSsl": true, "caCertificate": secrets["ca"]})
	argv := filepath.Join(t.TempDir(), "argv")
	bin := t.TempDir()
	for _, name := range []string{"git", "editor", "pager"} {
		write(filepath.Join(bin, name), "#!/bin/sh\n{ echo \"$0 $*\"; env; } >>'"+argv+"'\nexit 1\n")
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	base, key := w.serve("local", nil)
	w.env["EDITOR"], w.env["PAGER"], w.env["SHOP_PASSWORD"] = "editor", "pager", secrets["env"]
	secrets["key"] = strings.SplitN(key, ".", 2)[1]
	t.Setenv("DIG_API_KEY", key) // as a shell has it
	project := filepath.Join(w.dir, "project")
	write(filepath.Join(project, "connections", "pg.yaml"), "type: postgres\ncredential:\n  url: 127.0.0.1\n  port: "+
		"1\n  databaseName: shop\n  user: reader\n  password: ${env:SHOP_PASSWORD}\n")
	write(filepath.Join(project, "connections", "pg2.yaml"), "type: postgres\ncredential:\n  url: 127.0.0.1\n  port: "+
		"1\n  databaseName: shop\n  user: reader\n  password: ${file:"+write(filepath.Join(hidden, "file"),
		secrets["file"]+"\n")+"}\n")
	var printed strings.Builder
	see := func(args ...string) (int, string) {
		code, out, errs := w.run(args...)
		text := out + errs
		for name, secret := range secrets {
			if name != "literal" && strings.Contains(text, secret) { // a dry run shows the statement that it would run
				t.Errorf("dig %s shows the secret %s:\n%s", strings.Join(args, " "), name, text)
			}
		}
		printed.WriteString(text)
		return code, text
	}
	for _, args := range [][]string{
		{"connection", "create", "shop", "--type", "postgres", "--credential-file", credential(secrets["password"])},
		{"connection", "update", "shop", "--credential-file", credential(secrets["again"])},
		{"connection", "create", "my", "--type", "mysql", "--credential-file", my}, {"connection", "create", "tls",
			"--type", "postgres", "--credential-file", pg},
		{"connection", "create", "lite", "--type", "sqlite", "--credential", "path=/x?key=1", "--credential-file",
			fields("lite", map[string]any{"path": "file:/x.db?key=" + secrets["sqlite"]})},
		{"connection", "create", "duck", "--type", "duckdb", "--credential-file",
			fields("duck", map[string]any{"path": "/x.duckdb?token=" + secrets["duckdb"]})},
		{"connection", "create", "api", "--type", "rest", "--credential-file", api}, {"connection", "create", "api",
			"--type", "rest", "--credential-file", api},
		{"connection", "ensure", "api", "--type", "rest", "--credential-file", api}, {"connection", "update", "api",
			"--credential-file", api},
		{"connection", "detail", "api"}, {"connection", "get", "api"}, {"connection", "list"},
		{"metadata", "callback", "set", "https://u:" + secrets["url"] + "@example.com/hook", "--callback-token",
			"@" + write(filepath.Join(hidden, "token"), secrets["token"])},
		{"profile", "add", "mine", "--zone", "local", "--base-url", base},
		{"api", "POST", "/data/projects/{project}/queries/execute", "-f", "statement=INSERT INTO t VALUES ('" +
			secrets["literal"] + "')"},
		{"api", "POST", "/data/projects/{project}/queries/execute", "-f", "statement=CREATE TABLE t AS SELECT U&'" +
			secrets["literal"] + "' AS x -- " + secrets["literal"]},
		{"catalog", "create", "told", "--connection", "api"}, {"catalog", "create", "told", "--connection", "api"},
		{"query", "execute", "SELECT * FROM told.rest.t"}, {"query", "execute", "SELECT * FROM told.rest.bad"},
		{"metadata", "list"},
		{"apply", project, "--yes", "--secrets", "--secrets-from", hidden}, {"apply", project, "--yes", "--secrets",
			"--secrets-from", hidden}, {"plan", project, "--secrets", "--secrets-from", hidden},
		{"pull", filepath.Join(w.dir, "again")},
		{"history", "list", "-o", "json"}, {"config", "explain"}, {"doctor"}, {"doctor", "-o", "json"}, {"check"},
	} {
		for _, more := range [][]string{{"--dry-run"}, {"--explain"}, {"--explain", "-o", "json"}, {"--debug"},
			{"-o", "json"}} {
			see(append(slices.Clone(args), more...)...)
		}
	}
	for _, l := range readTellLines(w.vars) {
		// which prints a new key
		if l.args[0] == "shell" || len(l.args) > 1 && l.args[1] == "serve" || l.args[0] == "api-key" {
			continue
		}
		for _, more := range [][]string{{"--dry-run", "-o", "json"}, {"--debug"}} {
			see(append(slices.Clone(l.args), more...)...)
		}
	}
	if code, text := see("history", "list", "-o", "json", "--limit", "0"); code != 0 || !strings.Contains(text,
		"INSERT INTO t VALUES ( '***' )") && !strings.Contains(text, "INSERT INTO t VALUES ('***')") ||
		!strings.Contains(text, "updateConnection") {
		t.Errorf("the journal: exit %d, %s", code, text)
	}
	if raw, err := os.ReadFile(argv); err != nil || len(raw) == 0 {
		t.Errorf("no program was run: %v", err)
	} else {
		for name, secret := range secrets {
			if strings.Contains(string(raw), secret) {
				t.Errorf("the arguments of a program have the secret %s:\n%s", name, raw)
			}
		}
	}
	files := 0
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(path, w.env["DIG_DATA_DIR"]+
			string(filepath.Separator)) || d.Name() == "credentials.yaml" {
			return err // the gateway's own data, and the file of keys
		}
		raw, err := os.ReadFile(path)
		files++
		for name, secret := range secrets {
			if strings.Contains(string(raw), secret) {
				t.Errorf("%s has the secret %s:\n%s", path, name, raw)
			}
		}
		return err
	})
	if err != nil || files < 30 {
		t.Errorf("%d files: %v", files, err)
	}
}
