package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dig-cli/dig/pkg/spec"
)

var errNot = errors.New("not permitted")

// guardedClient is a client that may change nothing, and the number of requests that a gateway has seen of it.
func guardedClient(t *testing.T) (*Client, *atomic.Int64) {
	var seen atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if raw, err := io.ReadAll(r.Body); err != nil || r.Method == http.MethodPost && len(raw) == 0 {
			t.Errorf("%s %s: the body did not arrive: %q, %v", r.Method, r.URL, raw, err)
		}
		io.WriteString(w, "[]")
	}))
	t.Cleanup(srv.Close)
	cl, err := New(Options{BaseURL: srv.URL + "/api/v1", Slashes: true, Permit: func(context.Context,
		string) error {
		return errNot
	}})
	if err != nil {
		t.Fatal(err)
	}
	return cl, &seen
}

// TestGuard: of all operations only those pass that change nothing, and of other requests only reads.
func TestGuard(t *testing.T) {
	cl, seen := guardedClient(t)
	try := func(method, path, query string, header http.Header, body any, passes bool) {
		t.Helper()
		seen.Store(0)
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		rep, err := cl.Do(t.Context(), method, path, q, header, body)
		if err == nil {
			rep.Body.Close()
		}
		var ae *Error
		if passes != (err == nil) || passes != (seen.Load() == 1) || !passes && (!errors.Is(err, errNot) ||
			!errors.As(err, &ae) || ae.Unsure || seen.Load() != 0) {
			t.Errorf("%s %s?%s %v: %v, %d requests arrived", method, path, query, body, err, seen.Load())
		}
	}
	selects := []byte(`{"statement":"SELECT 1"}`)
	changing := 0
	for _, op := range append(spec.All(), spec.Local()...) {
		path := op.Path
		for _, p := range op.Params() {
			path = strings.Replace(path, "{"+p+"}", "x", 1)
		}
		var body any
		if op.Method != http.MethodGet && op.Method != http.MethodDelete {
			body = selects
		}
		if op.Changes() {
			changing++
		}
		try(op.Method, path, "", nil, body, !op.Changes())
	}
	// the service has 85 that are no GET, of which 3 read, and a GET that opens a session; zone local has 10 more
	if changing != 85-3+1+10 {
		t.Errorf("%d operations change something", changing)
	}
	at := "/data/projects/p/queries/execute"
	for _, body := range []string{
		`{"statement":"SELECT 1","bindings":["DROP"],"timeout":5}`, `{"id":"1"}`, `{"qualifiedName":"peaka.query.q"}`,
		`{"from":[{"catalogId":"1"}],"columns":["a"],"limit":1}`, `{"statement":"show tables"}`,
	} {
		try("POST", at, "format=SIMPLE", nil, []byte(body), true)
	}
	for _, body := range []string{
		`{"statement":"DELETE FROM a.b.c"}`, `{"statement":"SELECT 1","statement":"DROP TABLE t"}`,
		`{"Statement":"DROP TABLE t"}`, `{"query":"DROP TABLE t"}`, `[]`, `{}{}`, `{"statement":["DROP"]}`,
		`{"statement":"SELECT 1"`, `{"id":"1"} {"statement":"DROP TABLE t"}`, `DROP TABLE t`,
	} {
		try("POST", at, "", nil, []byte(body), false)
	}
	try("POST", at, "_method=DELETE", nil, selects, false)
	try("POST", at, "", http.Header{"Content-Type": {"text/plain"}}, selects, false)
	try("POST", at, "", http.Header{"Content-Encoding": {"gzip"}}, selects, false)
	try("POST", at, "", nil, Payload{ContentType: "application/json", Reader: strings.NewReader(string(selects))}, true)
	try("POST", at, "", nil, Payload{ContentType: "text/csv", Reader: strings.NewReader("a")}, false)
	for _, name := range []string{"X-HTTP-Method-Override", "X-Http-Method", "X-Method-Override",
		"x_http_method_override", "X_HTTP_METHOD"} {
		try("GET", "/info", "", http.Header{name: {"DELETE"}}, nil, false)
		try("POST", at, "", http.Header{name: {"DELETE"}}, selects, false)
	}
	for _, path := range []string{
		"/nowhere", "/data/projects/p/queries/execute/", "/data/projects/p/queries/execute/../../../x",
		"/data/projects/p%2F..%2Fx/search", "/data/projects/p;x/search", "/sql/transpile/..",
	} {
		try("POST", path, "", nil, selects, false)
	}
	for _, path := range []string{"/ui/initSession", "/ui/x/../initSession", "/ui/initsession/", "/ui/%69nitSession",
		"/ui/%2569nitSession"} {
		try("GET", path, "projectId=p", nil, nil, false)
	}
	try("GET", "/nowhere", "", nil, nil, true)
	try("GET", "/info", "_method=DELETE", nil, nil, false)
	try("HEAD", "/nowhere", "", nil, nil, true)
	try("OPTIONS", "/info", "", nil, nil, false)
}
