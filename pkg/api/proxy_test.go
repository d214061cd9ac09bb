package api

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestDeadProxy: that a proxy does not answer is not said of the gateway.
func TestDeadProxy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	l.Close()
	for _, base := range []string{"http://127.0.0.1:1/api/v1", "https://gateway.invalid/api/v1"} {
		host := strings.Split(base, "/")[2]
		for _, proxy := range []string{dead, "proxy.invalid:3128"} {
			o := Options{BaseURL: base, Key: "key",
				Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxy})}}
			cl, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = cl.Info.Get(context.Background())
			name := strings.TrimSuffix(proxy, ":3128")
			if err == nil || !strings.Contains(err.Error(), "the proxy "+name) || strings.Contains(err.Error(),
				"nothing answers at "+host) {
				t.Errorf("%s through %s: %v", base, proxy, err)
			}
		}
	}
}
