package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/secret"
)

// TestKeyIsHidden: a gateway that repeats the key, whole or in an address, does not get it printed, whatever the
// command and the form.
func TestKeyIsHidden(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		switch {
		case strings.HasSuffix(r.URL.Path, "/fails"), strings.HasSuffix(r.URL.Path, "/workspaces"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"errorCode":7,"message":"bad header `+r.Header.Get("Authorization")+`","requestId":"`+
				testKey+`"}`)
		case strings.HasSuffix(r.URL.Path, "/text"):
			w.Header().Set("Content-Type", "text/plain")
			for _, c := range testKey + "\n" { // in pieces
				io.WriteString(w, string(c))
				w.(http.Flusher).Flush()
			}
		case strings.HasSuffix(r.URL.Path, "/execute"):
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"columns":[{"columnName":"k","dataType":"varchar"}],"data":[["`+testKey+`"],["x"]]}`)
		default:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `[{"id":"1","name":"`+testKey+`"}]`)
		}
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
		"DIG_CACHE_DIR": t.TempDir(), "NO_COLOR": "1"}
	for _, args := range [][]string{{"api", "/fails"}, {"api", "/fails", "-i"}, {"api", "/text"}, {"api", "/list"},
		{"api", "/list", "--jq", ".[0].name"},
		{"workspace", "list", "--org", "1b7a1843-8ce4-473a-b7f7-68faa2f6f411"}, {"connection", "list"},
		{"connection", "list", "-o", "json"}, {"connection", "list", "-o", "csv"}, {"connection", "list", "--debug"}} {
		_, out, errs := runDig(t, env, args...)
		if strings.Contains(out+errs, testKey[9:]) || !strings.Contains(out+errs, "****") {
			t.Errorf("%v: %s%s", args, out, errs)
		}
		_, text := screen(t, env, args...)
		if strings.Contains(text, testKey[9:]) {
			t.Errorf("%v on a terminal: %s", args, text)
		}
	}
}

// TestRowsAreAsTheyAre: the rows of a statement are data, in which nothing is masked.
func TestRowsAreAsTheyAre(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"columns":[{"columnName":"password","dataType":"varchar"}],"data":[["`+testKey+`"],["x"]]}`)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
		"DIG_CACHE_DIR": t.TempDir()}
	for _, form := range []string{"csv", "json", "table"} {
		if _, out, errs := runDig(t, env, "query", "execute", "SELECT 1", "--format", "COMPACT", "-o",
			form); !strings.Contains(out, testKey) {
			t.Errorf("%s: %s%s", form, out, errs)
		}
	}
}

