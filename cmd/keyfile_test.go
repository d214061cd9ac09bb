package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// A key is never written into a file that was there before: whoever made it, or has it open, would read the key.
func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	before, err := theirs.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := writeSecret(path, "the key"); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) || after.Mode().Perm() != 0o600 {
		t.Errorf("the same file %v, mode %v", os.SameFile(before, after), after.Mode())
	}
	if raw, _ := os.ReadFile(path); string(raw) != "the key\n" {
		t.Errorf("%q", raw)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A file for a key never stays without the whole key, and a command that was asked to keep one and could not does not end with 0.
func TestKeyThatCannotBeKept(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"apiKeyId":"11111111-1111-4111-8111-111111111111","name":"ci"}`)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234", "DIG_ZONE": "us"}
	path := filepath.Join(t.TempDir(), "key")
	code, out, errs := runDig(t, env, "api-key", "create", "ci", "--key-file", path, "-o", "json")
	if code != exitFailed || !strings.Contains(errs, "did not tell") || !strings.Contains(out, "11111111-1111") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("an empty file is left")
	}
	if code, _, errs := runDig(t, env, "api-key", "create", "ci", "--store", "other"); code != exitFailed || !strings.Contains(errs, "did not tell") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, _, errs := runDig(t, env, "api-key", "create", "ci"); code != 0 || !strings.Contains(errs, "did not tell") {
		t.Errorf("exit %d: %s", code, errs)
	}

	full, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600) // not one that can be written
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	text := "pk.new"
	v, err := (&Env{}).keepKey(api.ApiKey{ApiKey: &text}, "p", full, nil, "")
	if err != nil || v.fail == nil || v.fail.exit != exitFailed {
		t.Errorf("%v, %v", v.fail, err)
	}
	if shown := v.value.(api.ApiKey); shown.ApiKey == nil || *shown.ApiKey != text {
		t.Errorf("the key is lost: %v", shown)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a file without the whole key is left")
	}
}
