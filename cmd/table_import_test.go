package cmd

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
)

const three = "name,age\nAda,36\nGrace,45\nBarbara,28\n"

// TestImportSettles: what the gateway says of an import is believed only if it says that all rows are stored. Else they
// are counted; the next run counts before it sends, and no row is ever stored twice or given up for stored.
func TestImportSettles(t *testing.T) {
	const begun = `{"id":"x","status":"RUNNING","startTime":1,"endTime":0,"progress":0,"result":{"processed":0}}`
	done := func(status, n string) string {
		return `{"id":"x","status":"` + status + `","startTime":1,"endTime":2,"progress":100,"result":{"processed":` +
			n + `}}`
	}
	// an importer that stops in the middle
	oneRow := func(w http.ResponseWriter, r *http.Request, _ func() *http.Response) {
		f := w.Header()
		f.Set("Content-Type", "application/json")
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, done("COMPLETED", "1"))
	}
	for name, c := range map[string]struct {
		spoil func(http.ResponseWriter, *http.Request, func() *http.Response)
		first int   // exit code
		rows  int64 // after it
		next  int   // exit code of the same command, nothing spoilt
		sends bool  // the next run sends the file
	}{
		"the answer is lost": {lose, 0, 3, exitcode.Conflict, false},
		"503, stored":        {replyWith(503, `{"message":"busy"}`, true), 0, 3, exitcode.Conflict, false},
		"503, not stored": {replyWith(503, `{"message":"busy"}`, false), exitcode.Unavailable, 0, 0,
			true},
		"504, stored":       {replyWith(504, ``, true), 0, 3, exitcode.Conflict, false},
		"empty, stored":     {replyWith(200, ``, true), 0, 3, exitcode.Conflict, false},
		"empty, not stored": {replyWith(200, ``, false), exitcode.Unavailable, 0, 0, true},
		"null, not stored":  {replyWith(200, `null`, false), exitcode.Unavailable, 0, 0, true},
		"an error as 200, not stored": {replyWith(200, `{"errorCode":100,"message":"no"}`, false),
			exitcode.Unavailable, 0, 0, true},
		"a web page, not stored":      {replyWith(200, `<html></html>`, false), exitcode.Failed, 0, 0, true},
		"FAILED, stored":              {replyWith(200, done("FAILED", "0"), true), 0, 3, exitcode.Conflict, false},
		"FAILED, not stored":          {replyWith(200, done("FAILED", "0"), false), exitcode.Job, 0, 0, true},
		"RUNNING, stored":             {replyWith(200, begun, true), 0, 3, exitcode.Conflict, false},
		"RUNNING, not stored":         {replyWith(200, begun, false), exitcode.Pending, 0, 0, true},
		"1 of 3 said, 3 stored":       {replyWith(200, done("COMPLETED", "1"), true), 0, 3, exitcode.Conflict, false},
		"1 of 3 said, nothing stored": {oneRow, exitcode.Unavailable, 0, 0, true},
		"refused": {replyWith(400, `{"errorCode":100,"message":"line 2"}`, false),
			exitcode.Failed, 0, 0, true},
		"three said, nothing stored": {replyWith(200, done("COMPLETED", "3"), false), exitcode.Job, 0, 0, true},
		"three said, none of them done": {replyWith(200, done("COMPLETED", "0"), false), exitcode.Unavailable, 0, 0,
			true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t, "us")
			f.want(0, "table", "create", "people", "--column", "name:varchar", "--column", "age:bigint")
			path := filepath.Join(f.home, "people.csv")
			if err := os.WriteFile(path, []byte(three), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{path, "-"} {
				run := func() (int, string) {
					code, _, errs := f.digIn(three, "table", "import", "people", from)
					return code, errs
				}
				f.on(spec.ImportCsv, c.spoil)
				f.sent()
				code, errs := run()
				if got := f.rows("people"); code != c.first || got != c.rows || f.sent() != "importCsv" {
					t.Fatalf("%s: exit %d, %d rows: %s", from, code, got, errs)
				}
				f.on(spec.ImportCsv, nil)
				code, errs = run()
				if got, sent := f.rows("people"), f.sent(); code != c.next || got != 3 ||
					(sent == "importCsv") != c.sends {
					t.Errorf("%s, again: exit %d, %d rows, sent %q: %s", from, code, got, sent, errs)
				}
				f.want(0, "table", "delete", "people", "--yes")
				f.want(0, "table", "create", "people", "--column", "name:varchar", "--column", "age:bigint")
			}
		})
	}
}

