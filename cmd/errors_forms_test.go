package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestErrorForms: the four shapes of error bodies become one form, with the class, the message, the path and, where there is one, a hint.
func TestErrorForms(t *testing.T) {
	for name, c := range map[string]struct {
		status              int
		body, kind, message string
	}{
		"data":       {400, `{"errorCode":100,"message":"There is no query with id: 5"}`, "not-found", "There is no query with id: 5 (HTTP 400)"},
		"connection": {400, `{"error":"INVALID_CREDENTIALS","message":"no entry","errorCode":"cn001"}`, "invalid", "no entry (HTTP 400)"},
		"cache":      {400, `{"error":"WrongRequestException","message":"Cache settings not found","errorCode":null}`, "not-found", "Cache settings not found (HTTP 400)"},
		"framework":  {405, `{"timestamp":"t","path":"/x","status":405,"error":"Method Not Allowed","requestId":"a-1","message":"verb"}`, "not-supported", "verb (HTTP 405)"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234"}
		_, _, errs := runDig(t, env, "query", "get", "1210890979914023812", "-o", "json")
		srv.Close()
		var got struct {
			Error errorJSON `json:"error"`
		}
		if err := json.Unmarshal([]byte(errs), &got); err != nil {
			t.Errorf("%s: %v: %s", name, err, errs)
			continue
		}
		e := got.Error
		if e.Kind != c.kind || e.Code != c.kind || e.Message != c.message || e.Path != "/data/projects/AbCd1234/queries/1210890979914023812" || e.Status != c.status {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestHostedBugs: what the service answers for faults of its own is told from what a request is to blame for.
func TestHostedBugs(t *testing.T) {
	for _, c := range []struct{ method, url, message, want string }{
		{"GET", "https://h/api/v1/data/projects/p/catalogs/1/schemas/s/tables", "Unrecognized token 'Orders': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')", "comment of a table"},
		{"POST", "https://h/api/v1/data/projects/p/cache", "Catalog p_internal_1 does not exist", "isCacheable"},
		{"POST", "https://h/api/v1/data/projects/p/cache", "schedule is not valid", ""},
		{"GET", "https://h/api/v1/data/projects/p/cache/status", "Catalog x does not exist", ""},
		{"POST", "https://h/api/v1/data/projects/p/queries/execute", "line 1:8: Column 'json' cannot be resolved", ""},
	} {
		if got := hintOf(&api.Error{Status: 400, Kind: api.KindInvalid, Method: c.method, URL: c.url, Message: c.message}); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.message, got, c.want)
		}
	}
}
