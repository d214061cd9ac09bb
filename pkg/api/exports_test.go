package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLinksToFiles: the gateway names where the file of an export is. A link leads neither to plain http nor, from elsewhere, to the
// programs of this machine, also not by way of a redirect.
func TestLinksToFiles(t *testing.T) {
	asked := 0
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++; io.WriteString(w, "inside") }))
	defer secret.Close()
	store := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/inside":
			http.Redirect(w, r, secret.URL, http.StatusFound)
		case "/plain":
			http.Redirect(w, r, "http://127.example.test/file", http.StatusFound)
		case "/other":
			http.Redirect(w, r, "/file", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			io.WriteString(w, "rows")
		}
	}))
	defer store.Close()
	old := http.DefaultTransport
	http.DefaultTransport = store.Client().Transport
	defer func() { http.DefaultTransport = old }()

	const hosted = "https://gateway.example.test/api/v1"
	for _, c := range []struct{ base, link, want, fault string }{
		{hosted, store.URL + "/file", "rows", ""},
		{hosted, store.URL + "/other", "rows", ""},
		{hosted, store.URL + "/round", "", "redirects"},
		{hosted, store.URL + "/inside", "", "is not https"},
		{hosted, store.URL + "/plain", "", "is not https"},
		{hosted, secret.URL, "", "is not https"},
		{hosted, "http://127.example.test/file", "", "is not https"},
		{hosted, "http://localhost.example.test/file", "", "is not https"},
		{hosted, "file:///etc/passwd", "", "not an address"},
		{"http://127.0.0.1:1/api/v1", secret.URL, "inside", ""},
	} {
		cl, err := New(Options{BaseURL: c.base, Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		asked = 0
		rep, err := cl.Exports.Open(context.Background(), ExportFile{Name: "f", URL: c.link}, 0)
		got := ""
		if err == nil {
			raw, _ := io.ReadAll(rep.Body)
			rep.Body.Close()
			got = string(raw)
		}
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: got %q, %v; want %q, %s", c.link, got, err, c.want, c.fault)
		}
		if asked > 0 && c.want == "" {
			t.Errorf("%s: a program of this machine was asked", c.link)
		}
	}
}

// TestTraceHidesLinks: the proof of a signed link is not in what --debug prints, also when the call fails.
func TestTraceHidesLinks(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	var seen []Exchange
	cl, err := New(Options{BaseURL: srv.URL + "/api/v1", Trace: func(x Exchange) { seen = append(seen, x) }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = cl.Exports.Open(context.Background(), ExportFile{Name: "f", URL: srv.URL + "/api/v1/downloads/x/f?expires=1&signature=proof"}, 0)
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindUnavailable || len(seen) != 1 || seen[0].Err == nil {
		t.Fatalf("%v, %v", err, seen)
	}
	if text := seen[0].URL + " " + seen[0].Err.Error() + " " + err.Error() + e.URL; strings.Contains(text, "proof") {
		t.Errorf("the proof is shown: %s", text)
	}
}
