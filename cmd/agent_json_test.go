package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAgentJSONInMessages: an answer that is JSON inside a text is shown by its parts, and --no-execute is sent.
func TestAgentJSONInMessages(t *testing.T) {
	var sent string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		sent = string(raw)
		io.WriteString(w, `{"result":{"messages":[{"id":["langchain","AIMessage"],"kwargs":{"content":"{\"summary\":\"three orders\",\"data\":[{\"n\":3}]}"}}]}}`)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234", "DIG_ZONE": "us"}
	code, out, errs := runDig(t, env, "agent", "chat", "how many?", "--no-execute")
	if code != 0 || !strings.Contains(out, "three orders") || strings.Contains(out, `"summary"`) || !strings.Contains(sent, `"noExecute":true`) {
		t.Errorf("exit %d, sent %s: %s%s", code, sent, out, errs)
	}
}
