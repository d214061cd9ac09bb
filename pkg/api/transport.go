package api

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/outcome"
)

// ErrProxy is wrapped by errors of the proxy between this machine and the gateway.
var ErrProxy = errors.New("the proxy failed")

// Network is how connections to a gateway are made. Zero fields are the defaults of net/http.
type Network struct {
	Roots        *x509.CertPool    // authorities of certificates; nil for the system's
	Certificates []tls.Certificate // shown to the gateway
	Connect      time.Duration     // limit of a connection, and again of its TLS handshake
	Reply        time.Duration     // limit from the end of a request to the first byte of its reply
}

// NewTransport returns a transport for a gateway, through the proxy of the environment.
func NewTransport(n Network) *Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if n.Roots != nil || n.Certificates != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: n.Roots, Certificates: n.Certificates, MinVersion: tls.VersionTLS12}
	}
	if n.Connect > 0 {
		d := &net.Dialer{Timeout: n.Connect, KeepAlive: 30 * time.Second}
		t.DialContext, t.TLSHandshakeTimeout = d.DialContext, n.Connect
	}
	t.ResponseHeaderTimeout = n.Reply
	throughProxy(t, cmp.Or(n.Connect, 30*time.Second))
	return &Transport{t}
}

// errSetting is wrapped by errors after which the same call fails again until a setting is changed.
var errSetting = errors.New("a setting does not fit")

// errPhase is the cause of an error of a time limit of this package, as opposed to one of the caller's context.
var errPhase = errors.New("the connection timed out")

// phaseError sets the explanation in e if err was caused by the time limit of a phase or by a missing or rejected
// client certificate, and reports whether it was.
func phaseError(e *Error, host string, err error) bool {
	var (
		op   *net.OpError
		late net.Error
	)
	isOp := errors.As(err, &op)
	switch {
	case isOp && op.Op == "remote error": // a TLS alert; crypto/tls does not export its type
		what := strings.TrimPrefix(root(err).Error(), "tls: ")
		certificate := strings.Contains(what, "certificate") // with TLS 1.3 the request may have been written before
		switch {
		case what == "certificate required":
			e.Message, e.Hint = host+" requires a client certificate",
				"set client-cert and client-key in the profile, or DIG_CLIENT_CERT and DIG_CLIENT_KEY"
		case e.Outcome == outcome.Unknown && !certificate:
			e.Message, e.Hint = host+" ended the connection: "+what, "try again"
		default:
			e.Message, e.Hint = host+" ended the TLS handshake: "+what,
				"if it requires a client certificate, check client-cert and client-key"
		}
		if certificate || e.Outcome != outcome.Unknown && what != "internal error" {
			e.Err = errors.Join(err, errSetting)
		}
		return true
	case !errors.As(err, &late) || !late.Timeout():
		return false
	case isOp && op.Op == "dial":
		e.Kind, e.Message, e.Hint = KindTimeout, "no connection to "+host+" within the time limit",
			"a firewall may drop the packets, or a proxy may be needed (HTTPS_PROXY); connect-timeout sets the limit"
	case strings.Contains(err.Error(), "TLS handshake timeout"): // net/http does not export the type
		e.Kind, e.Message, e.Hint = KindTimeout,
			host+" accepted the connection but did not complete the TLS handshake within the time limit",
			"connect-timeout sets the limit"
	case !strings.Contains(err.Error(), "awaiting response headers"):
		return false
	default:
		e.Kind, e.Message, e.Hint = KindTimeout, host+" did not begin to answer within the time limit",
			"reply-timeout sets the limit"
	}
	e.Err = errPhase
	return true
}
