package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// parameterGateway refuses a catalog until it has the fields that its type wants, as the service does for google_ads.
func parameterGateway(t *testing.T, fields ...string) (url string, made func() map[string]any) {
	var got map[string]any
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == "GET" {
			io.WriteString(w, `[{"id":"11111111-1111-4111-8111-111111111111","name":"ads","type":"google_ads"}]`)
			return
		}
		var body struct {
			Extra map[string]any `json:"extraParameters"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		for _, f := range fields {
			if body.Extra[f] == nil {
				w.WriteHeader(400)
				fmt.Fprintf(w, `{"errorCode":100,"message":"Missing required fields: %s"}`, strings.Join(fields, ", "))
				return
			}
		}
		got = body.Extra
		io.WriteString(w, `{"id":"1210890979914023812","name":"ads","displayName":"ads","catalogType":"google_ads",`+
			`"connectionId":"11111111-1111-4111-8111-111111111111"}`)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/api/v1", func() map[string]any { return got }
}

// TestCatalogParametersAreAskedFor: exactly the fields that the refusal names are asked for, and what is secret does
// not show.
func TestCatalogParametersAreAskedFor(t *testing.T) {
	base, made := parameterGateway(t, "clientId", "clientSecret", "developerToken")
	x, end := onTerminal(t, base, "catalog", "create", "ads", "--connection", "ads", "--parameter", "clientId=abc")
	x.answer("clientSecret:", "s3cret-one", true)
	x.answer("developerToken:", "", true)
	x.answer("developerToken:", "s3cret-two", true)
	if code := end(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, x.screen())
	}
	if m := made(); m["clientId"] != "abc" || m["clientSecret"] != "s3cret-one" ||
		m["developerToken"] != "s3cret-two" || len(m) != 3 {
		t.Errorf("sent %v", m)
	}
	if strings.Contains(x.screen(), "s3cret") || strings.Contains(x.screen(), "clientId: ") {
		t.Errorf("the screen:\n%s", x.screen())
	}
}

// TestCatalogParametersAreNamed: without a terminal the hint names the flags, and a secret among them on the command
// line is refused.
func TestCatalogParametersAreNamed(t *testing.T) {
	base, made := parameterGateway(t, "clientId", "clientSecret")
	env := map[string]string{"DIG_BASE_URL": base, "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234"}
	create := []string{"catalog", "create", "ads", "--connection", "ads"}
	code, _, stderr := runDig(t, env, create...)
	if code != exitcode.Failed || !strings.Contains(stderr,
		"hint: give --parameter clientId=VALUE --parameter clientSecret=@FILE") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	code, _, stderr = runDig(t, env, append(create, "--parameter", "clientSecret=open-word")...)
	if code != exitcode.Usage || strings.Contains(stderr, "open-word") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = runDig(t, env, append(create, "--parameter", "clientId=abc", "--parameter", "clientSecret=@"+
		file)...)
	if code != exitcode.OK || made()["clientSecret"] != "s3cret" || strings.Contains(stderr, "s3cret") {
		t.Errorf("exit code %d, sent %v: %s", code, made(), stderr)
	}
}
