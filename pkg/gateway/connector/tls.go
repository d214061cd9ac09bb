package connector

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// UseSSL and CACertificate are the fields of a database that is reached by TLS.
func UseSSL() Field {
	return Field{Name: "useSsl", Kind: "boolean", Description: "Connect by TLS and verify the server's certificate and name"}
}

// CACertificate is beyond the fields of the hosted zones.
func CACertificate() Field {
	return Field{Name: "caCertificate", Kind: "text", Description: "With useSsl: the PEM text of the certificates to trust, in place of the system's"}
}

// TLS is what a credential says of TLS to a host: nil without useSsl. The certificate and the name are always verified.
func TLS(c Credential, host string) (*tls.Config, error) {
	pem := c.Text("caCertificate")
	if !c.Flag("useSsl") {
		if pem != "" {
			return nil, errors.New(`credential field "caCertificate" needs "useSsl"`)
		}
		return nil, nil
	}
	cfg := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if pem != "" {
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM([]byte(pem)) {
			return nil, errors.New(`credential field "caCertificate" holds no certificate in PEM form`)
		}
	}
	return cfg, nil
}
