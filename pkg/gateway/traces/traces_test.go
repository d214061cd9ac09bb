package traces

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// collector receives documents.
type collector struct {
	sync.Mutex
	spans  []span
	header http.Header
	path   string
	refuse int
}

func (c *collector) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	raw, _ := io.ReadAll(hr.Body)
	c.Lock()
	defer c.Unlock()
	if c.refuse > 0 {
		c.refuse--
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var d document
	if json.Unmarshal(raw, &d) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.header, c.path = hr.Header, hr.URL.Path
	for _, r := range d.ResourceSpans {
		for _, s := range r.ScopeSpans {
			c.spans = append(c.spans, s.Spans...)
		}
	}
}

func TestSpans(t *testing.T) {
	c := &collector{refuse: 1}
	srv := httptest.NewServer(c)
	defer srv.Close()
	start := time.Unix(1_800_000_000, 5)
	e, err := New(Options{Endpoint: srv.URL + "/base", Headers: "api-key=a%20b, other=2", Service: "s",
		Attributes: "host.name=h", Version: "1", Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	e.Start()
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	call := web.Call{ID: "r", Op: spec.ExecuteQuery, Method: "POST", Status: 200, Rows: 3, Start: start,
		Took: time.Second, Parent: "00-" + trace + "-" + parent + "-01", Project: "p", Key: "k"}
	e.Call(call)
	call.Parent = "00-" + trace + "-" + parent + "-00" // its caller keeps no spans
	e.Call(call)
	call.Parent, call.Status = "", 500
	e.Call(call)
	e.Call(web.Call{Path: web.ReadyPath, Status: 200})
	e.Run(jobs.End{Kind: jobs.JobCache, Object: "c", Status: "FAILED", Reason: "no 'private' value", Took: time.Minute,
		Rows: -1})
	e.Close()
	e.Close()
	if len(c.spans) != 3 || c.path != "/base/v1/traces" || c.header.Get("Api-Key") != "a b" ||
		c.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d spans at %s with %v", len(c.spans), c.path, c.header)
	}
	s := c.spans[0]
	if s.TraceID != trace || s.Parent != parent || s.Kind != kindServer || s.Start != "1800000000000000005" ||
		s.End != "1800000001000000005" || !strings.HasSuffix(s.Name, spec.ExecuteQuery.Path) || s.Status != nil {
		t.Errorf("%+v", s)
	}
	seen := map[string]string{}
	for _, a := range s.Attributes {
		if a.Value.String != nil {
			seen[a.Key] = *a.Value.String
		} else {
			seen[a.Key] = *a.Value.Int
		}
	}
	for key, want := range map[string]string{"dig.rows": "3", "http.response.status_code": "200", "dig.project.id": "p",
		"dig.operation": "executeQuery", "dig.key.id": "k", "dig.request.id": "r"} {
		if seen[key] != want {
			t.Errorf("%s is %q", key, seen[key])
		}
	}
	if s := c.spans[1]; s.Parent != "" || s.TraceID == trace || s.Status == nil || s.Status.Code != codeError {
		t.Errorf("%+v", s)
	}
	if s := c.spans[2]; s.Name != "run cache" || s.Status == nil || strings.Contains(s.Status.Message, "private") ||
		s.End != "1800000000000000005" {
		t.Errorf("%+v", s)
	}
}

func TestOptions(t *testing.T) {
	for _, bad := range []Options{{Endpoint: "localhost:4318"}, {Endpoint: "grpc://h:4317"}, {Endpoint: "http://"},
		{Endpoint: "http://h", Headers: "secret"}, {Endpoint: "http://h", Attributes: "=x"}} {
		if _, err := New(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for text, want := range map[string]bool{"": true, "x": true, "00-0-0-0": true,
		"00-00000000000000000000000000000000-00f067aa0ba902b7-00": true,
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00": false,
		"00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00": true} {
		if _, _, sampled := parse(text); sampled != want {
			t.Errorf("%q: %v", text, sampled)
		}
	}
}
