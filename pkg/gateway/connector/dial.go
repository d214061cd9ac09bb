package connector

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Reach limits what a connector may access on the gateway's machine and in the network.
type Reach struct {
	Own     *Own
	Network Network
	Names   *net.Resolver // nil for the system's
	Notes   *Notes        // stored knowledge about files; nil for none
}

// Network determines which addresses a connection may dial, regardless of the host name.
type Network int

// The values of Network. NetPrivate includes NetPublic, and NetAll includes both. NetPrivate is first because it is the
// zero value.
const (
	NetPrivate Network = iota // also loopback and private addresses
	NetPublic                 // only addresses of the public Internet
	NetAll                    // also link-local addresses and metadata services of clouds
)

func prefixes(list ...string) (out []netip.Prefix) {
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// linkLocal returns the link-local addresses and those at which clouds serve the credentials of the machine.
func linkLocal() []netip.Prefix {
	return prefixes("169.254.0.0/16", "fe80::/10", // link-local, with the metadata services of most clouds
		"fd00:ec2::/32", "fd20:ce::254/128", // the same over IPv6
		"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32") // metadata services elsewhere
}

// private returns ranges that count as private in addition to those that package netip calls loopback or private.
func private() []netip.Prefix {
	return prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "::/128", "fec0::/10",
		"100::/64", "2001:db8::/32")
}

// embedded returns the ranges of IPv6 addresses that contain an IPv4 address, with the offsets of its bytes in each
// form (RFC 6052).
func embedded() map[netip.Prefix][][4]int {
	last := [][4]int{{12, 13, 14, 15}}
	return map[netip.Prefix][][4]int{
		netip.MustParsePrefix("64:ff9b::/96"): last, // NAT64
		// the same for local use
		netip.MustParsePrefix("64:ff9b:1::/48"): {{6, 7, 9, 10}, {7, 9, 10, 11}, {9, 10, 11, 12}, last[0]},
		// IPv4-compatible
		netip.MustParsePrefix("::/96"): last,
		// IPv4-translated
		netip.MustParsePrefix("::ffff:0:0:0/96"): last,
		netip.MustParsePrefix("2002::/16"):       {{2, 3, 4, 5}}, // 6to4
	}
}

// meant returns the addresses that an address may be translated to, or the address itself.
func meant(ip netip.Addr) (out []netip.Addr) {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsUnspecified() {
		return []netip.Addr{ip}
	}
	b := ip.As16()
	for within, places := range embedded() {
		for _, p := range places {
			if within.Contains(ip) && (len(places) == 1 || b[p[0]] > 0) { // zeros belong to another form
				out = append(out, netip.AddrFrom4([4]byte{b[p[0]], b[p[1]], b[p[2]], b[p[3]]}))
			}
		}
	}
	if netip.MustParsePrefix("2001::/32").Contains(ip) { // Teredo, which inverts its bits
		out = append(out, netip.AddrFrom4([4]byte(b[4:8])), netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}))
	}
	if out == nil {
		out = []netip.Addr{ip}
	}
	return out
}

func in(ip netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(ip) })
}

// Check rejects an address that must not be accessed, in any form.
func (n Network) Check(ip netip.Addr) error {
	for _, m := range meant(ip) {
		if err := n.check(m); err != nil {
			return err
		}
	}
	return nil
}

func (n Network) check(ip netip.Addr) error {
	switch {
	case n == NetAll:
		return nil
	case in(ip, linkLocal()) || ip.IsMulticast():
		return &RefusedError{ip, "is link-local or a cloud's metadata service"}
	case n == NetPublic && (ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified() || in(ip, private())):
		return &RefusedError{ip, "is loopback or private"}
	}
	return nil
}

// RefusedError is the error for an address that a connection must not access.
type RefusedError struct {
	IP  netip.Addr
	Why string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the address %s %s, which this project must not access; a partner key or the gateway's "+
		"--reach can allow it", e.IP, e.Why)
}

// Dialer checks each address after name resolution, so that a name cannot be switched to another address after the
// check.
func (r Reach) Dialer(timeout time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second, Resolver: r.Names, Control: func(_, address string,
		_ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("address %s: %w", address, err)
		}
		return r.Network.Check(ap.Addr())
	}}
	return d.DialContext
}
