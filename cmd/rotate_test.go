package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestRotateFails: whatever fails while a key is replaced, the key in its file works, and no key is left that nobody
// has.
func TestRotateFails(t *testing.T) {
	type answer = func(w http.ResponseWriter, r *http.Request, pass func() *http.Response)
	refuse := func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) { w.WriteHeader(500) }
	lose := func(_ http.ResponseWriter, _ *http.Request, pass func() *http.Response) {
		pass()
		panic(http.ErrAbortHandler)
	}
	for name, c := range map[string]struct {
		op    spec.Op
		fails answer
		exit  int
		keys  int
		says  string
	}{
		"creation refused":      {spec.CreateApiKey, refuse, 5, 1, ""},
		"creation lost":         {spec.CreateApiKey, lose, 5, 1, "the reply with the new key was lost"},
		"new key not known":     {spec.GetKeyInfo, refuse, 5, 1, "the new key does not work"},
		"deletion refused":      {spec.DeleteApiKey, refuse, 5, 2, "was not deleted"},
		"deletion's reply lost": {spec.DeleteApiKey, lose, 0, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFront(t, "local")
			f.ok("api-key", "create", "ci", "--key-file", filepath.Join(f.home, "ci.key"))
			f.on(c.op, c.fails)
			errs := f.want(c.exit, "api-key", "rotate", "ci", "--key-file", filepath.Join(f.home, "ci.key"), "--yes")
			if !strings.Contains(errs, c.says) {
				t.Errorf("says %s", errs)
			}
			f.on(c.op, nil)
			keys, err := f.api.APIKeys.List(t.Context(), gateway.DefaultProject)
			if err != nil || len(keys) != c.keys {
				t.Errorf("%d keys, want %d: %v", len(keys), c.keys, err)
			}
			raw, err := os.ReadFile(filepath.Join(f.home, "ci.key"))
			if err != nil {
				t.Fatal(err)
			}
			cl, err := api.New(api.Options{BaseURL: f.base, Key: strings.TrimSpace(string(raw))})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cl.Info.Get(t.Context()); err != nil {
				t.Errorf("the key in the file: %v", err)
			}
		})
	}
}
