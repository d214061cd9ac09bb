package api

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/outcome"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// certificate returns a certificate for this machine, and its authority.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	return srv.TLS.Certificates[0], roots
}

// stream is a connection of HTTP/2 after one request on it has arrived.
type stream struct {
	*http2.Framer
	conn net.Conn
	id   uint32
}

// header writes the header of a reply from names and values.
func (s stream) header(end bool, fields ...string) {
	var b bytes.Buffer
	enc := hpack.NewEncoder(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	raw := b.Bytes()
	first := raw[:min(len(raw), 16<<10)]
	raw = raw[len(first):]
	_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: first, EndHeaders: len(raw) == 0,
		EndStream: end})
	for len(raw) > 0 {
		next := raw[:min(len(raw), 16<<10)]
		raw = raw[len(next):]
		if s.WriteContinuation(s.id, len(raw) == 0, next) != nil {
			return
		}
	}
}

// http2Server serves HTTP/2 by hand: then is called for each request, after its end.
func http2Server(cert tls.Certificate, then func(stream)) func(net.Conn, func()) {
	return func(c net.Conn, received func()) {
		s := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}})
		if s.Handshake() != nil {
			return
		}
		defer s.Close()
		r := bufio.NewReader(s)
		if _, err := io.CopyN(io.Discard, r, int64(len(http2.ClientPreface))); err != nil {
			return
		}
		fr := http2.NewFramer(s, r)
		if fr.WriteSettings() != nil {
			return
		}
		for {
			f, err := fr.ReadFrame()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.SettingsFrame:
				if !f.IsAck() {
					_ = fr.WriteSettingsAck()
				}
			case *http2.HeadersFrame:
				if f.StreamEnded() {
					received()
					then(stream{fr, s, f.StreamID})
				}
			case *http2.DataFrame:
				if f.StreamEnded() {
					received()
					then(stream{fr, s, f.StreamID})
				}
			}
		}
	}
}

// TestOutcomesOfHTTP2: a stream that is reset, and a connection that ends, leave a change unknown, as those of HTTP/1.1
// do, and reads are repeated.
func TestOutcomesOfHTTP2(t *testing.T) {
	cert, roots := certificate(t)
	ends := map[string]func(stream){
		"connection closed": func(s stream) { _ = s.conn.Close() },
		"connection reset":  func(s stream) { reset(s.conn) },
		"GOAWAY after it": func(s stream) {
			_ = s.WriteGoAway(s.id, http2.ErrCodeInternal, nil)
			_ = s.conn.Close()
		},
		"GOAWAY after it, without a cause": func(s stream) {
			_ = s.WriteGoAway(s.id, http2.ErrCodeNo, nil)
			_ = s.conn.Close()
		},
		"GOAWAY, too much": func(s stream) {
			_ = s.WriteGoAway(s.id, http2.ErrCodeEnhanceYourCalm, nil)
			_ = s.conn.Close()
		},
		"bad frame": func(s stream) { _ = s.WriteRawFrame(http2.FrameSettings, 0, 1, nil) },
		"frame that is too large": func(s stream) {
			_, _ = s.conn.Write([]byte{0xff, 0xff, 0xff, 0, 0,
				0, 0, 0, 1})
		},
		"frame of another stream": func(s stream) { _ = s.WriteData(s.id+1000, true, []byte("{}")) },
		"bad compression": func(s stream) {
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: []byte{0xff, 0xff, 0xff},
				EndHeaders: true})
		},
		"no status":             func(s stream) { s.header(true, "content-type", "application/json") },
		"status that is none":   func(s stream) { s.header(true, ":status", "ok") },
		"capital letters":       func(s stream) { s.header(true, ":status", "200", "Content-Type", "x") },
		"body without a header": func(s stream) { _ = s.WriteData(s.id, true, []byte("{}")) },
		"header of 11 MiB": func(s stream) {
			s.header(true, ":status", "200", "x",
				strings.Repeat("\x01", 11<<20))
		},
		"only early hints": func(s stream) {
			for range 100 {
				s.header(false, ":status", "103", "link", strings.Repeat("x", 200))
			}
			_ = s.conn.Close()
		},
		"HTTP/1.1": func(s stream) { _, _ = io.WriteString(s.conn, status(200)); _ = s.conn.Close() },
		"body that is too long": func(s stream) {
			s.header(false, ":status", "200", "content-length", "2")
			_ = s.WriteData(s.id, true, []byte("{    }"))
		},
		"body that is too short": func(s stream) {
			s.header(false, ":status", "200", "content-length", "20")
			_ = s.WriteData(s.id, true, []byte("{}"))
		},
		"closed within the body": func(s stream) {
			s.header(false, ":status", "200")
			_ = s.WriteData(s.id, false, []byte("{"))
			_ = s.conn.Close()
		},
		"reset within the body": func(s stream) {
			s.header(false, ":status", "200")
			_ = s.WriteData(s.id, false, []byte("{"))
			_ = s.WriteRSTStream(s.id, http2.ErrCodeInternal)
		},
	}
	for code := http2.ErrCodeNo; code <= http2.ErrCodeHTTP11Required; code++ {
		if code != http2.ErrCodeRefusedStream {
			ends["stream reset: "+code.String()] = func(s stream) { _ = s.WriteRSTStream(s.id, code) }
		}
	}
	for name, end := range ends {
		x := ending{name: name, want: outcome.Unknown}
		if name == "stream reset: "+http2.ErrCodeProtocol.String() {
			x.reads = 8 // net/http repeats it
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, arrived := accept(t, http2Server(cert, end))
			x.calls(t, "https://"+addr, arrived, NewTransport(Network{Roots: roots}))
		})
	}
	for n, want := range map[int]outcome.Outcome{409: outcome.Refused, 500: outcome.Unknown} {
		addr, arrived := accept(t, http2Server(cert, func(s stream) { s.header(true, ":status", fmt.Sprint(n)) }))
		ending{name: fmt.Sprint(n), want: want, once: true}.calls(t, "https://"+addr, arrived,
			NewTransport(Network{Roots: roots}))
	}
	// The server says that it has not begun. net/http repeats these as well as others, so only reads are repeated.
	for name, refuse := range map[string]func(stream){
		"REFUSED_STREAM":   func(s stream) { _ = s.WriteRSTStream(s.id, http2.ErrCodeRefusedStream) },
		"GOAWAY before it": func(s stream) { _ = s.WriteGoAway(s.id-1, http2.ErrCodeNo, nil); _ = s.conn.Close() },
	} {
		var n atomic.Int32
		addr, _ := accept(t, http2Server(cert, func(s stream) {
			if n.Add(1) == 1 {
				refuse(s)
				return
			}
			s.header(true, ":status", "200")
		}))
		cl, err := New(Options{BaseURL: "https://" + addr, Transport: NewTransport(Network{Roots: roots})})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cl.Tables.List(t.Context(), "p"); n.Load() != 2 {
			t.Errorf("%s: %v after %d requests", name, err, n.Load())
		}
		n.Store(0)
		if err := cl.Tables.Delete(t.Context(), "p", "t"); outcome.Of(err) != outcome.Unknown || n.Load() != 1 {
			t.Errorf("%s: %v after %d requests", name, err, n.Load())
		}
		n.Store(0)
		if _, err := cl.Tables.Import(t.Context(), "p", "t", ImportRequest{}, "x.csv",
			strings.NewReader("a\n1\n")); outcome.Of(err) != outcome.Unknown || n.Load() != 1 {
			t.Errorf("%s, import: %v after %d requests", name, err, n.Load())
		}
	}
}

