package cmd

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// pair writes a client certificate of an authority and its key.
func (p *hostedProxy) pair(name string) (cert, key string) {
	p.t.Helper()
	c := p.issue(name, x509.ExtKeyUsageClientAuth)
	cert, key = filepath.Join(p.t.TempDir(), "cert.pem"), filepath.Join(p.t.TempDir(), "key.pem")
	writePEM(p.t, cert, "CERTIFICATE", c.Certificate[0])
	raw, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		p.t.Fatal(err)
	}
	writePEM(p.t, key, "PRIVATE KEY", raw)
	return cert, key
}

// TestCertificatesOfProfiles: a profile names an authority to trust and the certificate to show, and variables override
// it.
func TestCertificatesOfProfiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are of other systems")
	}
	open := newHostedProxy(t, zones)
	strict := newHostedProxy(t, zones)
	strict.ca, strict.caKey, strict.caFile = open.ca, open.caKey, open.caFile
	strict.want = x509.NewCertPool()
	strict.want.AddCert(open.ca)
	stranger := newHostedProxy(t, zones) // of another authority
	cert, key := open.pair("ann")
	wrong, wrongKey := stranger.pair("eve")
	both := filepath.Join(t.TempDir(), "both.pem")
	if err := os.WriteFile(both, append(read(t, cert), read(t, key)...), 0o600); err != nil {
		t.Fatal(err)
	}
	encrypted := filepath.Join(t.TempDir(), "encrypted.pem")
	if err := os.WriteFile(encrypted, pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")}),
		0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "config")
	run := func(p *hostedProxy, want int, says string, env []string, args ...string) string {
		t.Helper()
		code, out, errs := p.dig(dir, keyOf("usaaaaaa")+"\n",
			append([]string{"SSL_CERT_FILE=/dev/null", "SSL_CERT_DIR=/nonexistent"}, env...), args...)
		if code != want || !strings.Contains(errs, says) {
			t.Errorf("%v %v: exit %d, want %d and %q: %s", env, args, code, want, says, errs)
		}
		return out
	}
	login := []string{"auth", "login", "work", "--with-key"}
	run(open, 0, "", nil, "profile", "add", "work", "--zone", "us")
	run(open, exitcode.Failed, "set ca-file in the profile (DIG_CA_FILE)", nil, login...)
	run(open, 0, "", []string{"DIG_CA_FILE=" + open.caFile}, login...)
	run(open, 0, "", nil, "config", "set", "profiles.work.ca-file="+open.caFile)
	run(open, 0, "", nil, login...)
	run(open, 0, "", nil, "info")
	run(open, exitcode.Usage, "contains no certificate", []string{"DIG_CA_FILE=" + key}, "info")
	run(open, exitcode.NotFound, "no such file", []string{"DIG_CA_FILE=/nonexistent"}, "info")
	run(open, 0, "", nil, "--zone", "local", "config", "explain") // nothing is read for another zone

	run(strict, exitcode.Failed, "partner.peaka.studio requires a client certificate", nil, "info",
		"--retries", "0")
	run(strict, 0, "", []string{"DIG_CLIENT_CERT=" + cert, "DIG_CLIENT_KEY=" + key}, "info")
	run(strict, 0, "", nil, "config", "set", "--profile", "work", "client-cert="+cert, "client-key="+key)
	run(strict, 0, "", nil, "info")
	run(strict, 0, "", nil, "auth", "status", "--check")
	run(strict, 0, "", nil, login...)
	run(strict, 0, "", []string{"DIG_CLIENT_CERT=" + both, "DIG_CLIENT_KEY=" + both}, "info")
	// with the key of the profile
	run(strict, exitcode.Usage, "client-cert", []string{"DIG_CLIENT_CERT=" + wrong}, "info")
	run(strict, exitcode.Usage, "is encrypted", []string{"DIG_CLIENT_KEY=" + encrypted}, "info")
	run(strict, exitcode.Failed, "partner.peaka.studio", []string{"DIG_CLIENT_CERT=" + wrong, "DIG_CLIENT_KEY=" +
		wrongKey}, "info", "--retries", "0")
	found := diagnoses(t, run(strict, 0, "", nil, "doctor", "-o", "json"), "")
	expect(t, found, map[string]string{"tls": "ok", "gateway": "ok"})
	found = diagnoses(t, run(strict, exitcode.Job, "", []string{"DIG_CLIENT_CERT=" + wrong, "DIG_CLIENT_KEY=" +
		wrongKey}, "doctor", "-o", "json"), "")
	// with TLS 1.3 the refusal comes after the handshake
	expect(t, found, map[string]string{"gateway": "failed ended the TLS handshake"})
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestProxyRefuses: what the proxy answers is not said of the gateway, and its password is not shown.
func TestProxyRefuses(t *testing.T) {
	for reply, says := range map[string]string{
		"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n": "requires a user and password, or refuses those given, so partner.peaka.studio:443 was not contacted",
		"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n":                     "does not connect to partner.peaka.studio:443: it answered 403 Forbidden",
		"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n":                   "it answered 502 Bad Gateway",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = c.Read(make([]byte, 4096))
				_, _ = io.WriteString(c, reply)
				c.Close()
			}
		}()
		p := &hostedProxy{t: t, address: "http://user:sesame@" + l.Addr().String()}
		code, _, errs := p.dig(filepath.Join(t.TempDir(), "config"), "", []string{"DIG_API_KEY=" + keyOf("usaaaaaa"),
			"DIG_ZONE=us"}, "info", "--retries", "0", "--debug")
		want := exitcode.Failed
		if strings.Contains(reply, " 502 ") { // which may pass
			want = exitcode.Unavailable
		}
		if code != want || !strings.Contains(errs, "the proxy "+l.Addr().String()) ||
			!strings.Contains(errs, says) || strings.Contains(errs, "sesame") {
			t.Errorf("exit %d: %s", code, errs)
		}
		_, out, errs := p.dig(filepath.Join(t.TempDir(), "config"), "", []string{"DIG_API_KEY=" + keyOf("usaaaaaa"),
			"DIG_ZONE=us"}, "doctor", "-o", "json")
		expect(t, diagnoses(t, out, errs), map[string]string{"proxy": "failed " + says, "tls": "skipped"})
		l.Close()
	}
	for address, says := range map[string]string{
		"http://user:sesame@%zz:1":           "cannot be parsed",
		"http://user:sesame@":                "names no host",
		"user:sesame@":                       "names no host",
		"http://user:12/sesame@proxy:1":      "the part before @ is not a user and a password",
		"ftp://user:sesame@proxy.invalid:21": "only http, https, socks5 and socks5h",
	} {
		p := &hostedProxy{t: t, address: address}
		code, _, errs := p.dig(filepath.Join(t.TempDir(), "config"), "", []string{"DIG_API_KEY=" + keyOf("usaaaaaa"),
			"DIG_ZONE=us"}, "info", "--retries", "0")
		if code != exitcode.Failed || !strings.Contains(errs, "HTTPS_PROXY is not the address of a proxy: ") ||
			!strings.Contains(errs, says) || strings.Contains(errs, "sesame") {
			t.Errorf("%s: exit %d: %s", address, code, errs)
		}
	}
}

