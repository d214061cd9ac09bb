package mysql

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// The driver starts TLS itself, on the connection it was given, so its packets could not be inspected. Therefore the
// driver's TLS connection ends within the process, and a second one leads from here to the server. Between the two,
// packets are inspected.

// ends returns the configurations of both ends of the TLS connection within the process. Its certificate is created for
// one connector, which alone trusts it.
func ends() (driver, here *tls.Config, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	const name = "dig"
	now := time.Now()
	made := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: now.AddDate(-1, 0, 0),
		NotAfter: now.AddDate(100, 0, 0),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	raw, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	if made, err = x509.ParseCertificate(raw); err != nil {
		return nil, nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(made)
	driver = &tls.Config{ServerName: name, RootCAs: roots, MinVersion: tls.VersionTLS13}
	here = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}},
		MinVersion: tls.VersionTLS13}
	return driver, here, nil
}

// tunnel is the driver's end of an inspected TLS connection.
type tunnel struct {
	net.Conn // to run
	server   net.Conn

	mu  sync.Mutex
	why error // the error that ended it
}

// through connects the driver with the server and returns the driver's end. The driver has a TLS connection with this
// process, configured by here; the TLS connection with the server is configured by outer, including its verification.
func through(ctx context.Context, server net.Conn, outer, here *tls.Config) net.Conn {
	a, b := net.Pipe()
	t := &tunnel{Conn: a, server: server}
	safely.Go(func() {
		err := errors.New("the connection has ended")
		defer func() { t.end(err); b.Close() }()
		err = t.run(ctx, b, outer, here)
	})
	return t
}

func (t *tunnel) end(err error) {
	t.mu.Lock()
	if t.why == nil {
		t.why = err
	}
	t.mu.Unlock()
	t.server.Close()
}

// Read implements net.Conn. It returns the error that ended the tunnel.
func (t *tunnel) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	if err == io.EOF {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.why != nil {
			err = t.why
		}
	}
	return n, err
}

// Close implements net.Conn.
func (t *tunnel) Close() error {
	t.end(net.ErrClosed)
	return t.Conn.Close()
}

// run forwards the server's greeting and the driver's TLS request, which are not encrypted, and then the traffic
// between both TLS connections.
func (t *tunnel) run(ctx context.Context, b net.Conn, outer, here *tls.Config) error {
	told, _ := ctx.Value(verdictKey{}).(*verdict)
	if err := t.server.SetDeadline(time.Now().Add(connectTimeout)); err != nil {
		return err
	}
	if err := pass(b, t.server); err != nil {
		return err
	}
	if err := pass(t.server, b); err != nil {
		return err
	}
	out := tls.Client(t.server, outer)
	if err := out.HandshakeContext(ctx); err != nil {
		told.set(err)
		return err
	}
	in := tls.Server(b, here)
	if err := in.HandshakeContext(ctx); err != nil {
		return err
	}
	if err := t.server.SetDeadline(time.Time{}); err != nil {
		return err
	}
	watched := &bounded{Conn: out, told: told, greeted: true}
	safely.Go(func() {
		_, err := io.Copy(watched, in)
		if err == nil {
			err = io.EOF
		}
		t.end(err)
	})
	_, err := io.Copy(in, watched)
	if err == nil {
		err = io.EOF
	}
	t.end(err)
	return err
}

// pass forwards one packet.
func pass(to io.Writer, from io.Reader) error {
	p := make([]byte, 4, 1024)
	if _, err := io.ReadFull(from, p); err != nil {
		return err
	}
	size := int(p[0]) | int(p[1])<<8 | int(p[2])<<16
	if size > 64<<10 {
		return fmt.Errorf("the server greets with a packet of %d bytes", size)
	}
	p = append(p, make([]byte, size)...)
	if _, err := io.ReadFull(from, p[4:]); err != nil {
		return err
	}
	_, err := to.Write(p)
	return err
}
