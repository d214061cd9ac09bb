package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestPages: a browser's questions are answered for the origins that were asked for, and for no others; without any, a
// gateway is not open to pages. A page needs a key.
func TestPages(t *testing.T) {
	const own, other = "http://localhost:3000", "https://elsewhere.example"
	for _, c := range []struct {
		origins  []string
		origin   string
		ask, get int    // the status of the question, and of the call
		allowed  string // Access-Control-Allow-Origin of both
	}{
		{nil, own, 401, 200, ""},
		{[]string{own}, own, 200, 200, own},
		{[]string{"HTTP://LocalHost:3000"}, own, 200, 200, own},
		{[]string{own}, other, 403, 403, ""},
		{[]string{own}, "null", 403, 403, ""},
		{[]string{"*"}, other, 200, 200, "*"},
	} {
		origins, err := web.ParseOrigins(c.origins)
		if err != nil {
			t.Fatal(err)
		}
		_, _, cl, _ := gatewaytest.Serve(t, gateway.Options{Origins: origins})
		send := func(method, key string, headers ...string) *http.Response {
			req, err := http.NewRequestWithContext(t.Context(), method, cl.BaseURL()+"/organizations", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Origin", c.origin)
			if key != "" {
				req.Header.Set("Authorization", "Bearer "+key)
			}
			for i := 0; i < len(headers); i += 2 {
				req.Header.Set(headers[i], headers[i+1])
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			return res
		}
		ask := send("OPTIONS", "", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers",
			"authorization,content-type")
		h := ask.Header
		if ask.StatusCode != c.ask || h.Get("Access-Control-Allow-Origin") != c.allowed {
			t.Errorf("%v: question of %s: %d %v", c.origins, c.origin, ask.StatusCode, h)
		}
		if c.ask == 200 && (!strings.Contains(h.Get("Access-Control-Allow-Methods"), "PATCH") ||
			h.Get("Access-Control-Allow-Headers") != "authorization,content-type" ||
			!strings.Contains(strings.Join(h.Values("Vary"), ","), "Origin")) {
			t.Errorf("%v: question of %s: %v", c.origins, c.origin, h)
		}
		if h.Get("Access-Control-Allow-Credentials") != "" {
			t.Error("cookies are allowed")
		}
		if get := send("GET", cl.Key); get.StatusCode != c.get ||
			get.Header.Get("Access-Control-Allow-Origin") != c.allowed {
			t.Errorf("%v: call of %s: %d %v", c.origins, c.origin, get.StatusCode, get.Header)
		}
		if get := send("GET", ""); get.StatusCode != 401 && get.StatusCode != 403 {
			t.Errorf("%v: call without a key: %d", c.origins, get.StatusCode)
		}
	}
	for _, bad := range []string{"localhost:3000", "http://localhost:3000/", "ftp://x", "http://", "", "http://a b"} {
		if _, err := web.ParseOrigins([]string{bad}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
