package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/loopback"
	"golang.org/x/net/publicsuffix"
)

// The gateway returns the location of an export's file. It may be wrong or manipulated: links are followed only to
// known file stores, over https, and never with the key.

// fileHosts are the object stores that links of the hosted zones may lead to, including subdomains.
func fileHosts() []string {
	return []string{"storage.googleapis.com", "blob.core.windows.net", "dfs.core.windows.net",
		"r2.cloudflarestorage.com", "digitaloceanspaces.com",
		"backblazeb2.com", "wasabisys.com", "appdomain.cloud", "oraclecloud.com"}
}

// links are the rules for the links of one gateway.
type links struct {
	base  string
	hosts []string // hosts that the user allows besides the known ones
}

// check returns an error if a link is not allowed.
func (l links) check(u *url.URL) error {
	refused := func(hint, format string, args ...any) error {
		return &Error{Kind: KindProtocol, URL: u.Scheme + "://" + u.Host + u.Path, Message: fmt.Sprintf(format,
			args...), Hint: hint}
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	at, err := url.Parse(l.base)
	if err != nil {
		return err
	}
	own := strings.ToLower(at.Hostname())
	if loopback.Is(own) && loopback.Is(host) && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	if u.Scheme != "https" {
		return refused("", "the link to the file is not https")
	}
	if ip, err := netip.ParseAddr(host); err == nil && !reachable(ip) && host != own {
		if at, err := netip.ParseAddr(own); err == nil && at.IsPrivate() && ip.IsPrivate() && below(host, l.hosts) {
			return nil
		}
		return refused("", "the link to the file leads to %s, a non-public address", host)
	}
	if host == own || sameSite(host, own) || below(host, l.hosts) || below(host, fileHosts()) || isS3(host) {
		return nil
	}
	return refused("if files of this gateway are stored there, give --allow-host "+host,
		"the link to the file leads to %s, which is neither on the gateway's site nor a known file store", host)
}

func below(host string, zones []string) bool {
	for _, z := range zones {
		z = strings.ToLower(strings.TrimSuffix(z, "."))
		if host == z || strings.HasSuffix(host, "."+z) {
			return true
		}
	}
	return false
}

// isS3 reports whether a host is an address of S3, as opposed to other services of the same company.
func isS3(host string) bool {
	rest, ok := strings.CutSuffix(host, ".amazonaws.com")
	if !ok {
		if rest, ok = strings.CutSuffix(host, ".amazonaws.com.cn"); !ok {
			return false
		}
	}
	for _, label := range strings.Split(rest, ".") {
		if label == "s3" || strings.HasPrefix(label, "s3-") {
			return true
		}
	}
	return false
}

// sameSite reports whether two hosts have the same registered domain.
func sameSite(a, b string) bool {
	x, err := publicsuffix.EffectiveTLDPlusOne(a)
	if err != nil || net.ParseIP(a) != nil {
		return false
	}
	y, err := publicsuffix.EffectiveTLDPlusOne(b)
	return err == nil && x == y
}

// reachable reports whether an address is public: not of this machine, a private network or a link-local one.
func reachable(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, text := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "::/96",
		"64:ff9b::/32", "2002::/16", "2001::/32", "fec0::/10"} {
		if netip.MustParsePrefix(text).Contains(ip) {
			return false
		}
	}
	return true
}

// errInside is the reason why a named host was not called.
var errInside = errors.New("the host of the link has a non-public address")

// control rejects a connection to a non-public address after name resolution, unless the gateway itself has such an
// address.
func (l links) control(ctx context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := to.Addr().Unmap().WithZone("")
	if reachable(ip) {
		return nil
	}
	at, err := url.Parse(l.base)
	if err != nil {
		return err
	}
	own, err := net.DefaultResolver.LookupNetIP(ctx, "ip", at.Hostname())
	if err != nil {
		return errInside
	}
	for _, o := range own {
		if o = o.Unmap().WithZone(""); o == ip || o.IsLoopback() && ip.IsLoopback() || o.IsPrivate() && ip.IsPrivate() {
			return nil
		}
	}
	return errInside
}

// fileTransport connects to hosts of links directly, under control, or through the system's proxy, which has its own
// rules.
type fileTransport struct{ direct, proxied http.RoundTripper }

// newFileTransport trusts the authorities of the gateway's network, but shows no certificate of the client.
func newFileTransport(l links, n Network) *fileTransport {
	n.Certificates, n.Reply = nil, 0
	d := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, ControlContext: l.control}
	if n.Connect > 0 {
		d.Timeout = n.Connect
	}
	direct := NewTransport(n)
	direct.Proxy, direct.DialContext = nil, d.DialContext
	return &fileTransport{direct, NewTransport(n)}
}

// RoundTrip sends the request directly or through the proxy.
func (t *fileTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	proxy, err := ProxyFor(req.URL)
	if err != nil {
		return nil, err
	}
	if proxy != nil {
		return t.proxied.RoundTrip(req)
	}
	return t.direct.RoundTrip(req)
}

// openLink follows a link to another host than the gateway's.
func (c *Client) openLink(ctx context.Context, u *url.URL, where string, header http.Header) (*Reply, error) {
	if err := c.links.check(u); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = header
	files := &http.Client{Transport: c.files, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return &Error{Kind: KindProtocol, Message: "the link to the file redirects too many times"}
		}
		req.Header.Del("Referer") // it contains the signature
		return c.links.check(req.URL)
	}}
	res, err := files.Do(req) //nolint:bodyclose // the caller closes it
	if errors.Is(err, errInside) {
		return nil, &Error{Kind: KindProtocol, URL: where, Message: errInside.Error(), Err: err}
	}
	if ue := (*url.Error)(nil); errors.As(err, &ue) { // its text contains the signature
		err = ue.Err
	}
	if err != nil {
		return nil, transportError(ctx, http.MethodGet, where, err)
	}
	return &Reply{Status: res.StatusCode, Header: res.Header, Body: res.Body, most: maxReply}, nil
}
