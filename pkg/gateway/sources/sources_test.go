package sources_test

import (
	"context"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
)

// TestOneConnectorForAConnection: a connection that is renamed keeps its connector, and one whose credential is
// replaced or that is deleted leaves none open but for what has begun with it.
func TestOneConnectorForAConnection(t *testing.T) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	o := gatewaytest.CSV(t)
	o.Put(gatewaytest.Entry{ID: 1, Name: "x", At: ""})
	cat := gatewaytest.Connect(t, cl, o, nil)
	read := func() {
		t.Helper()
		if got := gatewaytest.OneValue(t, g, "SELECT count(*) FROM far.files.items"); got != "1" {
			t.Errorf("read %s rows", got)
		}
	}
	have := func(open, retired int) {
		t.Helper()
		g.Sources.Sources.Mu.Lock()
		defer g.Sources.Sources.Mu.Unlock()
		if len(g.Sources.Sources.Open) != open || len(g.Sources.Sources.Retired) != retired {
			t.Errorf("%d connectors are open and %d retired, want %d and %d", len(g.Sources.Sources.Open),
				len(g.Sources.Sources.Retired), open, retired)
		}
	}
	read()
	have(1, 0)
	for _, name := range []string{"one", "two", "three"} {
		if _, err := cl.Connections.Update(ctx, gatewaytest.Local, *cat.ConnectionID, api.ConnectionRequest{Name: name,
			Type: o.Kind}); err != nil {
			t.Fatal(err)
		}
		read()
		have(1, 0)
	}
	for n := range 3 {
		if _, err := cl.Connections.Update(ctx, gatewaytest.Local, *cat.ConnectionID,
			api.ConnectionRequest{Name: "three", Type: o.Kind, Credential: o.Credential}); err != nil {
			t.Fatal(err)
		}
		read()
		have(1, n+1)
	}
	if err := cl.Catalogs.Delete(ctx, gatewaytest.Local, cat.ID); err != nil {
		t.Fatal(err)
	}
	if err := cl.Connections.Delete(ctx, gatewaytest.Local, *cat.ConnectionID); err != nil {
		t.Fatal(err)
	}
	have(0, 4)
}
