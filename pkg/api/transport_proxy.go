package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/outcome"
	"golang.org/x/net/http/httpproxy"
)

// Transport is an http.Transport that distinguishes failures of the proxy from those of the gateway: net/http returns
// the error of an unanswered or malformed CONNECT as if it came from the gateway.
type Transport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.Proxy == nil || req.URL.Scheme != "https" { // without TLS there is no CONNECT
		return outcome.Send(t.Transport, req)
	}
	w := &proxyWay{}
	ctx := context.WithValue(req.Context(), proxyWayKey{}, w)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart: w.shakes,
		GotConn:           func(httptrace.GotConnInfo) { w.set(proxyPassed) },
	})
	res, err := outcome.Send(t.Transport, req.WithContext(ctx))
	if err != nil && req.Context().Err() == nil {
		err = w.explain(req.URL.Host, err)
	}
	return res, err
}

// The stages of a connection through a proxy.
const (
	proxyUnused = iota
	proxyDialed // being connected to; its answers have a time limit from here on
	proxyAsked  // CONNECT was sent
	proxyPassed // the proxy has connected; what follows is between this machine and the gateway
)

// proxyWay records how far the connection of one request through a proxy has got. The connection is opened concurrently
// with the request, which may use another one instead.
type proxyWay struct {
	mu    sync.Mutex
	proxy *url.URL
	stage int
	conn  net.Conn
}

type proxyWayKey struct{}

func wayOf(ctx context.Context) *proxyWay {
	w, _ := ctx.Value(proxyWayKey{}).(*proxyWay)
	return w
}

// set begins a stage.
func (w *proxyWay) set(stage int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stage = max(w.stage, stage)
}

// wait begins a stage and limits the time until the proxy answers; 0 removes the limit.
func (w *proxyWay) wait(limit time.Duration, stage int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var until time.Time
	if limit > 0 {
		until = time.Now().Add(limit)
	}
	w.stage = max(w.stage, stage)
	if w.conn == nil {
		return nil
	}
	return w.conn.SetDeadline(until)
}

// shakes is called at the start of a TLS handshake. Behind a SOCKS proxy this is the handshake with the gateway.
func (w *proxyWay) shakes() {
	w.mu.Lock()
	socks := w.proxy != nil && strings.HasPrefix(w.proxy.Scheme, "socks")
	w.mu.Unlock()
	if socks {
		_ = w.wait(0, proxyPassed) // a closed connection fails in the handshake
	}
}

// explain returns the error of the proxy if the connection failed there, and err otherwise.
func (w *proxyWay) explain(target string, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var own *Error
	if w.proxy == nil || w.stage == proxyUnused || w.stage == proxyPassed || errors.As(err, &own) {
		return err
	}
	e := &Error{Kind: KindUnavailable, Outcome: outcome.NotSent, Err: errors.Join(ErrProxy, err),
		Hint: "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"}
	var late net.Error
	isLate := errors.As(err, &late) && late.Timeout()
	what := ""
	switch {
	case isLate:
		e.Kind, e.Hint = KindTimeout, "connect-timeout sets the limit; "+e.Hint
		if what = "did not answer within the time limit"; w.conn == nil {
			what = "cannot be reached within the time limit"
		}
	case w.conn == nil:
		what = "cannot be reached: " + root(err).Error()
	case w.stage == proxyDialed && w.proxy.Scheme == "https":
		what = "did not complete the TLS handshake: " + root(err).Error()
	case closed(err):
		what = "closed the connection without an answer"
	case w.stage == proxyAsked: // its answer is not repeated: it may be of any length
		what = "does not answer like an HTTP proxy"
	default:
		what = "does not connect: " + root(err).Error()
	}
	e.Message = fmt.Sprintf("the proxy %s %s, so %s was not contacted", w.proxy.Host, what, target)
	return e
}

