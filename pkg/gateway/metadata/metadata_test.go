package metadata

import (
	"slices"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
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

func TestCallbackURL(t *testing.T) {
	for a, want := range map[string][2]bool{ // within the reach "public" and "private"
		"127.0.0.1": {false, true}, "10.1.2.3": {false, true}, "[::1]": {false, true}, "0.0.0.0": {false, true},
		"[::]": {false, true},
		// a name is checked when it is dialled
		"93.184.216.34": {true, true}, "[2606:2800:220:1::1]": {true, true}, "localhost": {true, true},
		"169.254.169.254": {}, "[::ffff:169.254.169.254]": {}, "[fe80::1%25eth0]": {}, "224.0.0.1": {},
		"100.100.100.200": {}, "[fd00:ec2::254]": {},
		"[64:ff9b::a9fe:a9fe]": {}, "[2002:a9fe:a9fe::1]": {}, "[::169.254.169.254]": {}, "[ff02::1]": {},
	} {
		for i, n := range []connector.Network{connector.NetPublic, connector.NetPrivate} {
			if err := checkCallbackURL("http://"+a+":1/x", connector.Reach{Network: n}); (err == nil) != want[i] {
				t.Errorf("%s, reach %d: %v", a, n, err)
			}
		}
	}
	for _, s := range []string{"", "/hook", "ftp://h/", "file:///etc/passwd", "http://u:p@h/",
		"http://169.254.169.254/", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/"} {
		if checkCallbackURL(s, connector.Reach{}) == nil {
			t.Errorf("%q is taken as a callback", s)
		}
	}
	for s, want := range map[string]bool{"": true, "s3cret": true, "a\r\nX: y": false, "é": false} {
		if err := checkCallbackToken(s); (err == nil) != want {
			t.Errorf("checkCallbackToken(%q) = %v", s, err)
		}
	}
}
