package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// hostStore answers as the hosts of links, whichever name they have, and notes who was called and with what key.
type hostStore struct{ called []string }

func (h *hostStore) RoundTrip(req *http.Request) (*http.Response, error) {
	h.called = append(h.called, req.URL.Host)
	res := &http.Response{StatusCode: 200, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader("rows" + req.Header.Get("Authorization"))), Request: req}
	if to := req.URL.Query().Get("to"); to != "" {
		res.StatusCode = http.StatusFound
		res.Header.Set("Location", to)
	}
	return res, nil
}

// TestLinksToFiles: a link leads to the gateway's own site, to a known store of files or to a host that the user names,
// over https; from elsewhere than this machine never to this machine or into a network. Its redirects do not either,
// and the key stays behind.
func TestLinksToFiles(t *testing.T) {
	const hosted = "https://api.gateway.example.com/api/v1"
	for _, c := range []struct {
		base, link, hosts string
		fault             string
	}{
		{hosted, "https://files.example.com/f", "", ""},
		{hosted, "https://api.gateway.example.com/elsewhere/f", "", ""},
		{hosted, "https://bucket.s3.eu-west-1.amazonaws.com/f", "", ""},
		{hosted, "https://s3-us-west-2.amazonaws.com/bucket/f", "", ""},
		{hosted, "https://storage.googleapis.com/bucket/f", "", ""},
		{hosted, "https://account.blob.core.windows.net/c/f", "", ""},
		{hosted, "https://files.other.org/f", "other.org", ""},
		{hosted, "https://files.other.org/f", "", "leads to files.other.org"},
		{hosted, "https://files.other.org/f", "ther.org", "leads to files.other.org"},
		{hosted, "https://evil.amazonaws.com/f", "", "leads to evil.amazonaws.com"},
		{hosted, "https://storage.googleapis.com.evil.org/f", "", "leads to storage.googleapis.com.evil.org"},
		{"https://a.github.io/api/v1", "https://b.github.io/f", "", "leads to b.github.io"},
		{hosted, "http://files.example.com/f", "", "is not https"},
		{hosted, "http://127.0.0.1/f", "", "is not https"},
		{hosted, "https://127.0.0.1/f", "127.0.0.1", "a non-public address"},
		{hosted, "https://[::1]/f", "", "a non-public address"},
		{hosted, "https://[::ffff:10.0.0.1]/f", "", "a non-public address"},
		{hosted, "https://10.1.2.3/f", "", "a non-public address"},
		{hosted, "https://169.254.169.254/latest/meta-data", "169.254.169.254", "a non-public address"},
		{hosted, "https://[fd00::1]/f", "", "a non-public address"},
		{hosted, "https://[64:ff9b::a9fe:a9fe]/f", "", "a non-public address"},
		{hosted, "https://files.example.com/f?to=http%3A%2F%2Ffiles.example.com%2Fg", "", "is not https"},
		{hosted, "https://files.example.com/f?to=https%3A%2F%2F169.254.169.254%2F", "", "a non-public address"},
		{hosted, "https://files.example.com/f?to=https%3A%2F%2Fother.org%2F", "", "leads to other.org"},
		{hosted, "https://files.example.com/f?to=%2Fg", "", ""},
		{hosted, "https://files.example.com/f?to=https%3A%2F%2Ffiles.example.com%2Ff%3Fto%3D%252Ff%253Fto%253D%25252Ff",
			"", ""},
		{"https://10.0.0.5/api/v1", "https://10.0.0.6/f", "10.0.0.6", ""},
		{"https://10.0.0.5/api/v1", "https://10.0.0.6/f", "", "a non-public address"},
		{"https://10.0.0.5/api/v1", "https://169.254.169.254/f", "169.254.169.254", "a non-public address"},
		{hosted, "file:///etc/passwd", "", "not an address"},
		{"http://127.0.0.1:1/api/v1", "http://localhost:2/f", "", ""},
		{"http://127.0.0.1:1/api/v1", "https://files.example.com/f", "", "leads to files.example.com"},
	} {
		var hosts []string
		if c.hosts != "" {
			hosts = []string{c.hosts}
		}
		cl, err := New(Options{BaseURL: c.base, Key: "k", LinkHosts: hosts})
		if err != nil {
			t.Fatal(err)
		}
		store := &hostStore{}
		cl.files = store
		rep, err := cl.Exports.Open(context.Background(), ExportFile{Name: "f", URL: c.link}, 0, "")
		got := ""
		if err == nil {
			raw, _ := io.ReadAll(rep.Body)
			rep.Body.Close()
			got = string(raw)
		}
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) || err == nil &&
			got != "rows" {
			t.Errorf("%s: got %q, %v; want %q", c.link, got, err, c.fault)
		}
		for _, host := range store.called {
			if h := strings.Trim(host, "[]"); strings.Contains(c.fault, h) || c.base == hosted &&
				net.ParseIP(h) != nil {
				t.Errorf("%s: %s was called", c.link, host)
			}
		}
	}
}

// TestLinksByName: a name of the outside that stands for an address inside is found out when it is called.
func TestLinksByName(t *testing.T) {
	asked := 0
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	cl, err := New(Options{BaseURL: "https://203.0.113.7/api/v1", LinkHosts: []string{"localhost"}})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := cl.Exports.Open(context.Background(), ExportFile{Name: "f", URL: "https://localhost:" + port + "/f"}, 0,
		"")
	if err == nil {
		rep.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "a non-public address") || asked > 0 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// TestOwnLinkWithoutKey: a link to the gateway's own address has its proof in it, and goes without the key as others
// do.
func TestOwnLinkWithoutKey(t *testing.T) {
	keys := map[string]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		keys[r.URL.Path] = r.Header.Get("Authorization")
	}))
	defer srv.Close()
	cl, err := New(Options{BaseURL: srv.URL + "/api/v1", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/downloads/f", "/elsewhere/f"} {
		rep, err := cl.Exports.Open(context.Background(), ExportFile{Name: "f", URL: srv.URL + path}, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		rep.Body.Close()
		if key, ok := keys[path]; !ok || key != "" {
			t.Errorf("%s: called %v with %q", path, ok, key)
		}
	}
	if _, err := cl.Info.Get(context.Background()); err == nil && keys["/api/v1/info"] != "Bearer k" {
		t.Errorf("a call went with %q", keys["/api/v1/info"])
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
	_, err = cl.Exports.Open(context.Background(), ExportFile{Name: "f", URL: srv.URL +
		"/api/v1/downloads/x/f?expires=1&signature=proof"}, 0, "")
	var e *Error
	if !errors.As(err, &e) || e.Kind != KindUnavailable || len(seen) != 1 || seen[0].Err == nil {
		t.Fatalf("%v, %v", err, seen)
	}
	if text := seen[0].URL + " " + seen[0].Err.Error() + " " + err.Error() + e.URL; strings.Contains(text, "proof") {
		t.Errorf("the proof is shown: %s", text)
	}
}
