package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// TestDocumentWithoutKey asks as a stranger over TCP does: the document is public, and nothing else is.
func TestDocumentWithoutKey(t *testing.T) {
	g := gatewaytest.Open(t)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/openapi.json", 200},
		{"POST", "/openapi.json", 404},
		{"GET", "/api/v1/openapi.json", 401},
		{"GET", "/api/v1/info", 401},
	} {
		w := httptest.NewRecorder()
		g.Web.Handler.ServeHTTP(w, httptest.NewRequest(c.method, c.path, http.NoBody))
		if w.Code != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.status)
		}
		if c.status == 200 && (w.Body.String() != string(api.OpenAPI()) ||
			w.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%s %s: %s, %d bytes", c.method, c.path, w.Header().Get("Content-Type"), w.Body.Len())
		}
	}
}
