package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/spec"
)

// TestErrorShapes holds the four error bodies of the service, and bodies that are none of them, against what callers
// see.
func TestErrorShapes(t *testing.T) {
	for name, c := range map[string]struct {
		status                 int
		body                   string
		kind                   Kind
		code, errName, message string
		header                 http.Header
	}{
		"data": {400, `{"errorCode":100,"message":"Table 'a.b.c' does not exist"}`, KindInvalid, "100", "",
			"Table 'a.b.c' does not exist", nil},
		"missing query": {400, `{"errorCode":100,"message":"There is no query with id: 5"}`, KindNotFound, "100", "",
			"There is no query with id: 5", nil},
		"connection": {400,
			`{"error":"INVALID_CONNECTION_ID","message":"invalid connection id","errorCode":"cn004"}`, KindNotFound,
			"cn004", "INVALID_CONNECTION_ID", "invalid connection id", nil},
		"bad credentials": {400, `{"error":"INVALID_CREDENTIALS","message":"no","errorCode":"cn001"}`, KindInvalid,
			"cn001", "INVALID_CREDENTIALS", "no", nil},
		"cache, null code": {400,
			`{"error":"WrongRequestException","message":"Cache settings not found","errorCode":null}`, KindNotFound, "",
			"WrongRequestException", "Cache settings not found", nil},
		"cache, code": {400, `{"error":"WrongRequestException","message":"no","errorCode":"TABLE_NOT_CACHEABLE"}`,
			KindInvalid, "TABLE_NOT_CACHEABLE", "WrongRequestException", "no", nil},
		"framework 404": {404,
			`{"timestamp":"2026-01-01T00:00:00Z","path":"/x","status":404,"error":"Not Found","requestId":"a-1"}`,
			KindNotFound, "", "Not Found", "Not Found", nil},
		"framework 405": {405, `{"timestamp":"t","path":"/x","status":405,"error":"Method Not Allowed",` +
			`"requestId":"a-1","message":"verb"}`, KindNotSupported, "", "Method Not Allowed", "verb", nil},
		"only code": {400, `{"code":"E1","reason":"because"}`, KindInvalid, "E1", "", "because", nil},
		"401 empty": {401, ``, KindUnauthorized, "", "",
			"the gateway answered 401 Unauthorized without a message", nil},
		"403 text": {403, `no entry`, KindForbidden, "", "", "the gateway answered 403 Forbidden: no entry",
			nil},
		"409": {409, `{"errorCode":100,"message":"taken"}`, KindConflict, "100", "", "taken", nil},
		"500 html": {500, `<html><body>boom</body></html>`, KindUnavailable, "", "",
			"the gateway answered 500 Internal Server Error with a web page instead of JSON", nil},
		"429": {429, `{"message":"slow down"}`, KindUnavailable, "", "", "slow down", nil},
		"501": {501,
			`{"error":"NotSupported","message":"needs a model","errorCode":"NOT_SUPPORTED_LOCALLY"}`, KindNotSupported,
			"NOT_SUPPORTED_LOCALLY", "NotSupported", "needs a model", nil},
		"504": {504, ``, KindTimeout, "", "", "the gateway answered 504 Gateway Timeout without a message",
			nil},
		"array body": {400, `[1,2]`, KindInvalid, "", "", "the gateway answered 400 Bad Request: [1,2]", nil},
		"message not text": {400, `{"message":{"a":1}}`, KindInvalid, "", "", "the gateway answered 400 Bad Request",
			nil},
		"304": {304, ``, KindProtocol, "", "",
			"the gateway answered 304 Not Modified without a message", nil},
		"redirect": {302, ``, KindProtocol, "", "",
			"the address redirects to https://elsewhere.test/; a key is never sent across a redirect",
			http.Header{"Location": {"https://elsewhere.test/"}}},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				for k, v := range c.header {
					w.Header()[k] = v
				}
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			}))
			defer srv.Close()
			_, err := client(t, srv.URL).Organizations.List(context.Background())
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %T %v, want *Error", err, err)
			}
			if e.Kind != c.kind || e.Code != c.code || e.Name != c.errName || e.Message != c.message ||
				e.Status != c.status {
				t.Errorf("got kind %q code %q name %q message %q status %d", e.Kind, e.Code, e.Name,
					e.Message, e.Status)
			}
			if calls != 1 {
				t.Errorf("%d requests", calls)
			}
		})
	}
}

func client(t *testing.T, base string) *Client {
	t.Helper()
	return clientWithin(t, base, time.Minute)
}

