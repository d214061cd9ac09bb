package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/spec"
)

// front is a real gateway behind a proxy that notes what is sent to it and may spoil the answers, as a network or a
// service does that dig has no hold on.
type front struct {
	t    *testing.T
	base string
	key  string
	home string // of the runs: their notes stay from one to the next
	zone string
	vars map[string]string // further variables of the runs
	api  *api.Client       // past the proxy

	mu   sync.Mutex
	hook func(r *http.Request, pass func())
	// ids of the operations, or method and path
	calls []string
	spoil map[string]func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) // by operation
}

func newFront(t *testing.T, zone string, quirks ...string) *front {
	t.Helper()
	return newFrontOver(t, zone, 1, quirks...)
}

// newFrontOver is a front that speaks HTTP/1.1, or HTTP/2 over TLS.
func newFrontOver(t *testing.T, zone string, protocol int, quirks ...string) *front {
	t.Helper()
	needLocal(t)
	odd, err := gateway.ParseQuirks(quirks)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.Open(gateway.Options{Dir: t.TempDir(), OpenEngine: duckdb.Open,
		Log: slog.New(slog.DiscardHandler), Quirks: odd})
	if err != nil {
		t.Fatal(err)
	}
	f := &front{t: t, zone: zone, home: t.TempDir(), key: g.ServeKey(), spoil: map[string]func(http.ResponseWriter,
		*http.Request, func() *http.Response){}}
	s, err := g.Listen(gateway.Address{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Wait(ctx, 0) }()
	behind := &url.URL{Scheme: "http", Host: s.Addr.String()}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := callOf(r)
		f.mu.Lock()
		f.calls = append(f.calls, id)
		spoil, hook := f.spoil[id], f.hook
		f.mu.Unlock()
		if hook != nil {
			hook(r, func() { proxy.ServeHTTP(w, r) })
			return
		}
		if spoil == nil {
			proxy.ServeHTTP(w, r)
			return
		}
		spoil(w, r, func() *http.Response {
			rec := httptest.NewRecorder()
			proxy.ServeHTTP(rec, r)
			return rec.Result()
		})
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	if srv.EnableHTTP2 = protocol == 2; srv.EnableHTTP2 {
		srv.StartTLS()
		ca := filepath.Join(t.TempDir(), "ca.pem")
		writePEM(t, ca, "CERTIFICATE", srv.Certificate().Raw)
		f.vars = map[string]string{"DIG_CA_FILE": ca}
	} else {
		srv.Start()
	}
	t.Cleanup(func() {
		srv.Close()
		stop()
		if err := errors.Join(<-done, g.Close()); err != nil {
			t.Error(err)
		}
	})
	f.base = srv.URL + "/api/v1"
	if f.api, err = api.New(api.Options{BaseURL: fmt.Sprintf("http://%s/api/v1", s.Addr), Key: f.key}); err != nil {
		t.Fatal(err)
	}
	return f
}

// callOf names a request by its operation.
func callOf(r *http.Request) string {
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v1")
	if op, ok := operationOf(r.Method, path); ok {
		return op.ID
	}
	for _, op := range spec.Local() {
		if op.Method == r.Method && cli.Matches(op.Path, path) {
			return op.ID
		}
	}
	return r.Method + " " + path
}

func (f *front) env() map[string]string {
	env := map[string]string{"DIG_ZONE": f.zone, "DIG_BASE_URL": f.base, "DIG_API_KEY": f.key,
		"DIG_PROJECT": gateway.DefaultProject, "HOME": f.home, "DIG_KEY_STORAGE": "file",
		"DIG_CONFIG_DIR": f.home + "/config", "DIG_DATA_DIR": f.home + "/data"}
	maps.Copy(env, f.vars)
	return env
}

// on spoils the answers to an operation from now on; nil does no more.
func (f *front) on(op spec.Op, spoil func(w http.ResponseWriter, r *http.Request, pass func() *http.Response)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoil[op.ID] = spoil
}

// between calls a function for every request from now on, which passes it on; nil calls none.
func (f *front) between(hook func(r *http.Request, pass func())) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = hook
}

// changing reports whether a request changes something.
func changing(r *http.Request) bool {
	op, ok := spec.Find(callOf(r))
	return !ok || !op.Safe()
}

// sent returns what was sent since it was asked before, without reads.
func (f *front) sent() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, id := range f.calls {
		if op, ok := spec.Find(id); !ok || !op.Safe() {
			out = append(out, id)
		}
	}
	f.calls = nil
	return strings.Join(out, " ")
}

func (f *front) dig(args ...string) (code int, stdout, stderr string) {
	f.t.Helper()
	return f.digIn("", args...)
}

func (f *front) digIn(stdin string, args ...string) (code int, stdout, stderr string) {
	f.t.Helper()
	env := f.env()
	var out, errs bytes.Buffer
	e := &cli.Env{Zone: local(), Name: "dig", Args: args, In: strings.NewReader(stdin), Out: &out, Err: &errs,
		Dir: f.home,
		Now: time.Now, Getenv: environ(f.t, env)}
	code = Run(context.Background(), e)
	return code, out.String(), errs.String()
}

// want runs a command line that has to end with a code.
func (f *front) want(code int, args ...string) string {
	f.t.Helper()
	got, _, errs := f.dig(args...)
	if got != code {
		f.t.Errorf("dig %s: exit %d, want %d: %s", strings.Join(args, " "), got, code, errs)
	}
	return errs
}

// rows counts the rows of an internal table, past the proxy; -1 for no table.
func (f *front) rows(table string) int64 {
	f.t.Helper()
	n, err := contents.Rows(f.t.Context(), f.api, gateway.DefaultProject, "table", table)
	if err != nil {
		return -1
	}
	return n
}

// The ways to spoil an answer.

func lose(w http.ResponseWriter, _ *http.Request, pass func() *http.Response) {
	pass()
	panic(http.ErrAbortHandler)
}

func replyWith(status int, body string, done bool) func(http.ResponseWriter, *http.Request, func() *http.Response) {
	return func(w http.ResponseWriter, r *http.Request, pass func() *http.Response) {
		if done {
			pass()
		} else {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}
