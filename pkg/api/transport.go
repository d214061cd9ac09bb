package api

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
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
func NewTransport(n Network) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if n.Roots != nil || n.Certificates != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: n.Roots, Certificates: n.Certificates, MinVersion: tls.VersionTLS12}
	}
	if n.Connect > 0 {
		d := &net.Dialer{Timeout: n.Connect, KeepAlive: 30 * time.Second}
		t.DialContext, t.TLSHandshakeTimeout = d.DialContext, n.Connect
	}
	t.ResponseHeaderTimeout = n.Reply
	t.Proxy = proxyOfEnvironment
	t.OnProxyConnectResponse = func(_ context.Context, proxy *url.URL, to *http.Request, res *http.Response) error {
		if res.StatusCode == http.StatusOK {
			return nil
		}
		e := &Error{Kind: KindUnavailable, Err: ErrProxy, Message: fmt.Sprintf("the proxy %s does not connect to %s: it answered %s", proxy.Host, to.Host, cmp.Or(res.Status, "nothing")),
			Hint: "ask its operators to allow this host, or name the host in NO_PROXY if it can be reached directly"}
		if res.StatusCode == http.StatusProxyAuthRequired {
			e.Message = fmt.Sprintf("the proxy %s requires a user and password, or refuses those given, so %s was not contacted", proxy.Host, to.Host)
			e.Hint = "put them into HTTPS_PROXY: http://user:password@" + proxy.Host
		}
		return e
	}
	return t
}

// proxyOfEnvironment is http.ProxyFromEnvironment, but a variable that is not an address is an error instead of being
// ignored. The error does not repeat the variable, which may contain a password.
func proxyOfEnvironment(req *http.Request) (*url.URL, error) { return ProxyFor(req.URL) }

// ProxyFor returns the proxy of the environment for an address, nil for none.
func ProxyFor(to *url.URL) (*url.URL, error) {
	conf := httpproxy.FromEnvironment()
	for _, v := range []*string{&conf.HTTPSProxy, &conf.HTTPProxy} {
		if *v != "" && !isProxy(*v) && !isProxy("http://"+*v) {
			*v = "http://" + badProxy
		}
	}
	u, err := conf.ProxyFunc()(to)
	if err != nil || u != nil && u.Host == badProxy {
		return nil, &Error{Kind: KindUnavailable, Err: ErrProxy, Message: "the address of the proxy in the environment is not valid", Hint: "HTTPS_PROXY and HTTP_PROXY look like http://host:port"}
	}
	return u, nil
}

// badProxy is a host that does not exist.
const badProxy = "proxy.invalid:1"

func isProxy(v string) bool {
	u, err := url.Parse(v)
	return err == nil && u.Scheme != "" && u.Host != ""
}

// errPhase is the cause of an error of a time limit of this package, as opposed to one of the caller's context.
var errPhase = errors.New("a time limit of the connection ran out")

// phaseError explains a failure that the time limit of a phase, or the certificate of the client, has caused. It reports
// whether it is one.
func phaseError(e *Error, host string, err error) bool {
	var (
		op   *net.OpError
		late net.Error
	)
	isOp := errors.As(err, &op)
	switch {
	case isOp && op.Op == "remote error": // an alert, of a type that crypto/tls does not export
		switch what := root(err).Error(); what {
		case "tls: certificate required":
			e.Message, e.Hint = host+" requires a client certificate", "set client-cert and client-key in the profile, or DIG_CLIENT_CERT and DIG_CLIENT_KEY"
		default:
			e.Message, e.Hint = host+" ended the TLS handshake: "+strings.TrimPrefix(what, "tls: "), "if it requires a client certificate, check client-cert and client-key"
		}
		return true
	case !errors.As(err, &late) || !late.Timeout():
		return false
	case isOp && op.Op == "dial":
		e.Kind, e.Message, e.Hint = KindTimeout, "no connection to "+host+" within the time limit", "a firewall may drop the packets, or a proxy be needed (HTTPS_PROXY); connect-timeout sets the limit"
	case strings.Contains(err.Error(), "TLS handshake timeout"): // of a type that net/http does not export
		e.Kind, e.Message, e.Hint = KindTimeout, host+" accepted the connection but did not complete the TLS handshake within the time limit", "connect-timeout sets the limit"
	case !strings.Contains(err.Error(), "awaiting response headers"):
		return false
	default:
		e.Kind, e.Message, e.Hint = KindTimeout, host+" did not begin to answer within the time limit", "reply-timeout sets the limit"
	}
	e.Err = errPhase
	return true
}