func clientWithin(t *testing.T, base string, limit time.Duration) *Client {
	t.Helper()
	c, err := New(Options{BaseURL: base + "/api/v1", Key: "abcd1234.secretsecretsecretsecretsecretse", Timeout: limit})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUnreachable covers what happens when no reply, or no complete one, comes.
func TestUnreachable(t *testing.T) {
	serve := func(h http.HandlerFunc) string {
		srv := httptest.NewServer(h)
		t.Cleanup(srv.Close)
		return srv.URL
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, c := range map[string]struct {
		base string
		kind Kind
		say  string
	}{
		"refused": {"http://" + closed.Addr().String(), KindUnavailable, "nothing answers at 127.0.0.1"},
		"html": {serve(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!DOCTYPE html><p>hi") }),
			KindProtocol, "web page"},
		"cut json": {serve(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `[{"id":"a","na`) }),
			KindUnavailable, "truncated after 14 bytes"},
		"cut body": {serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `[{"id":`)
		}), KindUnavailable, "closed the connection before the reply was complete"},
		"stalled": {serve(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), KindTimeout,
			"within the time limit"},
		"not tls": {strings.Replace(serve(func(http.ResponseWriter, *http.Request) {}), "http:", "https:", 1),
			KindUnavailable, "does not speak TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			cl := client(t, c.base)
			if c.kind == KindTimeout {
				cl = clientWithin(t, c.base, 300*time.Millisecond)
			}
			_, err := cl.Organizations.List(context.Background())
			var e *Error
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Error(), c.say) {
				t.Fatalf("got %v, want %s with %q", err, c.kind, c.say)
			}
			if strings.Contains(e.Error()+e.Hint, "secret") {
				t.Errorf("the key is in the error: %v", e)
			}
		})
	}
}

// TestLists accepts every envelope that documents or service use for a list.
func TestLists(t *testing.T) {
	for body, want := range map[string]int{
		`[{"id":"1"},{"id":"2"}]`: 2, `{"id":"1"}`: 1, `{"items":[{"id":"1"}]}`: 1, `{"result":[]}`: 0,
		`{"items":null}`: 0, `[]`: 0,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			_ *http.Request) {
			io.WriteString(w, body)
		}))
		got, err := client(t, srv.URL).Organizations.List(context.Background())
		srv.Close()
		if err != nil || len(got) != want || got == nil {
			t.Errorf("%s: %v, %v; want %d", body, got, err, want)
		}
	}
}

// TestCapture keeps the gateway's own bytes, fields unknown to the client included, of the one operation asked for.
func TestCapture(t *testing.T) {
	const body = `{"items":[{"id":"1","fresh":1.10,"newer":[1],"newest":null}]}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, body)
	}))
	defer srv.Close()
	cl := client(t, srv.URL)
	kept := Capture{Op: opByID(t, "listQueryFolders")}
	ctx := WithCapture(context.Background(), &kept)
	if _, err := cl.Organizations.List(ctx); err != nil || kept.Raw != nil {
		t.Fatalf("captured another operation: %s %v", kept.Raw, err)
	}
	if _, err := cl.Folders.List(ctx, "p"); err != nil {
		t.Fatal(err)
	}
	if string(kept.Raw) != `[{"id":"1","fresh":1.10,"newer":[1],"newest":null}]` || !json.Valid(kept.Raw) {
		t.Errorf("captured %s", kept.Raw)
	}
}

func opByID(t *testing.T, id string) spec.Op {
	t.Helper()
	op, ok := spec.Find(id)
	if !ok {
		t.Fatalf("no operation %s", id)
	}
	return op
}

// TestMissingTables tells a call for a table that is not there from a statement that names one.
func TestMissingTables(t *testing.T) {
	for _, c := range []struct {
		path, message string
		kind          Kind
	}{
		{"/data/projects/p/table/t/columns", "Table 'peaka.table.t' does not exist", KindNotFound},
		{"/data/projects/p/bitable/t", "Table 'peaka.bitable.t' does not exist", KindNotFound},
		{"/data/projects/p/table/t/columns/c", "column \"c\" does not exist in table \"t\"", KindNotFound},
		{"/data/projects/p/table/t/import", "table \"t\" has no column \"c\"", KindInvalid},
		{"/data/projects/p/queries/execute", "Table 'peaka.table.t' does not exist", KindInvalid},
	} {
		body, err := json.Marshal(map[string]any{"errorCode": 100, "message": c.message})
		if err != nil {
			t.Fatal(err)
		}
		e := ReadError("GET", "http://localhost/api/v1"+c.path,
			&Reply{Status: 400, Body: io.NopCloser(strings.NewReader(string(body)))})
		if e.Kind != c.kind {
			t.Errorf("%s: %s is %s, not %s", c.path, c.message, e.Kind, c.kind)
		}
	}
}
