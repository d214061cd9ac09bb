package protocol

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func client(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := New(Options{URL: s.URL, User: "dig"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTrouble: a request to which nothing useful is replied is sent again, and the pages are asked for at the address
// that was given, whatever the coordinator calls itself.
func TestTrouble(t *testing.T) {
	var posts, gets, ended atomic.Int32
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete:
			ended.Add(1)
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodPost && posts.Add(1) < 3:
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Method == http.MethodPost:
			if text, _ := io.ReadAll(r.Body); string(text) != "SELECT 1" || r.Header.Get("X-Trino-User") != "dig" {
				t.Errorf("%q by %q", text, r.Header.Get("X-Trino-User"))
			}
			fmt.Fprint(w, `{"id":"q","nextUri":"http://inside:1/v1/statement/executing/q/1?slug=x"}`)
		case gets.Add(1) == 1:
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.RawQuery != "slug=x":
			t.Errorf("%s", r.URL)
		default:
			fmt.Fprint(w, `{"id":"q","columns":[{"name":"\"data\":[","type":"integer"}],"data":[[1,"a]\"}"]],`+
				`"nextUri":"http://inside:1/v1/statement/executing/q/2?slug=x"}`)
		}
	})
	q, err := c.Start(t.Context(), Request{SQL: "SELECT 1"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := q.Next(t.Context())
	if err != nil || string(p.Data) != `[[1,"a]\"}"]]` || len(p.Columns) != 1 || p.Columns[0].Type != "integer" {
		t.Fatalf("%+v, %v", p, err)
	}
	for range 2 {
		q.Close()
	}
	if _, err := q.Next(t.Context()); !errors.Is(err, io.EOF) || ended.Load() != 1 {
		t.Errorf("%v, ended %d times", err, ended.Load())
	}
}

// TestOnce: a statement that changes something is not sent again after it may have arrived.
func TestOnce(t *testing.T) {
	var posts atomic.Int32
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		posts.Add(1)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			err = conn.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Start(t.Context(), Request{SQL: "DROP TABLE t", Once: true}); err == nil || posts.Load() != 1 {
		t.Errorf("%v, sent %d times", err, posts.Load())
	}
}

// TestHostile: replies that are not Trino's are errors, and no address outside of the coordinator is asked.
func TestHostile(t *testing.T) {
	for _, reply := range []string{``, `{`, `[]`, `{"nextUri":"http://elsewhere/"}`, `{"nextUri":"file:///etc/passwd"}`,
		`{"nextUri":"/v1/query/../../x"}`, "\xff"} {
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				t.Errorf("%q leads to %s", reply, r.URL)
			}
			fmt.Fprint(w, reply)
		})
		_, err := c.Start(t.Context(), Request{SQL: "SELECT 1", Once: true})
		if away := (*UnreachableError)(nil); !errors.As(err, &away) {
			t.Errorf("%q: %v", reply, err)
		}
	}
}

func TestOptions(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"is not the address":        {URL: "trino:8080"},
		"begins with https://":      {URL: "http://trino", PasswordFile: secret},
		"mutually exclusive":        {URL: "https://trino", PasswordFile: secret, TokenFile: secret},
		"is empty":                  {URL: "https://trino", TokenFile: secret},
		"together or not at all":    {URL: "https://trino", CertFile: secret},
		"no certificate":            {URL: "https://trino", CAFile: secret},
		"no such file or directory": {URL: "https://trino", CAFile: secret + "x"},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestEnd: a statement that the cluster has begun may end by itself, one that it has not is ended.
func TestEnd(t *testing.T) {
	for first, want := range map[string]int32{"RUNNING": 0, "QUEUED": 1, "FINISHED": 0} {
		var asked, ended atomic.Int32
		c := client(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodDelete:
				ended.Add(1)
			case asked.Add(1) == 1:
				fmt.Fprintf(w, `{"state": %q}`, first)
			default:
				fmt.Fprint(w, `{"state": "FINISHED"}`)
			}
		})
		if err := c.End(t.Context(), "q"); err != nil || ended.Load() != want {
			t.Errorf("%s: %v, ended %d times", first, err, ended.Load())
		}
	}
}
