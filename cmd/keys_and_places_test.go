package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestDriverStringsHideTheKey: connection strings hold the key, and show it with --reveal alone.
func TestDriverStringsHideTheKey(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"JDBC":"jdbc:x://dbc.example:4567?extraCredentials=peakaKey:%s"}`, testKey)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "AbCd1234",
		"DIG_ZONE": "us"}
	secret := testKey[9:]
	if code, out, errs := runDig(t, env, "driver", "jdbc", "-o", "json", "--debug"); code != 0 ||
		strings.Contains(out+errs, secret) || !strings.Contains(out, "dbc.example") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if code, out, errs := runDig(t, env, "driver", "jdbc", "-o", "json", "--reveal"); code != 0 ||
		!strings.Contains(out, secret) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
