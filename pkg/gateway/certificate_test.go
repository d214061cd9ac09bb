package gateway_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// certificate writes a certificate for 127.0.0.1 with its private key to two files.
func certificate(t *testing.T, cert, key string, serial int64, until time.Time) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	for path, b := range map[string]pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed},
		key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if path != "" {
			if err := os.WriteFile(path, pem.EncodeToMemory(&b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}))
	return pool
}

// TestCertificate: a gateway with TLS shows the certificate of its files, also after they have changed, and the former
// one while they do not fit together.
func TestCertificate(t *testing.T) {
	dir, until := t.TempDir(), time.Now().Add(time.Hour)
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := certificate(t, cert, key, 1, until)
	now := time.Now()
	var said bytes.Buffer
	c, err := gateway.OpenCertificate(cert, key, slog.New(slog.NewTextHandler(&said, nil)),
		func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	_, s, served, _ := gatewaytest.Serve(t, gateway.Options{Certificate: c})
	get := func(pool *x509.CertPool) (serial int64, err error) {
		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
		defer tr.CloseIdleConnections()
		res, err := (&http.Client{Transport: tr}).Get("https://" + s.Addr.String() + "/readyz")
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK || res.ProtoMajor != 1 {
			t.Errorf("%s %s", res.Proto, res.Status)
		}
		return res.TLS.PeerCertificates[0].SerialNumber.Int64(), nil
	}
	shows := func(what string, pool *x509.CertPool, want int64) {
		t.Helper()
		if serial, err := get(pool); err != nil || serial != want {
			t.Errorf("%s: %d, %v", what, serial, err)
		}
	}
	shows("at first", pool, 1)
	cl, err := api.New(api.Options{BaseURL: "https://" + s.Addr.String() + web.BasePath, Key: served.Key,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}})
	if err != nil {
		t.Fatal(err)
	}
	id, err := gatewaytest.StartExport(t, cl, "SELECT 1 AS n", api.ExportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if job := gatewaytest.Ended(t, cl, id); len(job.Files) != 1 || !strings.HasPrefix(job.Files[0].URL, "https://"+
		s.Addr.String()+"/") {
		t.Errorf("the link to the file of an export: %+v", job)
	}
	first := pool
	pool = certificate(t, cert, key, 2, until)
	now = now.Add(2 * time.Second)
	shows("both files replaced", pool, 2)
	if _, err := get(first); err == nil {
		t.Error("the former certificate is still shown")
	}

	certificate(t, cert, "", 3, until) // its key has not been written yet
	now = now.Add(2 * time.Second)
	shows("files that do not fit together", pool, 2)
	now = now.Add(2 * time.Second)
	shows("the same again", pool, 2)
	if n := strings.Count(said.String(), "the former one stays"); n != 1 {
		t.Errorf("said %d times: %s", n, said.String())
	}
	pool = certificate(t, cert, key, 4, until)
	c.Reload()
	shows("after a signal", pool, 4)

	res, err := http.Get("http://" + s.Addr.String() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode != 400 || !strings.Contains(string(text), "HTTPS") {
		t.Errorf("without TLS: %s %s", res.Status, text)
	}

	for name, broken := range map[string]struct {
		change func()
		kind   error
	}{
		"no certificate": {func() { os.Remove(cert) }, gateway.ErrCertFile},
		"no key":         {func() { os.Remove(key) }, gateway.ErrKeyFile},
		"another's key":  {func() { certificate(t, "", key, 7, until) }, gateway.ErrKeyFile},
		"no PEM":         {func() { _ = os.WriteFile(key, []byte("x"), 0o600) }, gateway.ErrKeyFile},
	} {
		certificate(t, cert, key, 9, until)
		broken.change()
		if _, err := gateway.OpenCertificate(cert, key, slog.New(slog.DiscardHandler), time.Now); !errors.Is(err,
			broken.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	certificate(t, cert, key, 10, time.Now().Add(-time.Minute))
	said.Reset()
	if _, err := gateway.OpenCertificate(cert, key, slog.New(slog.NewTextHandler(&said, nil)),
		time.Now); err != nil || !strings.Contains(said.String(), "has expired") {
		t.Errorf("an expired certificate: %v, %s", err, said.String())
	}
}
