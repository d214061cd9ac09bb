package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

const testKey = "abcd1234.abcdefghijklmnopqrstuvwxyz012345"

// runDig runs one command line in this process with a fresh environment.
func runDig(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	home := t.TempDir()
	all := map[string]string{"HOME": home, "DIG_CONFIG_DIR": home + "/config", "DIG_DATA_DIR": home + "/data",
		"DIG_KEY_STORAGE": "file"}
	maps.Copy(all, env)
	e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(""), Out: &out, Err: &errs, Dir: home,
		Now:    time.Now,
		Getenv: environ(t, all)}
	code = Run(context.Background(), e)
	return code, out.String(), errs.String()
}

// environ returns env as the environment of a run in this process. Variables of settings are also set in the process,
// where viper reads them.
func environ(t *testing.T, env map[string]string) func(string) string {
	t.Helper()
	for _, name := range []string{"PROFILE", "ZONE", "BASE_URL", "ORG", "WORKSPACE", "PROJECT", "OUTPUT", "TIMEOUT",
		"HISTORY", "PROTECT", "FILES", "JOURNAL", "CONNECT_TIMEOUT", "REPLY_TIMEOUT", "CA_FILE", "CLIENT_CERT",
		"CLIENT_KEY"} {
		if name = "DIG_" + name; os.Getenv(name) != env[name] { // runs without settings may stand beside each other
			t.Setenv(name, env[name])
		}
	}
	return func(k string) string { return env[k] }
}

// TestFailures shows what a user sees of each way a gateway can fail: message, hint and exit code, nothing on stdout,
// no key.
func TestFailures(t *testing.T) {
	answer := func(status int, kind, body string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			if r.URL.Path != "/api/v1/organizations" {
				status, body := 404, `{"timestamp":"t","path":"p","status":404,"error":"Not Found","requestId":"r"}`
				w.WriteHeader(status)
				io.WriteString(w, body)
				return
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		t.Cleanup(srv.Close)
		return srv.URL + "/api/v1"
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	const asJSON = "application/json"
	for name, c := range map[string]struct {
		base string
		code int
		say  []string
	}{
		"refused port": {"http://" + closed.Addr().String() + "/api/v1", 5, []string{"nothing answers at 127.0.0.1",
			"hint: check the base address"}},
		"wrong path": {strings.TrimSuffix(answer(200, asJSON, `[]`), "/v1") + "/v9", 3,
			[]string{"Not Found (HTTP 404)", "hint: ", "/api/v1"}},
		"web page": {answer(200, "text/html", "<!doctype html><title>x</title>"), 1,
			[]string{"web page", "hint: check the base address"}},
		"401": {answer(401, asJSON, `{"message":"bad key"}`), 4, []string{"bad key (HTTP 401)",
			"hint: store a key with `dig auth login`"}},
		"403": {answer(403, asJSON, ``), 4, []string{"403 Forbidden", "hint: ", "partner key"}},
		"404": {answer(404, asJSON, `{"errorCode":100,"message":"gone"}`), 3, []string{"gone (HTTP 404)"}},
		"409": {answer(409, asJSON, `{"errorCode":100,"message":"taken"}`), 6, []string{"taken (HTTP 409)"}},
		"500 with HTML": {answer(500, "text/html", "<html>stack trace</html>"), 5,
			[]string{"500 Internal Server Error with a web page", "hint: the gateway failed"}},
		"truncated": {answer(200, asJSON, `[{"id":"1","name":"ac`), 5, []string{"truncated after 21 bytes",
			"hint: try again"}},
		"redirect": {answer(302, asJSON, ``), 1, []string{"redirects", "hint: set the base address"}},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"DIG_BASE_URL": c.base, "DIG_API_KEY": testKey}
			code, out, errs := runDig(t, env, "org", "list")
			if code != c.code || out != "" {
				t.Errorf("exit %d, want %d; stdout %q", code, c.code, out)
			}
			for _, s := range c.say {
				if !strings.Contains(errs, s) {
					t.Errorf("stderr lacks %q:\n%s", s, errs)
				}
			}
			if strings.Contains(errs, testKey[9:]) {
				t.Errorf("the key is on stderr:\n%s", errs)
			}
			code, out, errs = runDig(t, env, "org", "list", "-o", "json")
			if code != c.code || out != "" || !strings.HasPrefix(errs, `{"error":{"code":"`) || !strings.Contains(errs,
				fmt.Sprintf(`"exitCode":%d`, c.code)) {
				t.Errorf("with -o json: exit %d, stdout %q, stderr %s", code, out, errs)
			}
		})
	}
}

// TestNoKeyNoRequest: without a key nothing is sent to a hosted zone.
func TestNoKeyNoRequest(t *testing.T) {
	code, _, errs := runDig(t, nil, "--zone", "us", "org", "list")
	if code != exitcode.NotAllowed {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestTruncatedResult cuts a result at every byte, in the three shapes and several outputs: no run exits 0 with fewer
// rows.
func TestTruncatedResult(t *testing.T) {
	docs := map[string]string{
		"CELL_TYPED": `{"columns":[{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"a"}],` +
			`"data":[[{"name":"a","displayName":"a","dataType":"bigint","order":0,"value":"1"}],[{"name":"a",` +
			`"displayName":"a","dataType":"bigint","order":0,"value":null}]]}`,
		"SIMPLE": `{"columns":[{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"a"}],` +
			`"data":[{"a":"1"},{"a":"2"}]}`,
		"COMPACT": `{"columns":[{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"a"}],` +
			`"data":[["1"],["2"]]}`,
	}
	for format, doc := range docs {
		cut := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, doc[:cut])
		}))
		env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234"}
		for _, o := range []string{"csv", "json", "table", "ndjson"} {
			for cut = 0; cut <= len(doc); cut++ {
				code, out, errs := runDig(t, env, "query", "execute", "--sql", "SELECT a", "--format", format, "-o", o)
				if whole := cut == len(doc); whole != (code == 0) {
					t.Fatalf("%s -o %s, %d of %d bytes: exit %d\n%s\n%s", format, o, cut, len(doc), code, out, errs)
				}
			}
		}
		srv.Close()
	}
}
