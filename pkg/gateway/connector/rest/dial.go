package rest

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// refused are link-local addresses and those where clouds answer with the credentials of the machine.
func refusedRanges() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"169.254.0.0/16", "fe80::/10", // link-local, with the metadata services of most clouds
		"fd00:ec2::/32", "fd20:ce::254/128", // the same by IPv6
		"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", // metadata services elsewhere
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// embedded are ranges of IPv6 whose addresses hold one of IPv4, from the given byte on.
func embedded() map[netip.Prefix]int {
	return map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"):   12, // NAT64
		netip.MustParsePrefix("64:ff9b:1::/48"): 12, // the same for local use
		netip.MustParsePrefix("::/96"):          12, // IPv4-compatible
		netip.MustParsePrefix("2002::/16"):      2,  // 6to4
	}
}

// checkAddress refuses an address that a connection is about to be made to, whatever name led to it.
func checkAddress(address string, ranges []netip.Prefix) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address %s: %w", address, err)
	}
	if ip := meant(ap.Addr()); slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(ip) }) {
		return &refusedError{ip}
	}
	return nil
}

// meant is the address that another form of it leads to.
func meant(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	for within, at := range embedded() {
		if within.Contains(ip) && !ip.IsLoopback() && !ip.IsUnspecified() {
			b := ip.As16()
			return netip.AddrFrom4([4]byte(b[at : at+4]))
		}
	}
	return ip
}

// Refused says that an address is link-local or a cloud's metadata service, in whatever form it is written.
func Refused(ip netip.Addr) bool {
	ip = meant(ip)
	return slices.ContainsFunc(refusedRanges(), func(r netip.Prefix) bool { return r.Contains(ip) })
}

type refusedError struct{ ip netip.Addr }

func (e *refusedError) Error() string {
	return fmt.Sprintf("the address %s is link-local or a cloud's metadata service, which a connection may reach only with allowLinkLocal", e.ip)
}

// dialer checks each address after names were resolved, so that a name that changes its address cannot pass. names is nil for
// those of the system.
func dialer(allow bool, names *net.Resolver) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Resolver: names}
	if !allow {
		ranges := refusedRanges()
		d.Control = func(_, address string, _ syscall.RawConn) error { return checkAddress(address, ranges) }
	}
	return d.DialContext
}
