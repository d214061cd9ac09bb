package gateway

import (
	"context"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestOneConnectorForAConnection: a connection that is renamed keeps its connector, and one whose credential is replaced or that is
// deleted leaves none open but for what has begun with it.
func TestOneConnectorForAConnection(t *testing.T) {
	g, cl, _ := exportGateway(t)
	ctx := context.Background()
	o := csvOrigin(t)
	o.put(entry{1, "x", ""})
	cat := connectOrigin(t, cl, o, nil)
	read := func() {
		t.Helper()
		if got := oneValue(t, g, "SELECT count(*) FROM far.files.items"); got != "1" {
			t.Errorf("read %s rows", got)
		}
	}
	have := func(open, retired int) {
		t.Helper()
		g.Sources.Sources.Mu.Lock()
		defer g.Sources.Sources.Mu.Unlock()
		if len(g.Sources.Sources.Open) != open || len(g.Sources.Sources.Retired) != retired {
			t.Errorf("%d connectors are open and %d retired, want %d and %d", len(g.Sources.Sources.Open), len(g.Sources.Sources.Retired), open, retired)
		}
	}
	read()
	have(1, 0)
	for _, name := range []string{"one", "two", "three"} {
		if _, err := cl.Connections.Update(ctx, local, *cat.ConnectionID, api.ConnectionRequest{Name: name, Type: o.kind}); err != nil {
			t.Fatal(err)
		}
		read()
		have(1, 0)
	}
	for n := range 3 {
		if _, err := cl.Connections.Update(ctx, local, *cat.ConnectionID, api.ConnectionRequest{Name: "three", Type: o.kind, Credential: o.credential}); err != nil {
			t.Fatal(err)
		}
		read()
		have(1, n+1)
	}
	if err := cl.Catalogs.Delete(ctx, local, cat.ID); err != nil {
		t.Fatal(err)
	}
	if err := cl.Connections.Delete(ctx, local, *cat.ConnectionID); err != nil {
		t.Fatal(err)
	}
	have(0, 4)
}
