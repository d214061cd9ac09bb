package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// runAgainst runs dig against a gateway of a hosted zone.
func runAgainst(t *testing.T, address string, args ...string) (code int, out, errs string) {
	t.Helper()
	dir := t.TempDir()
	vars := map[string]string{"HOME": dir, "DIG_CONFIG_DIR": dir, "DIG_DATA_DIR": dir, "XDG_CACHE_HOME": dir,
		"DIG_ZONE": "us", "DIG_BASE_URL": address + "/api/v1", "DIG_PROJECT": "abcd1234",
		"DIG_API_KEY": "abcdefgh.abcdefghijklmnopqrstuvwxyz012345", "DIG_KEY_STORAGE": "file"}
	var stdout, stderr bytes.Buffer
	e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(""), Out: &stdout, Err: &stderr,
		Dir: dir,
		Now: time.Now, Getenv: environ(t, vars)}
	code = Run(context.Background(), e)
	return code, stdout.String(), stderr.String()
}

// TestOAuthConnection: a connection that a provider authorizes has a credential, if an empty one, and a refusal is no
// success.
func TestOAuthConnection(t *testing.T) {
	var sent string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		raw, _ := io.ReadAll(r.Body)
		switch {
		case strings.HasSuffix(r.URL.Path, "/connections/config"):
			io.WriteString(w, `[{"connectionType":"hubspot","redirectRequired":true,"authorizationType":"oauth2",`+
				`"configuration":[{"fieldName":"clientId","fieldType":"text"}]}]`)
		case strings.HasSuffix(r.URL.Path, "/oauth2"):
			io.WriteString(w, `{"id":"c1","name":"hub","type":"hubspot"}`)
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/connections/abcd1234"):
			io.WriteString(w, "[]")
		case r.Method == http.MethodPost:
			var body map[string]json.RawMessage
			if json.Unmarshal(raw, &body) != nil || body["credential"] == nil {
				w.WriteHeader(400)
				io.WriteString(w, `{"error":"Bad Request","message":"credential is missing","status":400,"path":"/",`+
					`"requestId":"r","timestamp":"t"}`)
				return
			}
			sent = string(body["credential"])
			io.WriteString(w, `{"id":"c1","name":"hub","type":"hubspot","url":"https://provider.example.com/consent"}`)
		default:
			io.WriteString(w, `{"userId":"u","email":"e","projectId":"abcd1234"}`)
		}
	}))
	defer srv.Close()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "{}"},
		{[]string{"--credential", "clientId=me"}, `{"clientId":"me"}`},
		{[]string{"--body", `{"credential":{}}`}, "{}"},
	} {
		sent = ""
		code, _, errs := runAgainst(t, srv.URL, append([]string{"connection", "create", "hub", "--type", "hubspot",
			"--callback", "https://me.example.com/"}, c.args...)...)
		if code != 0 || sent != c.want {
			t.Errorf("%q: exit %d, credential %q, want %q: %s", c.args, code, sent, c.want, errs)
		}
	}
	for query, want := range map[string]int{
		"connectionId=c1&status=success": 0,
		"connectionId=c1&status=fail":    exitcode.Failed,
		"connectionId=c1&status=FAILED":  exitcode.Failed,
		"error=access_denied&state=x":    exitcode.Failed,
		"code=abc&state=x":               0,
		fmt.Sprint("https://me.example.com/?", "connectionId=c1&status=fail"): exitcode.Failed,
	} {
		if code, out, errs := runAgainst(t, srv.URL, "connection", "oauth", "complete", query); code != want {
			t.Errorf("%s: exit %d, want %d: %s%s", query, code, want, out, errs)
		}
	}
}