// throughProxy makes a transport use the proxy of the environment, which must answer within limit.
func throughProxy(t *http.Transport, limit time.Duration) {
	t.Proxy = func(req *http.Request) (*url.URL, error) {
		u, err := ProxyFor(req.URL)
		if w := wayOf(req.Context()); w != nil {
			w.mu.Lock()
			w.proxy = u
			w.mu.Unlock()
		}
		return u, err
	}
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		w := wayOf(ctx)
		if w == nil || !w.uses() {
			return dial(ctx, network, addr)
		}
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		w.conn = conn
		w.mu.Unlock()
		return conn, w.wait(limit, proxyDialed)
	}
	t.GetProxyConnectHeader = func(ctx context.Context, _ *url.URL, _ string) (http.Header, error) {
		if w := wayOf(ctx); w != nil {
			return nil, w.wait(limit, proxyAsked)
		}
		return nil, nil
	}
	t.OnProxyConnectResponse = func(ctx context.Context, proxy *url.URL, to *http.Request, res *http.Response) error {
		if res.StatusCode == http.StatusOK {
			if w := wayOf(ctx); w != nil {
				return w.wait(0, proxyPassed)
			}
			return nil
		}
		e := &Error{Kind: KindUnavailable, Outcome: outcome.NotSent, Err: ErrProxy,
			Message: fmt.Sprintf("the proxy %s does not connect to %s: it answered %s", proxy.Host, to.Host,
				cmp.Or(res.Status, "nothing")),
			Hint: "ask its operators to allow this host, or name the host in NO_PROXY if it can be reached directly"}
		if res.StatusCode == http.StatusProxyAuthRequired {
			e.Message = fmt.Sprintf("the proxy %s requires a user and password, or refuses those given, so %s was "+
				"not contacted", proxy.Host, to.Host)
			e.Hint = "put them into HTTPS_PROXY: http://user:password@" + proxy.Host
		}
		if res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests {
			e.Err = errors.Join(ErrProxy, errSetting)
		}
		return e
	}
}

// uses begins the first stage if the request goes through a proxy.
func (w *proxyWay) uses() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proxy != nil && w.stage == proxyUnused {
		w.stage = proxyDialed
	}
	return w.proxy != nil
}

// ProxyFor returns the proxy of the environment for an address, nil for none. It is http.ProxyFromEnvironment, but a
// variable that is not the address of a proxy is an error instead of being ignored, or understood as a proxy called
// http. The error does not repeat the variable, which may contain a password.
func ProxyFor(to *url.URL) (*url.URL, error) {
	conf := httpproxy.FromEnvironment()
	wrong := map[*string]string{}
	for _, v := range []*string{&conf.HTTPSProxy, &conf.HTTPProxy} {
		if *v != "" {
			if wrong[v] = notProxy(*v); wrong[v] != "" {
				*v = "http://" + badProxy
			}
		}
	}
	u, err := conf.ProxyFunc()(to)
	if err == nil && (u == nil || u.Host != badProxy) {
		return u, nil
	}
	e := &Error{Kind: KindUnavailable, Outcome: outcome.NotSent, Err: errors.Join(ErrProxy, errSetting),
		Message: "the address of the proxy in the environment is not valid",
		Hint:    "the form is http://host:port or http://user:password@host:port"}
	names, why := []string{"HTTPS_PROXY", "https_proxy"}, wrong[&conf.HTTPSProxy]
	if to.Scheme == "http" {
		names, why = []string{"HTTP_PROXY", "http_proxy"}, wrong[&conf.HTTPProxy]
	}
	if at := slices.IndexFunc(names, func(n string) bool { return os.Getenv(n) != "" }); at >= 0 && why != "" {
		e.Message = fmt.Sprintf("%s is not the address of a proxy: %s", names[at], why)
	}
	return nil, e
}

// badProxy is a host that does not exist.
const badProxy = "proxy.invalid:1"

// notProxy returns why a text is not the address of a proxy, or "". The reason repeats nothing of the text.
func notProxy(v string) string {
	if !strings.Contains(v, "://") {
		v = "http://" + v
	}
	const encode = "; characters such as / # ? % in a password are written with %, as %2F"
	u, err := url.Parse(v)
	switch {
	case err != nil:
		return "it cannot be parsed" + encode
	case strings.Contains(u.Path+u.RawQuery+u.Fragment, "@"):
		return "the part before @ is not a user and a password" + encode
	case u.Hostname() == "":
		return "it names no host"
	case !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme):
		return "only http, https, socks5 and socks5h are supported"
	}
	return ""
}
