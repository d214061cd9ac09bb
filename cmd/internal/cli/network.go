package cli

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
)

// NetworkSettings is the settings of connections, each with its origin.
type NetworkSettings struct{ CAFile, ClientCert, ClientKey, Connect, Reply config.Value }

// NetworkSettingsOf returns the connection settings among the current settings.
func NetworkSettingsOf(s *config.Settings) NetworkSettings {
	return NetworkSettings{s.CAFile, s.ClientCert, s.ClientKey, s.ConnectTimeout, s.ReplyTimeout}
}

// NetworkOf reads the certificates and limits of connections.
func (e *Env) NetworkOf(p NetworkSettings) (n api.Network, err error) {
	if p.CAFile.Value != "" {
		raw, err := e.certFile("ca-file", p.CAFile)
		if err != nil {
			return n, err
		}
		if n.Roots, err = x509.SystemCertPool(); err != nil { // the system has none
			n.Roots = x509.NewCertPool()
		}
		if !n.Roots.AppendCertsFromPEM(raw) {
			return n, exitcode.Usagef("ca-file (%s): %s contains no certificate", p.CAFile.From,
				p.CAFile.Value).WithHint("the file must be PEM, which begins with -----BEGIN CERTIFICATE-----")
		}
	}
	if n.Certificates, err = e.clientCertificate(p); err != nil {
		return n, err
	}
	for _, limit := range []struct {
		into *time.Duration
		text string
	}{{&n.Connect, p.Connect.Value}, {&n.Reply, p.Reply.Value}} {
		if limit.text == "" {
			continue
		}
		if *limit.into, err = config.ParseDuration(limit.text); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (e *Env) certFile(name string, v config.Value) ([]byte, error) {
	raw, err := os.ReadFile(e.Abs(v.Value))
	if err != nil {
		return nil, e.Unread(fmt.Sprintf("%s (%s)", name, v.From), v.Value, err)
	}
	return raw, nil
}

// clientCertificate reads the certificate that is presented to the gateway, and its key, which may be in the same file.
func (e *Env) clientCertificate(p NetworkSettings) ([]tls.Certificate, error) {
	if p.ClientCert.Value == "" {
		if p.ClientKey.Value != "" {
			return nil, exitcode.Usagef("client-key is set (%s), client-cert is not", p.ClientKey.From)
		}
		return nil, nil
	}
	cert, err := e.certFile("client-cert", p.ClientCert)
	if err != nil {
		return nil, err
	}
	key, from := cert, p.ClientCert
	if p.ClientKey.Value != "" {
		from = p.ClientKey
		if key, err = e.certFile("client-key", p.ClientKey); err != nil {
			return nil, err
		}
	}
	for rest := key; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
			return nil, exitcode.Usagef("client-key (%s): the key in %s is encrypted", from.From,
				from.Value).WithHint("decrypt it into a file that only you can read: openssl pkey -in FILE -out KEY")
		}
	}
	pair, err := tls.X509KeyPair(cert, key) // its errors do not repeat the key
	if err != nil {
		return nil, exitcode.Usagef("client-cert (%s): %s: %v", p.ClientCert.From, p.ClientCert.Value,
			err).WithHint("both are PEM; client-key names the file of the key if the certificate's file does not " +
			"contain it")
	}
	return []tls.Certificate{pair}, nil
}