// TestSecretsOfRequests: what was given as a secret is in no dry run, explanation or trace.
func TestSecretsOfRequests(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/connections/Abcd1234") {
			io.WriteString(w, "[]")
			return
		}
		if strings.HasSuffix(r.URL.Path, "/connection-configs") || strings.HasSuffix(r.URL.Path,
			"/connections/config") || r.Method == http.MethodGet {
			io.WriteString(w, `[{"connectionType":"odd","configuration":[]}]`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusBadRequest)
		raw, _ := json.Marshal(map[string]string{"message": "no: " + string(body)})
		_, _ = w.Write(raw)
	}))
	defer srv.Close()
	dir := t.TempDir()
	for name, text := range map[string]string{"token": "tok3n-tok3n-tok3n",
		"cred.json": `{"host":"db","oddField":"hunter2-hunter2","pem":"-----BEGIN\nhunter3-hunter3\n"}`,
		"body.json": `{"callbackURL":"https://example.com","callbackToken":"tok3n-tok3n-tok3n"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234"}
	for _, args := range [][]string{
		{"metadata", "callback", "set", "https://example.com", "--callback-token", "@" + dir + "/token"},
		{"metadata", "callback", "set", "--body", "@" + dir + "/body.json"},
		{"metadata", "refresh", "--callback-url", "https://example.com", "--callback-token", "@" + dir + "/token"},
		{"connection", "create", "c", "--type", "odd", "--credential-file", dir + "/cred.json"},
	} {
		for _, flag := range []string{"--dry-run", "--explain", "--debug"} {
			_, out, errs := runDig(t, env, append(slices.Clone(args), flag)...)
			for _, secret := range []string{"tok3n-tok3n", "hunter2", "hunter3", testKey[9:]} {
				if strings.Contains(out+errs, secret) {
					t.Errorf("%v %s shows %s:\n%s%s", args, flag, secret, out, errs)
				}
			}
			if !strings.Contains(out+errs, "***") && !strings.Contains(out+errs, "hidden") {
				t.Errorf("%v %s:\n%s%s", args, flag, out, errs)
			}
		}
	}
}

// TestNamesOfSecrets: which fields are not shown when they are typed and refused on the command line.
func TestNamesOfSecrets(t *testing.T) {
	for _, name := range []string{"password", "apiKey", "api_key", "accessToken", "accessKey", "private_key_id", "keys",
		"tokens", "clientCertificate", "client-secret", "pat", "githubPat", "PAT", "pat_token", "pem", "sslPem", "PEM",
		"connectionString", "connection_string",
		"serviceAccountJson", "service_account", "cookie", "sessionCookie", "jwt", "bearer", "dsn", "passphrase",
		"privateKey", "kubeconfig", "sasToken", "pin", "authorization", "sessionId", "pfx"} {
		if !secret.Named(name) {
			t.Errorf("%s counts as no secret", name)
		}
	}
	for _, name := range []string{"path", "pattern", "host", "port", "user", "username", "databaseName", "useSsl",
		"schema", "region", "account", "warehouse", "url", "format", "compatibility", "spatial", "timeout",
		"pagination", "database", "bucket", "apiKeyId", "author", "keyboard", "primaryKey", "authType",
		"tokenUrl", "maxTokens"} {
		if secret.Named(name) {
			t.Errorf("%s counts as a secret", name)
		}
	}
	for _, field := range []string{"pat=ghp_x", "pem=x", "connectionString=x", "serviceAccountJson={}", "cookie=a"} {
		code, _, errs := runDig(t, nil, "connection", "create", "c", "--type", "files", "--credential", field)
		if code != exitcode.Usage || !strings.Contains(errs, "is a secret") {
			t.Errorf("%s: exit %d, %s", field, code, errs)
		}
	}
}

// TestDebug: headers and the beginnings of bodies of both ways, without what opens anything.
func TestDebug(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "req-17")
		w.Header().Set("Set-Cookie", "session=s3ss10n-s3ss10n")
		io.WriteString(w, `{"columns":[{"columnName":"n","dataType":"varchar"}],"apiKey":"k3y-k3y-k3y",`+
			`"link":"https://x/f?signature=pr00f-pr00f&x=1","data":[["first"]`+strings.Repeat(`,["more"]`, 5000)+`]}`)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234"}
	_, _, errs := runDig(t, env, "query", "execute", "SELECT 'asked'", "--format", "COMPACT", "-o", "csv", "--debug",
		"--zone", "local")
	for _, want := range []string{"debug: > User-Agent: dig/", `debug: > {"statement":"SELECT 'asked'"}`,
		"debug: < X-Request-Id: req-17", "debug: < Set-Cookie: ****", "first", `"apiKey":"***"`, "signature=***"} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q in\n%s", want, errs)
		}
	}
	for _, not := range []string{"s3ss10n", "k3y-k3y", "pr00f", testKey[9:], "Authorization"} {
		if strings.Contains(errs, not) {
			t.Errorf("%q in\n%s", not, errs)
		}
	}
	if len(errs) > 8<<10 {
		t.Errorf("%d bytes", len(errs))
	}
}

// TestIDsOfErrors: what the operators of a gateway ask for is kept, as text and as JSON.
func TestIDsOfErrors(t *testing.T) {
	page := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, "<p>Sign in</p>")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"errorCode":"cn004","message":"no such thing","requestId":"r-1"}`)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234"}
	_, _, errs := runDig(t, env, "connection", "list")
	if !strings.Contains(errs, "(error code cn004, request r-1, trace 4bf92f3577b34da6a3ce929d0e0e4736)") {
		t.Error(errs)
	}
	_, _, errs = runDig(t, env, "connection", "list", "-o", "json")
	var doc struct {
		Error struct{ ErrorCode, RequestID, TraceID string }
	}
	if json.Unmarshal([]byte(errs), &doc) != nil || doc.Error.ErrorCode != "cn004" || doc.Error.RequestID != "r-1" ||
		!strings.HasPrefix(doc.Error.TraceID, "4bf9") {
		t.Error(errs)
	}
	page = true
	for _, args := range [][]string{{"query", "execute", "SELECT 1"}, {"query", "execute", "SELECT 1", "-o", "json"},
		{"connection", "list"}} {
		code, _, errs := runDig(t, env, args...)
		if code != exitcode.Failed || !strings.Contains(errs, "web page") || strings.Contains(errs, "--limit") {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}

// TestErrorsAsJSON: with JSON asked for in any way, every line of stderr is one object, notes and mistakes on the
// command line too.
func TestErrorsAsJSON(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"message":"no such thing"}`)
	}))
	defer srv.Close()
	for _, c := range []struct {
		form string
		args []string
		code int
	}{
		{"json", []string{"connection", "list", "-o", "nope"}, exitcode.Usage},
		{"json", []string{"connection", "list", "--nope"}, exitcode.Usage},
		{"json", []string{"nope"}, exitcode.Usage},
		{"ndjson", []string{"connection", "list"}, exitcode.Failed},
		{"", []string{"connection", "list", "-o", "json", "--debug"}, exitcode.Failed},
		{"json", []string{"org", "list"}, exitcode.Failed},
	} {
		env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
			"DIG_OUTPUT": c.form}
		code, _, errs := runDig(t, env, c.args...)
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		for _, line := range lines {
			var o map[string]json.RawMessage
			if json.Unmarshal([]byte(line), &o) != nil || o["note"] == nil && o["error"] == nil {
				t.Errorf("%v: %s", c.args, line)
			}
		}
		if code != c.code || !strings.HasPrefix(lines[len(lines)-1], `{"error":`) {
			t.Errorf("%v: exit %d, %s", c.args, code, errs)
		}
	}
}

// TestHostileReplies walks the commands with replies whose every text steers the terminal: none reaches it, and a pipe
// gets bytes as they are.
func TestHostileReplies(t *testing.T) {
	const evil = "e\x1b]0;x\x07\x1b[2J\u009b\u202evil"
	text, _ := json.Marshal(evil)
	doc := `{"id":"1","name":` + string(text) + `,"tableName":` + string(text) + `,"status":"COMPLETED","message":` +
		string(text) + `,"query":` + string(text) +
		`,"columns":[{"columnName":` + string(text) + `,"dataType":"varchar","name":` + string(text) + `}],"data":[[` +
		string(text) + `]]}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Evil", "e\u009bvil")
		switch {
		case strings.Contains(strings.ToLower(r.URL.Path), "sample"), strings.HasSuffix(r.URL.Path, "/text"):
			w.Header().Set("Content-Type", "text/csv")
			io.WriteString(w, evil+","+evil+"\nx,y\n")
		case strings.Contains(r.URL.Path, "stream"):
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: messages\ndata: "+string(text)+"\n\n")
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "["+doc+"]")
		default:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, doc)
		}
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234",
		"DIG_ORG": "1b7a1843-8ce4-473a-b7f7-68faa2f6f411", "DIG_WORKSPACE": "1b7a1843-8ce4-473a-b7f7-68faa2f6f411",
		"NO_COLOR": "1", "DIG_PAGER": "cat", "DIG_CACHE_DIR": t.TempDir(), "DIG_CONFIG_DIR": t.TempDir(),
		"DIG_STATE_DIR": t.TempDir(), "DIG_ZONE": "us"}
	shown := 0
	for _, l := range readTellLines(strings.NewReplacer("$CSV", "/dev/null", "$THREE", "/dev/null", "$FILES", "/tmp",
		"$EXPORT", "1", "$GOLDEN", "1", "$RELATION", "1", "$OTHER", "Abcd1234", "$QUERY", "1210890979914023812")) {
		if joined := strings.Join(l.args, " "); strings.Contains(joined, "wait") || l.args[0] == "gateway" ||
			l.args[0] == "profile" || strings.Contains(joined, "--out") || strings.Contains(joined, "--download") ||
			strings.Contains(joined, "completion") || strings.Contains(joined, "refresh") || strings.Contains(joined,
			"--key-file") || strings.Contains(joined, "--each-row") {
			continue
		}
		for _, more := range [][]string{nil, {"-o", "json"}, {"--dry-run"}, {"--explain"}, {"--debug"}} {
			_, out := screen(t, env, append(slices.Clone(l.args), more...)...)
			if strings.ContainsAny(out, "\x1b\x07\u009b\u202e") {
				t.Errorf("%v %v: %q", l.args, more, out)
			}
			if strings.Contains(out, "vil") {
				shown++
			}
		}
	}
	if shown < 50 {
		t.Errorf("only %d commands have shown what the gateway said", shown)
	}
	_, out := screen(t, env, "table", "sample", "people")
	if strings.ContainsAny(out, "\x1b\u009b") || !strings.Contains(out, "vil") {
		t.Errorf("%q", out)
	}
	if _, out, _ := runDig(t, env, "table", "sample", "people"); out != evil+","+evil+"\n" {
		t.Errorf("piped: %q", out)
	}
}
