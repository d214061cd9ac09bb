package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// fakeGateway answers executions only, and notes the shapes that were asked for. Beside COMPACT rows it tells no types,
// as a gateway that follows the documents to the letter.
type fakeGateway struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	cut   bool // break off in the middle
}

func newFakeGateway(t *testing.T) *fakeGateway {
	g := &fakeGateway{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		format := r.URL.Query().Get("format")
		g.mu.Lock()
		g.asked = append(g.asked, format)
		g.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(body), "nope") {
			w.WriteHeader(400)
			io.WriteString(w, `{"errorCode":1,"message":"line 1:8: Column 'nope' cannot be resolved"}`)
			return
		}
		doc := `{"columns":[{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"n"}],` +
			`"data":[["12345678901234567890"],["2"]]}`
		if format != "COMPACT" {
			doc = `{"columns":[{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"n"}],"data":[` +
				`[{"name":"n","displayName":"n","dataType":"decimal(20,0)","order":0,"value":"12345678901234567890"}],` +
				`[{"name":"n","displayName":"n","dataType":"decimal(20,0)","order":0,"value":"2"}]]}`
		}
		if g.cut {
			doc = doc[:len(doc)-8]
		}
		io.WriteString(w, doc)
	}))
	t.Cleanup(g.Close)
	return g
}

func (g *fakeGateway) env(zone, dir string) map[string]string {
	return map[string]string{"DIG_BASE_URL": g.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
		"DIG_ZONE": zone, "DIG_CACHE_DIR": dir}
}

func (g *fakeGateway) since() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked := g.asked
	g.asked = nil
	return asked
}

// TestShapeAsked: the cheapest shape that the output needs, and types where they matter even if the gateway keeps them
// to itself.
func TestShapeAsked(t *testing.T) {
	g := newFakeGateway(t)
	for _, c := range []struct {
		zone, args, asked, out string
	}{
		{"us", "-o csv", "COMPACT", "n\n12345678901234567890\n2\n"},
		{"us", "-o csv --typed", "CELL_TYPED", "n\n12345678901234567890\n2\n"},
		{"us", "-o ndjson", "CELL_TYPED", "{\"n\":12345678901234567890}\n{\"n\":2}\n"},
		{"us", "-o ndjson --raw", "COMPACT", "{\"n\":\"12345678901234567890\"}\n{\"n\":\"2\"}\n"},
		{"us", "-o ndjson --format COMPACT", "COMPACT", "{\"n\":\"12345678901234567890\"}\n{\"n\":\"2\"}\n"},
		{"us", "-o table", "CELL_TYPED", ""},
		{"us", "-o json", "CELL_TYPED", ""},
		{"us", "-o json --typed", "CELL_TYPED", "[\n{\"n\":12345678901234567890},\n{\"n\":2}\n]\n"},
		{"local", "-o csv", "COMPACT", "n\n12345678901234567890\n2\n"},
		{"local", "-o ndjson", "COMPACT CELL_TYPED", "{\"n\":12345678901234567890}\n{\"n\":2}\n"},
		{"local", "-o json", "CELL_TYPED", ""},
		{"local", "-o json --columns n", "COMPACT CELL_TYPED", "[\n{\"n\":12345678901234567890},\n{\"n\":2}\n]\n"},
	} {
		code, out, errs := runDig(t, g.env(c.zone, t.TempDir()), append([]string{"query", "execute", "SELECT n"},
			strings.Fields(c.args)...)...)
		if asked := strings.Join(g.since(), " "); code != 0 || asked != c.asked || c.out != "" && out != c.out {
			t.Errorf("zone %q %s: exit %d, asked for %s and not %s, printed %q, %s", c.zone, c.args, code, asked,
				c.asked, out, errs)
		}
	}
}

