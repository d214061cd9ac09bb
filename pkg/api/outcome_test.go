package api

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/outcome"
)

// ending is a way in which a server ends a connection that it has accepted, with the outcome of a change that is
// requested over it. received is called when a request has arrived.
type ending struct {
	name  string
	want  outcome.Outcome
	serve func(c net.Conn, received func())
	once  bool          // a read is not repeated
	reads int32         // how often a read that is repeated arrives, if not twice
	limit time.Duration // of each call, if not the usual one
}

// answer reads a request of HTTP/1.1 and writes a text.
func answer(text string) func(net.Conn, func()) {
	return func(c net.Conn, received func()) {
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		received()
		_, _ = io.WriteString(c, text)
	}
}

func status(n int) string {
	return fmt.Sprintf("HTTP/1.1 %d x\r\nContent-Type: application/json\r\nRetry-After: 0\r\nConnection: "+
		"close\r\nContent-Length: 2\r\n\r\n{}", n)
}

// reset ends a connection with RST instead of FIN.
func reset(c net.Conn) {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

// endings1 are those of HTTP/1.1.
func endings1() []ending {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	all := []ending{
		{name: "closed before the request was read", want: outcome.Unknown, serve: func(net.Conn, func()) {}},
		{name: "reset at the first byte", want: outcome.Unknown, serve: func(c net.Conn, _ func()) {
			_,
				_ = c.Read(make([]byte, 1))
			reset(c)
		}},
		{name: "closed within the request", want: outcome.Unknown, serve: func(c net.Conn, _ func()) {
			_,
				_ = c.Read(make([]byte, 9))
		}},
		{name: "reset after the request", want: outcome.Unknown, serve: func(c net.Conn,
			received func()) {
			answer("")(c, received)
			reset(c)
		}},
		{name: "reset within the reply", want: outcome.Unknown, serve: func(c net.Conn, received func()) {
			answer(head+"Content-Length: 90\r\n\r\n{")(c, received)
			reset(c)
		}},
		{name: "reset within the header", want: outcome.Unknown, serve: func(c net.Conn,
			received func()) {
			answer(head)(c, received)
			reset(c)
		}},
		{name: "never answered", want: outcome.Unknown, once: true, limit: time.Second, serve: func(c net.Conn,
			received func()) {
			answer("")(c, received)
			_, _ = c.Read(make([]byte, 1))
		}},
	}
	for name, text := range map[string]string{
		"no answer":                   "",
		"status line that is none":    "HELLO\r\n\r\n",
		"status line of another kind": "SSH-2.0-OpenSSH_9.6\r\n",
		"status without a number":     "HTTP/1.1 OK\r\n\r\n",
		"negative status":             "HTTP/1.1 -20 OK\r\n\r\n",
		"zeros":                       strings.Repeat("\x00", 64),
		"frame of HTTP/2":             "\x00\x00\x00\x04\x00\x00\x00\x00\x00",
		"header without a colon":      "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
		"header with a blank name":    "HTTP/1.1 200 OK\r\n : x\r\n\r\n",
		"header of 11 MiB":            "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 11<<20) + "\r\n\r\n",
		"headers of 11 MiB": "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("x", 1000)+"\r\n",
			11<<10) + "\r\n",
		"early hints without an end": strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: "+strings.Repeat("x", 100<<10)+
			"\r\n\r\n", 110),
		"only early hints":          "HTTP/1.1 103 Early Hints\r\n\r\n",
		"switched protocols":        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
		"two lengths":               "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"length that is no number":  "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\n{}",
		"unknown transfer encoding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n{}",
		"cut body":                  head + "Content-Length: 90\r\n\r\n{",
		"cut chunks":                head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
		"malformed chunk":           head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
		"not gzip":                  head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
	} {
		all = append(all, ending{name: name, want: outcome.Unknown, once: name == "switched protocols",
			serve: answer(text)})
	}
	for n, want := range map[int]outcome.Outcome{
		400: outcome.Refused, 401: outcome.Refused, 403: outcome.Refused, 404: outcome.Refused, 409: outcome.Refused,
		413: outcome.Refused, 501: outcome.Refused,
		307: outcome.Refused, 408: outcome.Unknown, 500: outcome.Unknown, 507: outcome.Unknown,
	} {
		all = append(all, ending{name: fmt.Sprint(n), want: want, serve: answer(status(n)), once: true})
	}
	for _, n := range []int{502, 503, 504} {
		all = append(all, ending{name: fmt.Sprint(n), want: outcome.Unknown, serve: answer(status(n))})
	}
	page := "<!doctype html>hello"
	return append(all,
		ending{name: "429", want: outcome.Refused, serve: answer(status(429))},
		ending{name: "a web page", want: outcome.Unknown, once: true,
			serve: answer(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s",
				len(page), page))},
		ending{name: "half a document", want: outcome.Unknown, once: true,
			serve: answer(head + "Content-Length: 2\r\n\r\n{\"")},
	)
}

