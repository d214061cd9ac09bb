package connector

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"
)

func TestNetwork(t *testing.T) {
	linkLocal := []string{"169.254.169.254", "fe80::1%eth0", "febf::1", "fd00:ec2::254", "::ffff:169.254.169.254",
		"64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::1",
		"::169.254.169.254", "100.100.100.200", "168.63.129.16", "fd20:ce::254", "192.0.0.192", "224.0.0.1", "ff02::1",
		"64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:ffa9:fe:a9fe::", "64:ff9b:1:ffff:a9:fea9:fe00:0",
		"::ffff:0:169.254.169.254", "2001:0:a9fe:a9fe::1", "2001:0:808:808::5601:5601"}
	private := []string{"127.0.0.1", "127.1.2.3", "::1", "0.0.0.0", "::", "10.0.0.1", "172.16.0.1", "192.168.1.1",
		"100.64.0.1", "fc00::1", "fd12::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
		"64:ff9b::7f00:1", "2002:a00:1::", "::127.0.0.1", "198.18.0.1", "fec0::1", "255.255.255.255"}
	public := []string{"93.184.216.34", "2606:2800::1", "169.253.255.255", "169.255.0.0", "172.32.0.1", "100.128.0.1",
		"8.8.8.8", "2002:808:808::1", "64:ff9b:1::808:808", "64:ff9b:1:808:8:800::", "64:ff9b::808:808"}
	for n, allowed := range map[Network][][]string{NetAll: {linkLocal, private, public}, NetPrivate: {private, public},
		NetPublic: {public}} {
		may := map[string]bool{}
		for _, list := range allowed {
			for _, a := range list {
				may[a] = true
			}
		}
		for _, list := range [][]string{linkLocal, private, public} {
			for _, a := range list {
				if err := n.Check(netip.MustParseAddr(a)); (err == nil) != may[a] {
					t.Errorf("network %d, %s: %v", n, a, err)
				}
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for address, n := range map[string]Network{"169.254.169.254:5432": NetPrivate, "127.0.0.1:1": NetPublic,
		"localhost:1": NetPublic, "[::ffff:127.0.0.1]:1": NetPublic, "0.0.0.0:1": NetPublic} {
		var refused *RefusedError
		if c, err := (Reach{Network: n}).Dialer(time.Second)(ctx, "tcp", address); !errors.As(err, &refused) {
			t.Errorf("%s: %v, %v", address, c, err)
		}
	}
}
