package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// endless is a document that does not end, of which the gateway reads nothing.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestSilence: a gateway that stops in the middle of anything ends no call later than its limit. Without one the test
// would not end.
func TestSilence(t *testing.T) {
	quit := make(chan struct{})
	begun := `{"columns":[{"columnName":"a"}],"data":[["1"],["2"],`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("begin") == "rows" || strings.Contains(r.URL.Path, "begins"):
			io.WriteString(w, begun)
		case strings.HasSuffix(r.URL.Path, "/stream"):
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {}\n\ndata: ")
		}
		w.(http.Flusher).Flush()
		if strings.Contains(r.URL.Path, "drains") {
			io.Copy(io.Discard, r.Body)
		}
		<-quit
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(quit) })
	cl, err := New(Options{BaseURL: srv.URL, Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	drain := func(rep *Reply, err error) error {
		if err == nil {
			_, err = io.Copy(io.Discard, rep.Body)
			rep.Body.Close()
		}
		return err
	}
	rows := func(res *Result, err error) error {
		if err != nil {
			return err
		}
		defer res.Close()
		rows := res.Rows()
		for rows.Next() {
		}
		return rows.Err()
	}
	for name, call := range map[string]func() error{
		"a list":             func() error { _, err := cl.Workspaces.List(ctx, "o"); return err },
		"a list that begins": func() error { _, err := cl.Workspaces.List(ctx, "begins"); return err },
		"a change":           func() error { _, err := cl.Workspaces.Create(ctx, "o", WorkspaceRequest{}); return err },
		"a deletion":         func() error { return cl.Workspaces.Delete(ctx, "o", "w") },
		"a query": func() error {
			return rows(cl.Queries.Execute(ctx, "p", ExecuteByStatement{Statement: "SELECT 1"},
				ExecuteOptions{Format: Compact}))
		},
		"rows": func() error {
			return rows(cl.Queries.Execute(ctx, "begins", ExecuteByStatement{Statement: "SELECT 1"},
				ExecuteOptions{Format: Compact}))
		},
		"a file": func() error {
			return drain(cl.Exports.Open(ctx, ExportFile{URL: srv.URL + "/f"}, 0,
				""))
		},
		"a file that begins": func() error {
			return drain(cl.Exports.Open(ctx, ExportFile{URL: srv.URL + "/begins"}, 0,
				""))
		},
		"a file elsewhere": func() error {
			return drain(cl.Exports.Open(ctx, ExportFile{URL: strings.Replace(srv.URL, "127.0.0.1", "localhost", 1) +
				"/begins"}, 0, ""))
		},
		"an answer": func() error { _, err := cl.Agent.Chat(ctx, "p", AgentChatRequest{}); return err },
		"events":    func() error { return drain(cl.Agent.ChatStream(ctx, "p", AgentChatStreamRequest{})) },
		"an upload": func() error {
			_, err := cl.Tables.Import(ctx, "p", "t", ImportRequest{}, "f", endless{})
			return err
		},
		"an upload's reply": func() error {
			_, err := cl.Tables.Import(ctx, "drains", "t", ImportRequest{}, "f", strings.NewReader("a\n"))
			return err
		},
		"any path":             func() error { return drain(cl.Do(ctx, "GET", "/x", nil, nil, nil)) },
		"any path that begins": func() error { return drain(cl.Do(ctx, "GET", "/begins", nil, nil, nil)) },
		"any path, bounded": func() error {
			ctx, cancel := cl.Bounded(ctx)
			defer cancel()
			return drain(cl.Do(ctx, "GET", "/x", nil, nil, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := call()
			var e *Error
			if !errors.As(err, &e) || e.Kind != KindTimeout {
				t.Errorf("got %v, want the end of a time limit", err)
			}
		})
	}
}

// TestLimitsAreSet: without an option everything has a limit, and only pauses in what has begun have none where they
// cannot be a sign.
func TestLimitsAreSet(t *testing.T) {
	for _, o := range []Options{{}, {Timeout: time.Second}, {Timeout: time.Second, Patient: true}} {
		l := reflect.ValueOf(newLimits(o))
		for i := range l.NumField() {
			if l.Field(i).Int() <= 0 {
				t.Errorf("%+v: no limit %s", o, l.Type().Field(i).Name)
			}
		}
	}
	l := newLimits(Options{Patient: true})
	if l.call <= 0 || l.slow <= 0 || l.query <= 0 || l.upload() <= 0 {
		t.Errorf("%+v", l)
	}
}
