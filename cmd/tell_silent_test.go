package cmd

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/spec"
)

// TestTellingOnNothing: zone local is not begun by a run that only tells.
func TestTellingOnNothing(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	for _, args := range [][]string{{"workspace", "create", "w"}, {"table", "list"}, {"query", "execute", "SELECT 1"},
		{"gateway", "reset", "--yes"}, {"workspace", "delete", "default", "--yes"}} {
		for _, flag := range []string{"--dry-run", "--explain"} {
			w := &tellWorld{t: t, dir: t.TempDir()}
			w.env = map[string]string{"HOME": w.dir, "TMPDIR": w.dir}
			t.Setenv("TMPDIR", w.dir)
			w.run(append(args, flag)...)
			if diff := changes(map[string]string{".": "directory"}, w.tree()); len(diff) > 0 {
				t.Errorf("%v %s: %v", args, flag, diff)
			}
		}
	}
}

// TestTellingSendsNothing runs every command with both flags against a gateway on the network: a dry run sends reads
// alone, and --explain the look-ups of names, never what it explains.
func TestTellingSendsNothing(t *testing.T) {
	if !local().Available {
		t.Skip("zone local needs cgo")
	}
	w := newTellWorld(t)
	var mu sync.Mutex
	var sent []string
	w.serve("us", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			sent = append(sent, r.Method+" "+r.URL.Path)
			mu.Unlock()
			next.ServeHTTP(rw, r)
		})
	})
	take := func() []string {
		mu.Lock()
		defer mu.Unlock()
		out := sent
		sent = nil
		return out
	}
	was := w.tree()
	explained := regexp.MustCompile(`curl -sS -X (\S+) 'http://[^/]+([^?']*)`)
	for _, l := range readTellLines(w.vars) {
		for _, flag := range []string{"--dry-run", "--explain", "-o json"} {
			args := append(slices.Clone(l.args), flag)
			if flag == "-o json" {
				if args = asJSON(l.args); args == nil {
					continue
				}
				args = append(args, "--dry-run")
			}
			take() // what an earlier command was still sending
			_, out, _ := w.run(args...)
			sent := take()
			is := w.tree()
			for _, path := range changes(was, is) {
				if !strings.Contains(path, " data") { // which the gateway has open
					t.Errorf("%s %s: %s", strings.Join(l.args, " "), flag, path)
				}
			}
			was = is
			for _, s := range sent {
				method, path, _ := strings.Cut(s, " ")
				op, known := spec.Of(method, strings.TrimPrefix(path, "/api/v1"))
				if method != http.MethodGet || known && op.Changes() { // a GET may open a session
					t.Errorf("%s %s sends %s", strings.Join(l.args, " "), flag, s)
				}
			}
			if flag != "--explain" {
				continue
			}
			for _, m := range explained.FindAllStringSubmatch(out, -1) {
				if slices.Contains(sent, m[1]+" "+m[2]) {
					t.Errorf("%s --explain sends what it explains: %s %s", strings.Join(l.args, " "), m[1], m[2])
				}
			}
		}
	}
}
