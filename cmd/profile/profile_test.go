package profile

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/config"
)

// TestProbeOfAddresses: of the addresses that are documented for a zone, the one that answers with JSON is kept.
func TestProbeOfAddresses(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w,
			"<html>studio</html>")
	}))
	defer page.Close()
	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"userId":"11111111-1111-4111-8111-111111111111","email":"a@b.c"}`)
	}))
	defer real.Close()
	key, err := config.NewKey("abcd1234.abcdefghijklmnopqrstuvwxyz012345")
	if err != nil {
		t.Fatal(err)
	}
	e := &cli.Env{Err: io.Discard, Getenv: func(string) string { return "" }}
	both := []string{page.URL + "/api/v1", real.URL + "/api/v1"}
	info, at, err := askAny(t.Context(), e, config.Profile{}, both, key)
	if err != nil || cli.FactsOf(info).User != "a@b.c" || at != both[1] {
		t.Errorf("%q is kept: %v", at, err)
	}
	if _, at, err := askAny(t.Context(), e, config.Profile{}, both[:1], key); err == nil {
		t.Errorf("%q is kept", at)
	}
}
