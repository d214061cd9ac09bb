// Package gatewaytest is the harness of tests that need a whole gateway: it opens and serves one, and creates in it
// what several tests use.
package gatewaytest

import (
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Open opens a gateway over a new data directory.
func Open(t testing.TB) *gateway.Gateway { return OpenWith(t, gateway.Options{}) }

// OpenWith is Open with options; the directory is set, and the engine unless one is given. With
// DIG_TEST_STORE=postgres the state is in PostgreSQL.
func OpenWith(t testing.TB, o gateway.Options) *gateway.Gateway {
	t.Helper()
	o.Dir = t.TempDir()
	if o.OpenEngine == nil {
		o.OpenEngine = duckdb.Open
	}
	if o.Postgres == nil && os.Getenv("DIG_TEST_STORE") == "postgres" {
		o.Postgres = &store.Postgres{Address: testdb.Postgres(t).String()}
	}
	g, err := gateway.Open(o)
	if err != nil {
		t.Skipf("no local engine in this build: %v", err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// Exchange sends a request to a gateway and reads the whole reply. Without one the status is 0, and the text says why.
func Exchange(g *gateway.Gateway, method, path, kind, body string) (status int, text string) {
	hr := httptest.NewRequest(method, gateway.LocalBaseURL+path, strings.NewReader(body))
	hr.Header.Set("Content-Type", kind)
	res, err := g.Transport().RoundTrip(hr)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(raw)
}