// TestImportUnsettled: when the rows cannot be counted either, the note stays open, and the next run settles it.
func TestImportUnsettled(t *testing.T) {
	f := newFront(t, "us")
	path := filepath.Join(f.home, "people.csv")
	if err := os.WriteFile(path, []byte(three), 0o600); err != nil {
		t.Fatal(err)
	}
	f.want(0, "table", "create", "people", "--column", "name:varchar", "--column", "age:bigint")
	f.on(spec.ImportCsv, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		f.on(spec.ExecuteQuery, replyWith(500, `{"message":"no"}`, false))
		lose(w, r, pass)
	})
	if errs := f.want(exitcode.Unavailable, "table", "import", "people", path); !strings.Contains(errs,
		"counts the rows before it sends") {
		t.Error(errs)
	}
	f.on(spec.ImportCsv, nil)
	f.sent()
	f.want(exitcode.Unavailable, "table", "import", "people", path) // they still cannot be counted
	if sent := f.sent(); sent != "" {
		t.Errorf("sent %s without a count", sent)
	}
	f.on(spec.ExecuteQuery, nil)
	if errs := f.want(0, "table", "import", "people", path); f.sent() != "" || f.rows("people") != 3 ||
		!strings.Contains(errs, "nothing was sent") {
		t.Errorf("%d rows, %s", f.rows("people"), errs)
	}
	f.want(exitcode.Conflict, "table", "import", "people", path)

	// rows that came from elsewhere in the meantime leave no proof
	f.on(spec.ImportCsv, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		f.on(spec.ExecuteQuery, replyWith(500, `{"message":"no"}`, false))
		replyWith(503, "", false)(w, r, pass)
	})
	f.want(exitcode.Unavailable, "table", "import", "people", path, "--again")
	f.on(spec.ExecuteQuery, nil)
	f.on(spec.ImportCsv, nil)
	req := api.ImportRequest{ContainsHeader: true, Mappings: []api.ImportMapping{{Name: "name", CSVColumnName: "name"}}}
	if _, err := f.api.Tables.Import(t.Context(), gateway.DefaultProject, "people", req, "x.csv",
		strings.NewReader("name\nElsewhere\n")); err != nil {
		t.Fatal(err)
	}
	f.sent()
	if errs := f.want(exitcode.Conflict, "table", "import", "people", path); f.sent() != "" || !strings.Contains(errs,
		"cannot determine whether") {
		t.Error(errs)
	}
	f.want(0, "table", "import", "people", path, "--again")

	// another file that dig itself imported is known, and no doubt
	other := filepath.Join(f.home, "other.csv")
	if err := os.WriteFile(other, []byte("name,age\nMary,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.on(spec.ImportCsv, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		f.on(spec.ExecuteQuery, replyWith(500, `{"message":"no"}`, false))
		lose(w, r, pass)
	})
	f.want(exitcode.Unavailable, "table", "import", "people", path, "--again")
	f.on(spec.ExecuteQuery, nil)
	f.on(spec.ImportCsv, nil)
	f.want(0, "table", "import", "people", other)
	f.sent()
	if errs := f.want(0, "table", "import", "people", path); f.sent() != "" || !strings.Contains(errs,
		"nothing was sent") {
		t.Error(errs)
	}
}

