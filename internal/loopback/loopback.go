// Package loopback recognizes host names that always mean this machine.
package loopback

import (
	"net"
	"strings"
)

// Is accepts the name localhost and the loopback addresses, and no other name, which a resolver could map to any host.
func Is(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