// accept serves each connection to a listener of its own by the ending, until the test ends, and counts the requests
// that arrive.
func accept(t *testing.T, serve func(c net.Conn, received func())) (addr string, arrived *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	arrived = &atomic.Int32{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(20 * time.Second))
				serve(c, func() { arrived.Add(1) })
			}()
		}
	}()
	return l.Addr().String(), arrived
}

// calls sends a change, an import and a read to a gateway, and compares what is known of them. Changes are sent once,
// reads twice if the connection broke.
func (x ending) calls(t *testing.T, base string, arrived *atomic.Int32, tr http.RoundTripper) {
	t.Helper()
	cl, err := New(Options{BaseURL: base + "/api/v1", Key: "k", Retries: 1, Timeout: cmp.Or(x.limit, 20*time.Second),
		Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	name := "x"
	for what, call := range map[string]func(context.Context) error{
		"create": func(ctx context.Context) error {
			_, err := cl.Workspaces.Create(ctx, "o", WorkspaceRequest{Name: &name})
			return err
		},
		"delete": func(ctx context.Context) error { return cl.Tables.Delete(ctx, "p", "t") },
		"import": func(ctx context.Context) error {
			_, err := cl.Tables.Import(ctx, "p", "t", ImportRequest{}, "x.csv", strings.NewReader("a\n1\n"))
			return err
		},
		"any": func(ctx context.Context) error {
			rep, err := cl.Do(ctx, http.MethodPost, "/anything", nil, nil, []byte("{}"))
			if err != nil {
				return err
			}
			defer rep.Body.Close()
			if rep.Status < 200 || rep.Status > 299 {
				return ReadError(http.MethodPost, base, rep)
			}
			_, err = rep.ReadAll()
			return err
		},
	} {
		err := call(t.Context())
		// only typed calls know their answers
		if what == "any" && strings.HasPrefix(x.name, "a web") || strings.HasPrefix(x.name, "half") {
			continue
		}
		// the alert may be lost while the document is sent
		if what == "import" && strings.HasSuffix(x.name, "TLS 1.3") {
			continue
		}
		var e *Error
		unsure := x.want == outcome.Unknown
		if err == nil || outcome.Of(err) != x.want || errors.As(err, &e) && (e.Unsure != unsure ||
			strings.Contains(e.Hint, "may have been done") != unsure) {
			t.Errorf("%s: %s: %v (%v), want %v; unsure %t", x.name, what, err, outcome.Of(err), x.want, e != nil &&
				e.Unsure)
		}
	}
	arrived.Store(0)
	_, err = cl.Workspaces.List(t.Context(), "o")
	var e *Error
	if err == nil || !errors.As(err, &e) || e.Unsure || e.Transient() == (x.once || x.want == outcome.NotSent) {
		t.Errorf("%s: a read: %#v", x.name, err)
	}
	want := cmp.Or(x.reads, 2)
	if x.once {
		want = 1
	}
	if n := arrived.Load(); n != 0 && n != want || n != 0 && x.want == outcome.NotSent {
		t.Errorf("%s: a read arrived %d times", x.name, n)
	}
}

// TestOutcomesOfHTTP1: a request is unknown after every end of its connection, and refused only by an answer.
func TestOutcomesOfHTTP1(t *testing.T) {
	plain := func() http.RoundTripper { return NewTransport(Network{}) }
	for _, x := range endings1() {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			addr, arrived := accept(t, x.serve)
			x.calls(t, "http://"+addr, arrived, plain())
		})
	}
	for _, fault := range []error{syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.ECONNRESET,
		syscall.ECONNABORTED, syscall.EPIPE, net.ErrClosed, io.ErrUnexpectedEOF, errors.New("other")} {
		x := ending{name: fault.Error(), want: outcome.Unknown, serve: answer(status(200))}
		t.Run("system: "+x.name, func(t *testing.T) {
			t.Parallel()
			addr, arrived := accept(t, x.serve)
			tr := NewTransport(Network{})
			tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				var d net.Dialer
				c, err := d.DialContext(ctx, network, addr)
				return faulty{c, fault}, err
			}
			x.calls(t, "http://"+addr, arrived, tr)
		})
	}
}

// faulty is a connection on which reading fails as the system has it fail, after the request was written.
type faulty struct {
	net.Conn
	fault error
}

func (c faulty) Read(p []byte) (int, error) {
	if _, err := c.Conn.Read(p); err != nil {
		return 0, err
	}
	if _, system := c.fault.(syscall.Errno); system {
		return 0, &net.OpError{Op: "read", Net: "tcp", Err: c.fault}
	}
	return 0, c.fault
}