// TestProxyAnswersNothing, or nothing of a proxy: it is named, without its password, within the limit of connections.
func TestProxyAnswersNothing(t *testing.T) {
	for _, c := range []struct{ scheme, reply, says string }{
		{"http", "", "did not answer within the time limit"},
		{"http", "HTTP/1.1 200", "did not answer within the time limit"}, // and no more
		{"http", "SSH-2.0-OpenSSH_9.6\r\n\r\n", "does not answer like an HTTP proxy"},
		{"http", "close", "closed the connection without an answer"},
		{"https", "", "within the time limit"},
		{"socks5", "", "did not answer within the time limit"},
		{"socks5", "HTTP/1.1 400 Bad Request\r\n\r\n", "does not connect: "},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				if _, _ = conn.Read(make([]byte, 4096)); c.reply == "close" {
					conn.Close()
					continue
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, c.reply)
			}
		}()
		p := &hostedProxy{t: t, address: c.scheme + "://user:sesame@" + l.Addr().String()}
		env := []string{"DIG_API_KEY=" + keyOf("usaaaaaa"), "DIG_ZONE=us", "DIG_CONNECT_TIMEOUT=200ms"}
		code, _, errs := p.dig(filepath.Join(t.TempDir(), "config"), "", env, "info", "--retries", "0", "--debug")
		if code != exitcode.Unavailable || !strings.Contains(errs, "the proxy "+l.Addr().String()+" ") ||
			!strings.Contains(errs, c.says) || !strings.Contains(errs, "so partner.peaka.studio was not contacted") ||
			strings.Contains(errs, "sesame") {
			t.Errorf("%s, %q: exit %d: %s", c.scheme, c.reply, code, errs)
		}
		_, out, errs := p.dig(filepath.Join(t.TempDir(), "config"), "", env, "doctor", "-o", "json")
		expect(t, diagnoses(t, out, errs), map[string]string{"proxy": "failed " + c.says, "tls": "skipped",
			"gateway": "skipped"})
		l.Close()
	}
}

