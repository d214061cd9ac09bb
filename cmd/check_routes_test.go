package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/cmd/check"
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestCheckRoutes: a documented route that is missing, or is there with another method, is found with requests that
// change nothing, whether the gateway answers OPTIONS or not.
func TestCheckRoutes(t *testing.T) {
	for _, options := range []bool{true, false} {
		t.Run(fmt.Sprintf("options %v", options), func(t *testing.T) {
			var mu sync.Mutex
			sent := map[string]bool{}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				sent[r.Method] = true
				mu.Unlock()
				if r.Method == "GET" && (strings.Contains(r.URL.Path, "initSession") ||
					strings.Contains(r.URL.Path, "generate")) {
					t.Errorf("GET %s, which does something, was sent", r.URL.Path)
				}
				path := strings.TrimPrefix(r.URL.Path, "/api/v1")
				var methods []string
				for _, op := range spec.All() {
					m := op.Method
					if op.ID == spec.GetExport.ID || op.ID == spec.CancelExport.ID {
						continue // not there
					}
					if op.ID == spec.MoveQuery.ID {
						m = "PUT"
					}
					if cli.Matches(op.Path, path) && len(strings.Split(op.Path, "/")) == len(strings.Split(path, "/")) {
						methods = append(methods, m)
					}
				}
				w.Header().Set("Content-Type", "application/json")
				switch {
				case len(methods) == 0:
					w.WriteHeader(404)
					fmt.Fprintf(w, `{"timestamp":"t","path":%q,"status":404,"error":"Not Found","requestId":"r"}`, path)
				case slices.Contains(methods, r.Method):
					fmt.Fprint(w, `{}`)
				default:
					if options {
						w.Header().Set("Allow", strings.Join(methods, ","))
					}
					status := 405
					if options && r.Method == "OPTIONS" {
						status = 200
					}
					w.WriteHeader(status)
					fmt.Fprintf(w,
						`{"timestamp":"t","path":%q,"status":405,"error":"Method Not Allowed","requestId":"r"}`, path)
				}
			}))
			defer srv.Close()
			env := map[string]string{"DIG_BASE_URL": srv.URL + "/api/v1", "DIG_API_KEY": testKey,
				"DIG_PROJECT": "AbCd1234"}
			code, out, errs := runDig(t, env, "check", "--routes", "-o", "json")
			var found []check.RouteFinding
			if err := json.Unmarshal([]byte(out), &found); err != nil || code != exitcode.Job {
				t.Fatalf("exit %d, %v: %s\n%s", code, err, out, errs)
			}
			is := map[string]string{}
			for _, f := range found {
				is[f.Operation] = f.Found
			}
			if is["getExport"] != check.RouteMissing || is["cancelExport"] != check.RouteMissing ||
				is["listExports"] != "" {
				t.Errorf("found %v", is)
			}
			if want := map[bool]string{true: check.RouteMissing,
				false: check.RouteUnknown}[options]; is["moveQuery"] != want {
				t.Errorf("moveQuery is %q, want %q", is["moveQuery"], want)
			}
			if options && len(is) != 3 {
				t.Errorf("found %v", is)
			}
			for m := range sent {
				if m != "GET" && m != "OPTIONS" {
					t.Errorf("sent %s", m)
				}
			}
		})
	}
}
