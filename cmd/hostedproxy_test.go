package cmd

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// hostedProxy is a proxy that answers for the hosts it is asked to connect to, with certificates of its own authority.
// Processes that use it cannot reach the hosted zones, and it keeps what they would have sent there.
type hostedProxy struct {
	t       *testing.T
	address string
	caFile  string

	ca     *x509.Certificate
	caKey  *ecdsa.PrivateKey
	handle http.HandlerFunc
	want   *x509.CertPool // authority of client certificates, nil for none

	mu   sync.Mutex
	asks []string // "host Authorization METHOD path"
}

func newHostedProxy(t *testing.T, handle http.HandlerFunc) *hostedProxy {
	t.Helper()
	p := &hostedProxy{t: t, handle: handle}
	p.ca, p.caKey = makeCA(t)
	p.caFile = filepath.Join(t.TempDir(), "ca.pem")
	writePEM(t, p.caFile, "CERTIFICATE", p.ca.Raw)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.address = "http://" + l.Addr().String()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	t.Cleanup(func() { l.Close() })
	return p
}

func (p *hostedProxy) serve(c net.Conn) {
	defer c.Close()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil || req.Method != http.MethodConnect {
		return
	}
	if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	host, _, _ := net.SplitHostPort(req.Host)
	cert := p.issue(host, x509.ExtKeyUsageServerAuth)
	conf := &tls.Config{Certificates: []tls.Certificate{cert}}
	if p.want != nil {
		conf.ClientAuth, conf.ClientCAs = tls.RequireAndVerifyClientCert, p.want
	}
	one := &oneConn{c: tls.Server(c, conf), done: make(chan struct{})}
	_ = (&http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asks = append(p.asks, host+" "+r.Header.Get("Authorization")+" "+r.Method+" "+r.URL.Path)
		p.mu.Unlock()
		r.Host = host
		w.Header().Set("Content-Type", "application/json")
		p.handle(w, r)
	})}).Serve(one)
}

// sent returns the requests so far and forgets them.
func (p *hostedProxy) sent() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := strings.Join(p.asks, "\n")
	p.asks = nil
	return all
}

// issue makes a certificate.
func (p *hostedProxy) issue(name string, use x509.ExtKeyUsage) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Error(err)
	}
	tpl := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		DNSNames:  []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(60 * 24 * time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{use}, KeyUsage: x509.KeyUsageDigitalSignature}
	raw, err := x509.CreateCertificate(rand.Reader, tpl, p.ca, &key.PublicKey, p.caKey)
	if err != nil {
		p.t.Error(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

func makeCA(t *testing.T) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageCertSign}
	raw, err := x509.CreateCertificate(rand.Reader, tpl, tpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return ca, key
}

func writePEM(t *testing.T, path, kind string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// oneConn is a listener with one connection.
type oneConn struct {
	c    net.Conn
	once sync.Once
	done chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	var c net.Conn
	l.once.Do(func() { c = closing{l.c, l.done} })
	if c != nil {
		return c, nil
	}
	<-l.done
	return nil, io.EOF
}
func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return l.c.LocalAddr() }

type closing struct {
	net.Conn
	done chan struct{}
}

func (c closing) Close() error {
	defer func() { _ = recover() }() // closed twice
	close(c.done)
	return c.Conn.Close()
}