// TestOutcomesOfConnections: without a connection nothing is sent, and nobody is told that something may have been
// done.
func TestOutcomesOfConnections(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, x := range []struct {
		name, base string
		tr         http.RoundTripper
	}{
		{"refused", "http://" + closed.Addr().String(), NewTransport(Network{})},
		{"refused, TLS", "https://" + closed.Addr().String(), NewTransport(Network{})},
		{"refused, another transport", "http://" + closed.Addr().String(), &http.Transport{}},
		{"no host", "http://gateway.invalid", NewTransport(Network{})},
		{"no host, TLS", "https://gateway.invalid", NewTransport(Network{})},
		{"no connection in time", "http://127.0.0.1:1", &http.Transport{DialContext: func(ctx context.Context, _,
			_ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
		}}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			ending{name: x.name, want: outcome.NotSent, limit: time.Second}.calls(t, x.base, &atomic.Int32{}, x.tr)
		})
	}
	for _, x := range []struct {
		name, body string
		project    string
	}{{"text that is not UTF-8", "\xff", "p"}, {"no project", "x", ""}} {
		cl := client(t, "http://127.0.0.1:1")
		if _, err := cl.Queries.Create(t.Context(), x.project, QueryRequest{DisplayName: &x.body},
			nil); outcome.Of(err) != outcome.NotSent {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := client(t, "http://127.0.0.1:1").Tables.Delete(ctx, "p", "t"); outcome.Of(err) != outcome.NotSent ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

// TestOutcomesOfTLS: a failure of the handshake is one before the request, also that which a server of TLS 1.3 tells
// after it; any other alert may come after the request was done.
func TestOutcomesOfTLS(t *testing.T) {
	cert, roots := certificate(t)
	conf := func(change func(*tls.Config)) *tls.Config {
		c := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
		change(c)
		return c
	}
	over := func(c *tls.Config, then func(net.Conn, func())) func(net.Conn, func()) {
		return func(n net.Conn, received func()) {
			s := tls.Server(n, c)
			if s.Handshake() != nil {
				_, _ = io.Copy(io.Discard, n) // so that what was sent is read, and the alert is not lost by a reset
				return
			}
			then(s, received)
			_ = s.Close()
		}
	}
	for _, x := range []ending{
		{name: "closed at the first byte", want: outcome.NotSent, serve: func(c net.Conn, _ func()) {
			_,
				_ = c.Read(make([]byte, 1))
		}},
		{name: "reset", want: outcome.NotSent, serve: func(c net.Conn, _ func()) { reset(c) }},
		{name: "no TLS", want: outcome.NotSent, serve: func(c net.Conn, _ func()) {
			_,
				_ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}},
		{name: "other bytes", want: outcome.NotSent, serve: func(c net.Conn, _ func()) {
			_,
				_ = io.WriteString(c, "220 smtp\r\n")
		}},
		{name: "silent", want: outcome.NotSent, serve: func(c net.Conn, _ func()) { _, _ = io.Copy(io.Discard, c) }},
		{name: "no common protocol", want: outcome.NotSent,
			serve: over(conf(func(c *tls.Config) { c.NextProtos = []string{"smtp"} }), answer(status(200)))},
		{name: "no client certificate, TLS 1.2", want: outcome.NotSent, serve: over(conf(func(c *tls.Config) {
			c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
		}), answer(status(200)))},
		{name: "no client certificate, TLS 1.3", want: outcome.NotSent,
			serve: over(conf(func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }), answer(status(200)))},
		{name: "closed with the notice", want: outcome.Unknown, serve: over(conf(func(*tls.Config) {}), answer(""))},
		{name: "closed without the notice", want: outcome.Unknown, serve: func(c net.Conn, received func()) {
			s := tls.Server(c, conf(func(*tls.Config) {}))
			answer("")(s, received)
			reset(s)
		}},
		{name: "alert in the clear", want: outcome.Unknown, serve: func(c net.Conn, received func()) {
			answer("")(tls.Server(c, conf(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 })), received)
			_, _ = c.Write([]byte{21, 3, 3, 0, 2, 2, 80})
		}},
		{name: "record that cannot be read", want: outcome.Unknown, serve: func(c net.Conn, received func()) {
			answer("")(tls.Server(c, conf(func(*tls.Config) {})), received)
			_, _ = c.Write(append([]byte{23, 3, 3, 0, 64}, make([]byte, 64)...))
		}},
		{name: "503", want: outcome.Unknown, serve: over(conf(func(*tls.Config) {}), answer(status(503)))},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			addr, arrived := accept(t, x.serve)
			x.calls(t, "https://"+addr, arrived, NewTransport(Network{Roots: roots, Connect: time.Second}))
		})
	}
	addr, arrived := accept(t, over(conf(func(*tls.Config) {}), answer(status(200))))
	ending{name: "unknown authority", want: outcome.NotSent}.calls(t, "https://"+addr, arrived, NewTransport(Network{}))
}
