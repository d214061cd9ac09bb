package profile

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/config"
)

// TestProbeOfAddresses: of the addresses that are documented for a zone, the one that answers with JSON is kept.
func TestProbeOfAddresses(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>studio</html>") }))
	defer page.Close()
	real := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"userId":"11111111-1111-4111-8111-111111111111","email":"a@b.c"}`)
	}))
	defer real.Close()
	key, err := config.NewKey("abcd1234.abcdefghijklmnopqrstuvwxyz012345")
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	e := &cli.Env{Err: &errs, Getenv: func(string) string { return "" }}
	if got, facts := probe(t.Context(), e, config.Profile{}, []string{page.URL + "/api/v1", real.URL + "/api/v1"}, key); facts.User != "a@b.c" || got != real.URL+"/api/v1" {
		t.Errorf("%q is kept", got)
	}
	if got, _ := probe(t.Context(), e, config.Profile{}, []string{page.URL + "/api/v1"}, key); got != "" || !strings.Contains(errs.String(), "none of the addresses answered") {
		t.Errorf("%q is kept: %s", got, errs.String())
	}
}