// TestCutShort: a reply that breaks off is no result: not in a file, not in a manifest, not in what is kept, not in a
// count.
func TestCutShort(t *testing.T) {
	g := newFakeGateway(t)
	dir := t.TempDir()
	env := g.env("", dir)
	if code, _, errs := runDig(t, env, "query", "execute", "SELECT n", "-o", "csv"); code != 0 {
		t.Fatal(errs)
	}
	g.cut = true
	out := filepath.Join(dir, "rows.csv")
	for _, format := range []string{"table", "json", "ndjson", "csv", "tsv", "yaml", "markdown", "html",
		"xlsx", "parquet"} {
		code, _, errs := runDig(t, env, "query", "execute", "SELECT n", "-o", format, "--out", out, "--manifest")
		if code != exitcode.Unavailable {
			t.Errorf("%s: exit %d, %s", format, code, errs)
		}
		left, _ := filepath.Glob(filepath.Join(dir, ".*"))
		if _, err := os.Stat(out); err == nil || len(left) > 0 {
			t.Errorf("%s: a file was left: %v", format, left)
		}
		if m, _ := os.ReadFile(out + ".manifest.json"); !strings.Contains(string(m), `"complete": false`) ||
			strings.Contains(string(m), "abcdefghijklm") {
			t.Errorf("%s: manifest %s", format, m)
		}
		if code, stdout, errs := runDig(t, env, "query", "last", "-o", "csv"); code != exitcode.NotFound ||
			stdout != "" || !strings.Contains(errs, "it was not read completely") {
			t.Errorf("%s: last: exit %d, %q, %s", format, code, stdout, errs)
		}
	}
	for _, args := range [][]string{{"--chart", "hist"}, {"--profile-columns"}} {
		if code, stdout, errs := runDig(t, env, append([]string{"query", "execute", "SELECT n"},
			args...)...); code != exitcode.Unavailable || stdout != "" {
			t.Errorf("%v: exit %d, %q, %s", args, code, stdout, errs)
		}
	}
	sql := filepath.Join(dir, "three.sql")
	if err := os.WriteFile(sql, []byte("SELECT n; SELECT n; SELECT nope"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, errs := runDig(t, env, "query", "execute", "-f", sql, "-o", "csv", "--keep-going", "--jobs",
		"3"); code != 23 || stdout != "" {
		t.Errorf("three failures: exit %d, %q, %s", code, stdout, errs)
	}
}

// screen runs a command line as on a terminal of 80 columns and 10 lines.
func screen(t *testing.T, env map[string]string, args ...string) (code int, out string) {
	t.Helper()
	var b bytes.Buffer
	env["HOME"] = t.TempDir()
	e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(""), Out: &b, Err: &b, Dir: env["HOME"],
		Now:     time.Now,
		OutTerm: true, ErrTerm: true, Width: 80, Height: 10,
		Getenv: environ(t, env)}
	code = Run(context.Background(), e)
	return code, b.String()
}

// TestForeignTextDoesNotSteerTheTerminal: what a gateway names and says is shown, with its controls made visible.
func TestForeignTextDoesNotSteerTheTerminal(t *testing.T) {
	const evil = "e\x1b[2J\u009b\u202evil"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Evil", "e\u009bvil")
		switch {
		case strings.HasSuffix(r.URL.Path, "/text"):
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, evil)
		case strings.HasSuffix(r.URL.Path, "/fails"):
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, evil)
		default:
			w.Header().Set("Content-Type", "application/json")
			raw, _ := json.Marshal([]map[string]string{{"id": "1", "name": evil, "createdAt": evil}})
			_, _ = w.Write(raw)
		}
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
		"NO_COLOR": "1", "DIG_PAGER": "cat"}
	for _, args := range [][]string{{"api", "GET", "/text", "--include"}, {"api", "GET", "/fails"},
		{"connection", "list"}, {"connection", "list", "-o", "csv"},
		{"connection", "delete", evil}, {"api", "GET", "/x", "--jq", ".[0].name"}} {
		_, out := screen(t, env, args...)
		if strings.ContainsAny(out, "\x1b\u009b\u202e") || !strings.Contains(out, "vil") {
			t.Errorf("%q: %q", args, out)
		}
	}
}

// TestPaging: only what is taller than the screen is paged, and leaving the pager is no failure.
func TestPaging(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		n := 3
		if strings.Contains(string(body), "tall") {
			n = 300_000
		}
		io.WriteString(w, `{"columns":[{"columnName":"n","dataType":"bigint"}],"data":[["0"]`)
		for i := 1; i < n; i++ {
			if _, err := fmt.Fprintf(w, `,["%d"]`, i); err != nil {
				return
			}
		}
		io.WriteString(w, `]}`)
	}))
	defer srv.Close()
	paged := filepath.Join(t.TempDir(), "paged")
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
		"NO_COLOR": "1", "PAGER": "false", "DIG_PAGER": "cat >" + paged}
	if code, out := screen(t, env, "query", "execute", "short", "--format", "COMPACT"); code != 0 ||
		!strings.Contains(out, "(3 rows; ") {
		t.Errorf("short: exit %d, %s", code, out)
	}
	if _, err := os.Stat(paged); err == nil {
		t.Error("a result that fits the screen was paged")
	}
	if code, out := screen(t, env, "query", "execute", "tall", "--format", "COMPACT"); code != 0 || out != "" {
		t.Errorf("tall: exit %d, beside the pager %q", code, out)
	}
	if got, _ := os.ReadFile(paged); !strings.Contains(string(got), "299,960 rows not shown") ||
		!strings.Contains(string(got), "(300,000 rows, 40 shown; --all shows all; ") {
		t.Errorf("paged: %s", got)
	}
	if code, out := screen(t, env, "query", "execute", "tall", "--format", "COMPACT", "--no-pager"); code != 0 ||
		!strings.Contains(out, "300,000 rows") {
		t.Errorf("--no-pager: exit %d, %s", code, out)
	}
	env["DIG_PAGER"] = "head -c 100 >" + paged
	if code, out := screen(t, env, "query", "execute", "tall", "--format", "COMPACT", "--all"); code != 0 || out != "" {
		t.Errorf("the pager was left: exit %d, %q", code, out)
	}
	env["DIG_PAGER"], env["PAGER"] = "", "cat >"+paged
	t.Setenv("DIG_PAGER", "")
	if code, out := screen(t, env, "query", "execute", "tall", "--format", "COMPACT"); code != 0 ||
		!strings.Contains(out, "300,000 rows") {
		t.Errorf("an empty DIG_PAGER: exit %d, %s", code, out)
	}
	delete(env, "DIG_PAGER")
	delete(env, "PAGER")
	os.Unsetenv("DIG_PAGER")
	t.Setenv("PAGER", "")
	if code, out := screen(t, env, "query", "execute", "tall", "--format", "COMPACT"); code != 0 ||
		!strings.Contains(out, "300,000 rows") {
		t.Errorf("an empty PAGER: exit %d, %s", code, out)
	}
	env["DIG_PAGER"] = "cat"
	if code, out := screen(t, env, "query", "execute", "tall", "--format", "COMPACT"); code != 0 ||
		!strings.Contains(out, "300,000 rows") {
		t.Errorf("DIG_PAGER=cat: exit %d, %s", code, out)
	}
}
