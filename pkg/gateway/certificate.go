package gateway

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate is the certificate of a served gateway. Its files are read again when they have changed: while they do
// not fit together, such as when one has been replaced and the other not yet, the former certificate stays.
type Certificate struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time

	mu     sync.Mutex
	looked time.Time
	read   [2]os.FileInfo // of the files when they were read
	pair   *tls.Certificate
	fault  string // the last error that was logged
}

// The errors of a certificate, by the file that is to blame.
var (
	ErrCertFile = errors.New("the certificate")
	ErrKeyFile  = errors.New("the private key")
)

// OpenCertificate reads a certificate, with the chain to its authority, and its private key, both PEM.
func OpenCertificate(cert, key string, log *slog.Logger, now func() time.Time) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log, now: now}
	return c, c.load()
}

// lookEvery is how long the files are not looked at again.
const lookEvery = time.Second

// Config is the server's side of TLS. Connections have HTTP/1.1, as those without TLS: a caller that is slow or gone is
// seen by its connection.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil }}
}

// current returns the certificate, which is read again if its files have changed.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.looked).Abs() >= lookEvery {
		c.looked = now
		if c.changed() {
			c.again()
		}
	}
	return c.pair
}

// Reload reads the files again.
func (c *Certificate) Reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = ""
	c.again()
}

func (c *Certificate) again() {
	switch err := c.load(); {
	case err == nil:
		c.fault = ""
		c.log.Info("the certificate was read again", "expires", c.pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	case err.Error() != c.fault:
		c.fault = err.Error()
		c.log.Warn("the certificate cannot be read again; the former one stays", "error", c.fault)
	}
}

func (c *Certificate) changed() bool {
	for i, path := range []string{c.cert, c.key} {
		st, err := os.Stat(path)
		if was := c.read[i]; err != nil || !os.SameFile(st, was) || st.ModTime() != was.ModTime() ||
			st.Size() != was.Size() {
			return true
		}
	}
	return false
}

func (c *Certificate) load() error {
	var text [2][]byte
	var read [2]os.FileInfo
	for i, f := range []struct {
		path string
		kind error
	}{{c.cert, ErrCertFile}, {c.key, ErrKeyFile}} {
		var err error
		if read[i], err = os.Stat(f.path); err == nil { // first: a change in between is read again
			text[i], err = os.ReadFile(f.path)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", f.kind, err)
		}
	}
	pair, err := tls.X509KeyPair(text[0], text[1]) // its errors do not repeat the key
	if err != nil {
		return fmt.Errorf("%w in %s and the certificate in %s: %w", ErrKeyFile, c.key, c.cert, err)
	}
	c.read, c.pair = read, &pair
	if left := pair.Leaf.NotAfter.Sub(c.now()); left < 0 {
		c.log.Warn("the certificate has expired", "file", c.cert, "expired",
			pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}

// Expires returns when the certificate ends.
func (c *Certificate) Expires() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pair.Leaf.NotAfter
}