// TestOutcomesOfProxies: what a proxy does before it has connected is before the request, whatever it answers; what it
// does afterwards is not.
func TestOutcomesOfProxies(t *testing.T) {
	cert, roots := certificate(t)
	connect := func(text string) func(net.Conn, func()) {
		return func(c net.Conn, _ func()) {
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.WriteString(c, text)
			}
		}
	}
	passed := func(then func(net.Conn, func())) func(net.Conn, func()) {
		return func(c net.Conn, received func()) {
			connect("HTTP/1.1 200 Connection established\r\n\r\n")(c, received)
			then(tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}}), received)
		}
	}
	for _, x := range []ending{
		{name: "closed", want: outcome.NotSent, serve: func(net.Conn, func()) {}},
		{name: "reset", want: outcome.NotSent, serve: func(c net.Conn, _ func()) { reset(c) }},
		{name: "closed after CONNECT", want: outcome.NotSent, serve: connect("")},
		{name: "403", want: outcome.NotSent, serve: connect("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")},
		{name: "407", want: outcome.NotSent,
			serve: connect("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")},
		{name: "502", want: outcome.NotSent, serve: connect("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")},
		{name: "504 with a page", want: outcome.NotSent,
			serve: connect("HTTP/1.1 504 Gateway Timeout\r\nContent-Type: text/html\r\n\r\n<html>")},
		{name: "malformed", want: outcome.NotSent, serve: connect("HELLO\r\n\r\n")},
		{name: "header of 11 MiB", want: outcome.NotSent, serve: connect("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x",
			11<<20) + "\r\n\r\n")},
		{name: "silent", want: outcome.NotSent, serve: func(c net.Conn, _ func()) { _, _ = io.Copy(io.Discard, c) }},
		{name: "connected, closed in the handshake", want: outcome.NotSent,
			serve: passed(func(c net.Conn, _ func()) { _ = c.(*tls.Conn).NetConn().Close() })},
		{name: "connected, no answer", want: outcome.Unknown, serve: passed(answer(""))},
		{name: "connected, reset", want: outcome.Unknown,
			serve: passed(func(c net.Conn, received func()) { answer("")(c, received); reset(c) })},
		{name: "connected, 502", want: outcome.Unknown, serve: passed(answer(status(502)))},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			addr, arrived := accept(t, x.serve)
			tr := NewTransport(Network{Roots: roots, Connect: time.Second})
			through(tr, &url.URL{Scheme: "http", Host: addr})
			x.calls(t, "https://example.com", arrived, tr)
		})
	}
}

// through has a transport use a proxy, whatever the environment says.
func through(tr *Transport, proxy *url.URL) {
	tr.Proxy = func(req *http.Request) (*url.URL, error) {
		if w := wayOf(req.Context()); w != nil {
			w.mu.Lock()
			w.proxy = proxy
			w.mu.Unlock()
		}
		return proxy, nil
	}
}
