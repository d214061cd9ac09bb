package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// A file for a key never stays without the whole key, and a command that was asked to keep one and could not does not
// end with 0.
func TestKeyThatIsNotReturned(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			io.WriteString(w, "[]")
			return
		}
		io.WriteString(w, `{"apiKeyId":"11111111-1111-4111-8111-111111111111","name":"ci"}`)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234",
		"DIG_ZONE": "us"}
	path := filepath.Join(t.TempDir(), "key")
	code, out, errs := runDig(t, env, "api-key", "create", "ci", "--key-file", path, "-o", "json")
	if code != exitcode.Failed || !strings.Contains(errs, "did not return") || !strings.Contains(out, "11111111-1111") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("an empty file is left")
	}
	if code, _, errs := runDig(t, env, "api-key", "create", "ci", "--store", "other"); code != exitcode.Failed ||
		!strings.Contains(errs, "did not return") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, errs := runDig(t, env, "api-key", "create", "ci"); code != 0 || !strings.Contains(errs,
		"did not return") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