// TestImportKilled: a run that is killed while it waits for the answer has left its note.
func TestImportKilled(t *testing.T) {
	f := newFront(t, "us")
	f.want(0, "table", "create", "people", "--column", "name:varchar", "--column", "age:bigint")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, stored := range []bool{false, true} {
		there, kill := make(chan bool), make(chan bool)
		f.on(spec.ImportCsv, func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
			if stored {
				pass()
			}
			close(there)
			<-kill
			panic(http.ErrAbortHandler)
		})
		c := exec.CommandContext(t.Context(), exe, "table", "import", "people", "-")
		c.Args[0] = "dig"
		c.Stdin = strings.NewReader(three)
		for k, v := range f.env() {
			c.Env = append(c.Env, k+"="+v)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		<-there
		if code, _, errs := f.digIn(three, "table", "import", "people", "-"); code != exitcode.Conflict ||
			!strings.Contains(errs, "another process") {
			t.Errorf("while the first one runs: exit %d, %s", code, errs)
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		close(kill)
		f.on(spec.ImportCsv, nil)
		f.sent()
		code, _, errs := f.digIn(three, "table", "import", "people", "-")
		if sent := f.sent(); code != 0 || f.rows("people") != 3 || (sent != "") == stored {
			t.Errorf("after a kill, stored %v: exit %d, sent %q, %d rows, %s", stored, code, sent,
				f.rows("people"), errs)
		}
		f.want(0, "table", "delete", "people", "--yes")
		f.want(0, "table", "create", "people", "--column", "name:varchar", "--column", "age:bigint")
	}
}

// TestImportPlaces: a data directory that is named relatively is another place in another folder, and the same one
// under another name.
func TestImportPlaces(t *testing.T) {
	needLocal(t)
	home := t.TempDir()
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(home, "people.csv")
	if err := os.WriteFile(path, []byte(three), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, "a", "data"), filepath.Join(home, "link")); err != nil {
		t.Skip(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(dir, data string, args ...string) (int, string) {
		c := exec.CommandContext(t.Context(), exe, args...)
		c.Args[0], c.Dir = "dig", filepath.Join(home, dir)
		c.Env = []string{"HOME=" + home, "DIG_CONFIG_DIR=" + home + "/config", "DIG_DATA_DIR=" + data}
		out, _ := c.CombinedOutput()
		return c.ProcessState.ExitCode(), string(out)
	}
	for _, dir := range []string{"a", "b"} {
		if code, out := run(dir, "data", "table", "import", "people", path, "--create"); code != 0 {
			t.Errorf("%s: exit %d, %s", dir, code, out)
		}
		if code, out := run(dir, "data", "table", "import", "people", path); code != exitcode.Conflict {
			t.Errorf("%s, again: exit %d, %s", dir, code, out)
		}
	}
	for _, data := range []string{filepath.Join(home, "a", "data"), filepath.Join(home, "link"), "../a/./data"} {
		if code, out := run("b", data, "table", "import", "people", path); code != exitcode.Conflict {
			t.Errorf("%s: exit %d, %s", data, code, out)
		}
	}
}

// TestOldLedger: what a release with its ledger in the cache directory imported is still known, also after new notes
// were written. The name of the file and the key are those that such a release wrote.
func TestOldLedger(t *testing.T) {
	needLocal(t)
	home := t.TempDir()
	env := map[string]string{"HOME": home, "DIG_DATA_DIR": "", "DIG_CONFIG_DIR": ""}
	write := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if runtime.GOOS != "linux" {
		t.Skip("the cache directory is elsewhere")
	}
	write(".cache/dig/imports-f35d9f2928d303ad.json",
		`{"table\u0000people\u0000007f30b18a6736247056d61a4df80e11":{"file":"people.csv","rows":3,`+
			`"at":"2026-01-22T12:13:29.4Z"}}`)
	for _, args := range [][]string{{"create", "people", "--column", "name:varchar", "--column", "age:bigint"},
		{"import", "people", write("other.csv", "name,age\nMary,1\n")}} {
		if code, _, errs := runDig(t, env, append([]string{"table"}, args...)...); code != 0 {
			t.Fatal(errs)
		}
	}
	code, _, errs := runDig(t, env, "table", "import", "people", write("people.csv", three))
	if code != exitcode.Conflict || !strings.Contains(errs, "imported into people on 2026-01-22 12:13 (3 rows)") {
		t.Errorf("exit %d, %s", code, errs)
	}
}
