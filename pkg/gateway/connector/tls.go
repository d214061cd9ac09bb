package connector

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// UseSSL and CACertificate are the TLS fields of a database.
func UseSSL() Field {
	return Field{Name: "useSsl", Kind: "boolean",
		Description: "Connect by TLS and verify the server's certificate and name"}
}

// CACertificate does not exist on the hosted zones.
func CACertificate() Field {
	return Field{Name: "caCertificate", Kind: "text",
		Description: "With useSsl: the trusted certificates in PEM format, instead of the system's"}
}

// TLS returns the TLS configuration of a credential for a host: nil without useSsl. The certificate and the name are
// always verified.
func TLS(c Credential, host string) (*tls.Config, error) {
	pem := c.Text("caCertificate")
	if !c.Flag("useSsl") {
		if pem != "" {
			return nil, errors.New(`credential field "caCertificate" requires "useSsl"`)
		}
		return nil, nil
	}
	cfg := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if pem != "" {
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM([]byte(pem)) {
			return nil, errors.New(`credential field "caCertificate" contains no certificate in PEM format`)
		}
	}
	return cfg, nil
}
