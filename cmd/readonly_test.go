package cmd

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
)

// noting is a server that answers everything, and notes it.
type noting struct {
	mu   sync.Mutex
	seen []string
}

func (r *noting) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	raw, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.seen = append(r.seen, req.Method+" "+req.URL.EscapedPath()+" "+string(raw))
	r.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{}`)
}

func (r *noting) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.seen
	r.seen = nil
	return out
}

// TestReadOnlyOperations sends every operation with `dig api` under each kind of protection: what changes something is
// refused before a byte is sent, and everything else arrives.
func TestReadOnlyOperations(t *testing.T) {
	rec := &noting{}
	srv := httptest.NewServer(rec)
	defer srv.Close()
	home := t.TempDir()
	base := map[string]string{"HOME": home, "DIG_CONFIG_DIR": home + "/config", "DIG_KEY_STORAGE": "file"}
	store, err := config.OpenStore("", func(name string) string { return base[name] })
	if err != nil {
		t.Fatal(err)
	}
	key, err := config.NewKey("abcd1234.0123456789abcdef0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	for name, protect := range map[string]string{"open": "", "shut": config.ReadOnly, "asks": config.Confirm} {
		if _, err := store.Add(config.Profile{Name: name, Zone: "local", BaseURL: srv.URL + "/api/v1",
			Project: "AbCd1234", Protect: protect}, key, config.AddOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env map[string]string, args ...string) (int, string) {
		all := map[string]string{}
		for _, m := range []map[string]string{base, env} {
			for k, v := range m {
				all[k] = v
			}
		}
		var out, errs bytes.Buffer
		code := Run(context.Background(), &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(""),
			Out: &out,
			Err: &errs, Dir: home, Now: time.Now, Getenv: environ(t, all)})
		return code, errs.String()
	}
	protections := []struct {
		env  map[string]string
		args []string
		exit int // of what changes something; 0: it is sent
		says string
	}{
		{map[string]string{"DIG_PROFILE": "shut"}, nil, exitcode.NotAllowed, "protect is read-only (profile shut)"},
		{map[string]string{"DIG_PROFILE": "shut"}, []string{"--yes"}, exitcode.NotAllowed,
			"protect is read-only (profile shut)"},
		{map[string]string{"DIG_PROFILE": "shut"}, []string{"--dry-run"}, exitcode.NotAllowed,
			"protect is read-only (profile shut)"},
		{map[string]string{"DIG_PROFILE": "shut"}, []string{"--explain"}, exitcode.NotAllowed,
			"protect is read-only (profile shut)"},
		{map[string]string{"DIG_PROFILE": "open", "DIG_READ_ONLY": "1"}, nil, exitcode.NotAllowed,
			"protect is read-only (environment DIG_READ_ONLY)"},
		{map[string]string{"DIG_PROFILE": "open", "DIG_PROTECT": "read-only"}, nil, exitcode.NotAllowed,
			"protect is read-only (environment DIG_PROTECT)"},
		{map[string]string{"DIG_PROFILE": "asks"}, nil, exitcode.Confirm, "profile asks"},
		{map[string]string{"DIG_PROFILE": "asks"}, []string{"--yes"}, 0, ""},
		{map[string]string{"DIG_PROFILE": "open", "DIG_READ_ONLY": "0"}, nil, 0, ""},
	}
	all := append(spec.All(), spec.Local()...)
	for _, op := range all {
		path := op.Path
		for _, p := range op.Params() {
			path = strings.Replace(path, "{"+p+"}", "x1", 1)
		}
		args := []string{"api", op.Method, path}
		if op.Method != http.MethodGet && op.Method != http.MethodDelete {
			args = append(args, "-f", "statement=SELECT 1")
		}
		for _, p := range protections {
			// the latter asks for the kind of the key first
			if op.ID == spec.GetJdbcDriver.ID || op.Partner && p.exit == 0 {
				continue
			}
			rec.take()
			code, errs := run(p.env, append(args, p.args...)...)
			sent := rec.take()
			if op.Changes() && p.exit != 0 {
				// about the key
				if p.exit == exitcode.Confirm && op.Partner && len(sent) == 1 && sent[0] == "GET /api/v1/info " {
					sent = nil
				}
				if len(sent) > 0 {
					t.Errorf("%s %v %v: sent %v", op.ID, p.env, p.args, sent)
				}
				if code != p.exit || !strings.Contains(errs, p.says) {
					t.Errorf("%s %v %v: exit %d: %s", op.ID, p.env, p.args, code, errs)
				}
				continue
			}
			tells := len(p.args) > 0 && p.args[0] != "--yes"
			if !tells && (code != 0 || len(sent) == 0) {
				t.Errorf("%s %v %v: exit %d, sent %v: %s", op.ID, p.env, p.args, code, sent, errs)
			}
		}
	}
	rec.take()
	for _, path := range []string{"/no/such/path", "/data/projects/x/queries/execute/../../../../x"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if code, errs := run(map[string]string{"DIG_PROFILE": "shut"}, "api", method,
				path); code != exitcode.NotAllowed || len(rec.take()) > 0 {
				t.Errorf("%s %s: exit %d: %s", method, path, code, errs)
			}
		}
	}
	if code, errs := run(map[string]string{"DIG_PROFILE": "shut"}, "api", "POST",
		"/data/projects/{project}/queries/execute", "-f",
		"statement=CREATE TABLE t AS SELECT 1"); code != exitcode.NotAllowed || len(rec.take()) > 0 ||
		!strings.Contains(errs, "CreateTableAsSelect") {
		t.Errorf("a statement that writes: exit %d: %s", code, errs)
	}
}

// TestReadOnlyCommands runs every command that changes something where nothing may be changed: only reads are sent.
func TestReadOnlyCommands(t *testing.T) {
	f, words, made := sweepFront(t, t.TempDir())
	f.vars = map[string]string{"DIG_READ_ONLY": "1"}
	for _, line := range sweepLines {
		if strings.Contains(line, " {") { // names what an earlier line has made
			for _, word := range strings.SplitAfter(line, "}") {
				_, name, ok := strings.Cut(word, "{")
				if name = strings.TrimSuffix(name, "}"); ok && made[name] == "" {
					made[name] = "0f7d6f3a-528c-4e15-93a3-91f4a3a1f7f1"
				}
			}
		}
		f.sent()
		code, _, errs := f.dig(words(line)...)
		if sent := f.sent(); sent != "" || code == 0 && !strings.Contains(line, " ensure ") || code == exitcode.Usage ||
			strings.Contains(errs, "nevertheless") {
			t.Errorf("dig %s: exit %d, sent %q: %s", line, code, sent, errs)
		}
	}
	for _, args := range [][]string{{"gateway", "reset", "--yes"}, {"table", "import", "t", made["csv"]},
		{"table", "create", "new", "--column", "a:varchar"}} {
		code, _, errs := f.dig(args...)
		if code != exitcode.NotAllowed || !strings.Contains(errs, "protect is read-only") {
			t.Errorf("dig %s: exit %d: %s", strings.Join(args, " "), code, errs)
		}
	}
	f.vars = nil
	f.want(0, "table", "import", "t", made["csv"]) // the refused one has left no trace
	f.want(0, "table", "create", "new", "--column", "a:varchar")
}