// TestPhases: the limit of each phase of a call has its own message.
func TestPhases(t *testing.T) {
	end := make(chan struct{})
	mute := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	defer mute.Close()
	defer close(end)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	silent := "https://" + l.Addr().String() + "/api/v1"
	for _, c := range []struct {
		base, variable, value, says string
	}{
		{mute.URL + "/api/v1", "DIG_CONNECT_TIMEOUT", "1ns", "no connection to 127.0.0.1"},
		{silent, "DIG_CONNECT_TIMEOUT", "100ms", "did not complete the TLS handshake within the time limit"},
		{mute.URL + "/api/v1", "DIG_REPLY_TIMEOUT", "0.1", "did not begin to answer within the time limit"},
		{mute.URL + "/api/v1", "DIG_TIMEOUT", "100ms", "no complete answer from 127.0.0.1"},
	} {
		code, _, errs := runDig(t, map[string]string{"DIG_BASE_URL": c.base, "DIG_API_KEY": testKey,
			c.variable: c.value}, "info", "--retries", "0")
		if code != exitcode.Unavailable || !strings.Contains(errs, c.says) {
			t.Errorf("%s=%s: exit %d: %s", c.variable, c.value, code, errs)
		}
	}
}

// TestInterruptEndsStatement: Ctrl-C ends the statement at the gateway, which has no operation for it: the connection
// is closed, or with HTTP/2 the stream.
func TestInterruptEndsStatement(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	for _, how := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for _, args := range [][]string{{"query", "execute", "SELECT 1", "-o", "csv"}, {"sql", "SELECT 1"},
			{"api", "POST", "/data/projects/AbCd1234/queries/execute", "-f", "statement=SELECT 1"}} {
			began, ended := make(chan string, 4), make(chan struct{}, 4)
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/execute") {
					fmt.Fprint(w, `[]`)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				began <- r.Proto
				<-r.Context().Done()
				ended <- struct{}{}
			}))
			p := &hostedProxy{t: t}
			if how == "HTTP/2.0" {
				srv.EnableHTTP2 = true
				srv.StartTLS()
				p.caFile = filepath.Join(t.TempDir(), "ca.pem")
				writePEM(t, p.caFile, "CERTIFICATE", srv.Certificate().Raw)
			} else {
				srv.Start()
			}
			c := process(t, t.TempDir(), args...)
			c.Env = append(c.Env, "DIG_BASE_URL="+srv.URL+"/api/v1", "DIG_API_KEY="+testKey, "DIG_PROJECT=AbCd1234",
				"DIG_CA_FILE="+p.caFile)
			var errs bytes.Buffer
			c.Stderr = &errs
			begin(t, c)
			wait := time.After(atMost)
			select {
			case proto := <-began:
				if proto != how {
					t.Errorf("%v by %s, want %s", args, proto, how)
				}
			case <-wait:
				t.Fatalf("%v: the statement was not sent: %s", args, errs.String())
			}
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			select {
			case <-ended:
			case <-wait:
				t.Errorf("%v, %s: the statement goes on at the gateway", args, how)
			}
			if code := c.ProcessState.ExitCode(); code != exitcode.Interrupted {
				t.Errorf("%v, %s: exit %d: %s", args, how, code, errs.String())
			}
			srv.Close()
		}
	}
}
