package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestUnknownFieldsSurvive: fields this client does not know are printed as the gateway sent them, and a list that
// comes as one object, as the documents have it, is printed as a list.
func TestUnknownFieldsSurvive(t *testing.T) {
	const org = "11111111-1111-4111-8111-111111111111"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"w1","name":"one","fresh":1.10,"newer":{"a":[9007199254740993]},"newest":null}`)
	}))
	defer srv.Close()
	env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_ORG": org}
	code, out, errs := runDig(t, env, "workspace", "list", "-o", "json")
	if want := `[{"id":"w1","name":"one","fresh":1.10,"newer":{"a":[9007199254740993]},"newest":null}]`; code != 0 ||
		strings.TrimSpace(out) != want {
		t.Errorf("exit %d, %s\n%s", code, out, errs)
	}
	if _, out, _ = runDig(t, env, "workspace", "list", "--columns", "fresh,newer.a", "-o",
		"csv"); !strings.Contains(out, "1.10,[9007199254740993]") {
		t.Errorf("a table of unknown fields: %q", out)
	}
}

// TestOtherPaths: where the usual path to create a catalog does not exist, the specification's own is tried.
func TestOtherPaths(t *testing.T) {
	for _, status := range []int{404, 405} {
		var asked []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			asked = append(asked, r.Method+" "+r.URL.Path)
			switch {
			case r.URL.Path == "/api/v1/projects/Abcd1234/catalogs":
				io.WriteString(w, `{"id":"1210890979914023812","name":"shop","displayName":"shop",`+
					`"catalogType":"peaka_postgres","connectionId":"c"}`)
			case r.Method == "GET":
				io.WriteString(w, `[{"id":"22222222-2222-4222-8222-222222222222","name":"shopdb","type":"POSTGRES"}]`)
			default:
				w.WriteHeader(status)
				io.WriteString(w, `{"timestamp":"t","path":"p","status":404,"error":"Not Found","requestId":"r"}`)
			}
		}))
		env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey, "DIG_PROJECT": "Abcd1234"}
		code, out, errs := runDig(t, env, "catalog", "create", "shop", "--connection", "shopdb", "-o", "json")
		srv.Close()
		if code != 0 || !strings.Contains(out, `"1210890979914023812"`) {
			t.Errorf("%d: exit %d, %s %s\nasked %v", status, code, out, errs, asked)
		}
	}
}
