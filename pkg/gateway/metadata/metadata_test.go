package metadata

import (
	"net/netip"
	"slices"
	"testing"
)

func TestRank(t *testing.T) {
	docs := []string{"shop.customerOrders: what was ordered", "shop.customers name address", "weather of the day", ""}
	for query, want := range map[string][]int{
		"orders":            {0},
		"customer":          {1, 0}, // the shorter text says more by the same word
		"customer's ORDER?": {0, 1},
		"day weather":       {2},
		"nothing":           nil,
		"":                  nil,
	} {
		if got := rank(query, docs); !slices.Equal(got, want) {
			t.Errorf("rank(%q) = %v, want %v", query, got, want)
		}
	}
	// No blanks between words: the longer the run that two texts share, the better.
	if got := rank("顧客の売上は?", []string{"売上", "注文", "顧客の売上", "客"}); !slices.Equal(got, []int{2, 0, 3}) {
		t.Errorf("%v", got)
	}
	if got := rank("x", nil); got != nil {
		t.Errorf("rank of nothing = %v", got)
	}
}

func TestCallable(t *testing.T) {
	for a, want := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "93.184.216.34": true, "::1": true, "2606:2800:220:1::1": true,
		"169.254.169.254": false, "::ffff:169.254.169.254": false, "fe80::1%eth0": false, "0.0.0.0": false, "::": false, "224.0.0.1": false,
		"100.100.100.200": false, "fd00:ec2::254": false, "64:ff9b::a9fe:a9fe": false, "2002:a9fe:a9fe::1": false, "::169.254.169.254": false, "ff02::1": false,
	} {
		if err := callable(netip.MustParseAddr(a)); (err == nil) != want {
			t.Errorf("callable(%s) = %v", a, err)
		}
	}
	for _, s := range []string{"", "/hook", "ftp://h/", "file:///etc/passwd", "http://u:p@h/", "http://169.254.169.254/", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/"} {
		if checkCallbackURL(s) == nil {
			t.Errorf("%q is taken as a callback", s)
		}
	}
	for s, want := range map[string]bool{"": true, "s3cret": true, "a\r\nX: y": false, "é": false} {
		if err := checkCallbackToken(s); (err == nil) != want {
			t.Errorf("checkCallbackToken(%q) = %v", s, err)
		}
	}
}
