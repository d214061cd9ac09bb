package sources_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// TestReach makes connections with a project's key and with a partner's to addresses of each kind. Those that are
// refused are not dialled; those that are not fail for want of a server.
func TestReach(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(closed.Addr().String())
	closed.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w,
			`[{"id":1}]`)
	}))
	defer server.Close()
	_, open, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	for _, reach := range []connector.Network{connector.NetPublic, connector.NetPrivate} {
		g := gatewaytest.Open(t)
		g.Sources.Network = reach
		w := gatewaytest.Wire{T: t, Partner: g.ServeKey()}
		srv := httptest.NewServer(g.Web.Handler)
		defer srv.Close()
		w.URL = srv.URL
		key := w.Must("POST", "/projects/"+gateway.DefaultProject+"/apiKeys", `{"name":"k"}`, "apiKey")[0]
		for i, x := range []struct {
			kind, host, port, more string
			project, partner       bool // may dial
		}{
			{"POSTGRES", "169.254.169.254", port, "", false, false},
			{"MYSQL", "169.254.169.254", port, "", false, false},
			{"rest", "169.254.169.254", port, "", false, false},
			{"POSTGRES", "::ffff:169.254.169.254", port, "", false, false},
			{"MYSQL", "fe80::1", port, "", false, false},
			{"POSTGRES", "127.0.0.1", port, "", reach == connector.NetPrivate, true},
			{"MYSQL", "localhost", port, "", reach == connector.NetPrivate, true},
			{"rest", "127.0.0.1", port, "", reach == connector.NetPrivate, true},
			{"rest", "127.0.0.1", open, `"allowLinkLocal":true`, false, true},
		} {
			for who, may := range map[string]bool{key: x.project, w.Partner: x.partner} {
				cred := fmt.Sprintf(`"url":%q,"port":%s,"user":"u","password":"secret-word","databaseName":"d"`,
					x.host, x.port)
				if x.kind == "rest" {
					cred = fmt.Sprintf(
						`"baseUrl":"http://%s","tables":{"retries":0,"tables":[{"name":"t","path":"/"}]}`,
						net.JoinHostPort(x.host, x.port))
				}
				if x.more != "" {
					cred += "," + x.more
				}
				status, reply := w.Call(who, "POST", "/connections/"+gateway.DefaultProject,
					fmt.Sprintf(`{"name":"c%d","type":%q,"credential":{%s}}`, i, x.kind, cred))
				var fault struct{ Message string }
				_ = json.Unmarshal([]byte(reply), &fault)
				refused := strings.Contains(fault.Message, "must not access") || strings.Contains(fault.Message,
					"requires a partner key")
				if refused == may || status < 300 != (may && x.port == open) {
					t.Errorf("reach %d, %s %s %s, partner %v: %d %s", reach, x.kind, x.host, x.more,
						who == w.Partner, status, reply)
				}
			}
		}
	}
}

// TestTrusted: the mark of a partner's credential is the gateway's alone to set, and is shown to nobody.
func TestTrusted(t *testing.T) {
	g := gatewaytest.Open(t)
	for _, typ := range g.Sources.Types {
		if _, err := typ.Check(connector.Credential{"\x00trusted": true}); err == nil || !strings.Contains(err.Error(),
			"required") && !strings.Contains(err.Error(), "is not a credential field") {
			t.Errorf("%s takes it: %v", typ.Key, err)
		}
		if len(typ.Public(connector.Credential{"\x00trusted": true})) > 0 {
			t.Errorf("%s shows it", typ.Key)
		}
	}
	for c, want := range map[*connector.Credential]connector.Network{
		{}:                       connector.NetPrivate,
		{"allowLinkLocal": true}: connector.NetPrivate,
		{"\x00trusted": true}:    connector.NetPrivate,
		{"\x00trusted": true, "allowLinkLocal": true}:  connector.NetAll,
		{"\x00trusted": false, "allowLinkLocal": true}: connector.NetPrivate,
	} {
		if got := g.Sources.Reach(*c).Network; got != want {
			t.Errorf("%v: %v, want %v", map[string]any(*c), got, want)
		}
	}
}
