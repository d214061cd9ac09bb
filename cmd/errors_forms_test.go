package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// TestErrorForms: the four shapes of error bodies become one form, with the class, the message, the path and, where
// there is one, a hint.
func TestErrorForms(t *testing.T) {
	for name, c := range map[string]struct {
		status              int
		body, kind, message string
	}{
		"data": {400, `{"errorCode":100,"message":"There is no query with id: 5"}`, "not-found",
			"There is no query with id: 5 (HTTP 400)"},
		"connection": {400, `{"error":"INVALID_CREDENTIALS","message":"no entry","errorCode":"cn001"}`, "invalid",
			"no entry (HTTP 400)"},
		"cache": {400, `{"error":"WrongRequestException","message":"Cache settings not found","errorCode":null}`,
			"not-found", "Cache settings not found (HTTP 400)"},
		"framework": {405, `{"timestamp":"t","path":"/x","status":405,"error":"Method Not Allowed",` +
			`"requestId":"a-1","message":"verb"}`, "not-supported", "verb (HTTP 405)"},
		"full": {507, `{"status":507,"error":"Insufficient Storage","message":"no space"}`, "disk-full",
			"no space (HTTP 507)"},
		"damaged": {500, `{"errorCode":"LOCAL_DATA_DAMAGED","message":"lost","hint":"restore it"}`, "damaged",
			"lost (HTTP 500)"},
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
			Error exitcode.ErrorJSON `json:"error"`
		}
		if err := json.Unmarshal([]byte(errs), &got); err != nil {
			t.Errorf("%s: %v: %s", name, err, errs)
			continue
		}
		e := got.Error
		if e.Kind != c.kind || e.Code != c.kind || e.Message != c.message ||
			e.Path != "/data/projects/AbCd1234/queries/1210890979914023812" || e.Status != c.status {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
