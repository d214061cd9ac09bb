package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/loopback"
)

// Zone is a deployment of the gateway's API.
type Zone string

// The zones. Local is the default: it runs inside the process, so nothing is sent anywhere until another one is
// selected.
const (
	US    Zone = "us"
	EU    Zone = "eu"
	Local Zone = "local"
)

// Zones lists the zones in display order.
func Zones() []Zone { return []Zone{Local, US, EU} }

// DefaultAddresses returns the base addresses of a zone, in the order in which to try them. They belong to Peaka, the
// operator of the two hosted zones. Its documents name the EU host in two ways (the API description and its editor
// write partner.eu, the page on servers and a how-to write eu.partner) [O][D], so zone eu has two candidates: a profile
// probes both once and stores the one that answers. Zone local has no address: it runs inside the process.
func DefaultAddresses(z Zone) []string {
	switch z {
	case US:
		return []string{"https://partner.peaka.studio/api/v1"}
	case EU:
		return []string{"https://partner.eu.peaka.studio/api/v1", "https://eu.partner.peaka.studio/api/v1"}
	}
	return nil
}

// ZoneOfAddress returns the zone that has addr as a default address, or "".
func ZoneOfAddress(addr string) Zone {
	for _, z := range Zones() {
		if slices.Contains(DefaultAddresses(z), addr) {
			return z
		}
	}
	return ""
}

func checkZone(v string) string {
	for _, z := range Zones() {
		if v == string(z) {
			return ""
		}
	}
	return fmt.Sprintf("%q is not a zone (local, us or eu)", v)
}

// CheckBaseURL returns a base address in the normal form used for comparing and sending: lower-case scheme and host, no
// default port, no trailing slash. The scheme is https, or http on a loopback host; user, query, fragment and dot
// segments are not allowed. The hint is not empty if the path does not end in the version segment /api/v1, as every
// documented base address does [S]; it is not added silently, because a gateway behind a proxy may have another path.
func CheckBaseURL(raw string) (addr, hint string, err error) {
	bad := func(format string, args ...any) (string, string, error) {
		return "", "", &Error{Kind: ErrUsage, Field: "base-url", Msg: fmt.Sprintf(format, args...),
			hint: "a base address looks like https://host/api/v1"}
	}
	for _, r := range raw {
		if r <= ' ' || r > '~' {
			return bad("contains %q; only printable ASCII is accepted (write a non-ASCII host in its xn-- form)", r)
		}
	}
	// Checked before parsing, with an error that does not contain the text: an address with a password must not be
	// repeated.
	if authority, _, _ := strings.Cut(afterScheme(raw), "/"); strings.Contains(authority, "@") {
		return bad("contains a user or password; keys belong in a profile or DIG_API_KEY")
	}
	u, perr := url.Parse(raw)
	if perr != nil || u.Opaque != "" || u.Host == "" || u.Scheme == "" {
		return bad("is not an absolute address")
	}
	if u.RawQuery != "" || u.ForceQuery || strings.Contains(raw, "#") {
		return bad("%q contains a query or a fragment", redactQuery(raw))
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "" || strings.ContainsAny(host, "%_ ") {
		return bad("%q has no valid host", raw)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return bad("%q: scheme %q is not https", raw, u.Scheme)
	case u.Scheme == "http" && !loopback.Is(host):
		return bad("%q: plain http to %s would send the key and the data unencrypted; only https is accepted "+
			"(http on loopback only)", raw, host)
	}
	port := u.Port()
	if port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return bad("%q: port %s is not between 1 and 65535", raw, port)
		}
	}
	if port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		port = ""
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if strings.ContainsAny(path, `%\`) || strings.Contains(path, "//") || strings.Contains(path+"/", "/../") ||
		strings.Contains(path+"/", "/./") {
		return bad("%q: the path contains an escape, an empty segment or a dot segment", raw)
	}
	addr = u.Scheme + "://" + joinHost(host, port) + path
	if !strings.HasSuffix(path, "/api/v1") {
		hint = fmt.Sprintf("%s does not end in /api/v1, as the gateway's addresses do; if calls return 404, try "+
			"%s/api/v1", addr, addr)
	}
	return addr, hint, nil
}

func afterScheme(raw string) string {
	if i := strings.Index(raw, "//"); i >= 0 {
		return raw[i+2:]
	}
	return raw
}

func redactQuery(raw string) string {
	i := strings.IndexAny(raw, "?#")
	return raw[:i+1] + "..."
}

func joinHost(host, port string) string {
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// IsLoopback reports whether a base address points to this machine.
func IsLoopback(addr string) bool {
	u, err := url.Parse(addr)
	return err == nil && loopback.Is(u.Hostname())
}
