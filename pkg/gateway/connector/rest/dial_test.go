package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// names is a name server whose only answer is the address it holds at the moment.
func names(t *testing.T, address *atomic.Value) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class,
					TTL: 0}, Body: &dnsmessage.AResource{A: address.Load().([4]byte)}}}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = server.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// A name that was harmless when the connection was made and leads to a metadata service later is refused then.
func TestRebinding(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `[]`) }))
	defer s.Close()
	home, _ := url.Parse(s.URL)
	var address atomic.Value
	address.Store([4]byte{127, 0, 0, 1})
	base, _ := url.Parse("http://api.test.:" + home.Port())
	c := newClient(base, &document{Timeout: 5, MaxResponseMiB: 1, Retries: new(int)}, "Authorization", "",
		connector.Reach{Names: names(t, &address)})
	c.http.Transport.(*http.Transport).DisableKeepAlives = true
	body, _, err := c.get(context.Background(), base)
	if err != nil {
		t.Fatal(err)
	}
	body.Close()
	address.Store([4]byte{169, 254, 169, 254})
	var refused *connector.RefusedError
	if _, _, err := c.get(context.Background(), base); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}
