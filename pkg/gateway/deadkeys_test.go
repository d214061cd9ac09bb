package gateway_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// TestDeadKeys puts keys that open nothing any more to every operation, with the identifiers of what exists: a project
// key and a partner key whose time is over, one that was deleted and the one of a project that was deleted. All are
// 401, and what they asked to change stays as it was. The living key of the same project shows that the requests name
// what exists.
func TestDeadKeys(t *testing.T) {
	g, ctx := gatewaytest.Open(t), context.Background()
	w := gatewaytest.Wire{T: t, Partner: g.ServeKey()}
	srv := httptest.NewServer(g.Web.Handler)
	defer srv.Close()
	w.URL = srv.URL
	p, other := gatewaytest.NewTenant(w, "alpha"), gatewaytest.NewTenant(w, "bravo")
	own, past := p.IDs["projectId"], store.Time(time.Now().Add(-time.Second))
	dead := map[string]string{"of a deleted project": other.Key}
	for name, project := range map[string]*string{"expired": &own, "expired partner": nil} {
		_, text, err := g.Store.CreateAPIKey(ctx, project, name, &past)
		if err != nil {
			t.Fatal(err)
		}
		dead[name] = text
	}
	made := w.Must("POST", "/projects/"+own+"/apiKeys", `{"name":"short"}`, "apiKeyId", "apiKey")
	dead["deleted"] = made[1]
	if status, _ := w.Call(made[1], "GET", "/info", ""); status != 200 {
		t.Fatalf("a new key: %d", status)
	}
	w.Must("DELETE", "/projects/"+own+"/apiKeys/"+made[0], "")
	w.Must("DELETE", other.Fill("/projects/{projectId}"), "")
	before := gatewaytest.Snapshot(w, p)
	tried := 0
	for _, op := range spec.All() {
		path, body := gatewaytest.Address(op, p, p)
		for name, key := range dead {
			if status, raw := w.Call(key, op.Method, path, body); status != 401 || p.Shows(raw, path, body) != "" {
				t.Errorf("%s with a key that is %s: %d %s", op.ID, name, status, raw)
			}
			tried++
		}
	}
	for _, op := range spec.Local() {
		path, body := gatewaytest.Address(op, p, p)
		for name, key := range dead {
			if status, _ := w.Call(key, op.Method, path, body); status != 401 {
				t.Errorf("%s with a key that is %s: %d", op.ID, name, status)
			}
		}
	}
	if tried != 4*144 {
		t.Errorf("%d requests", tried)
	}
	if after := gatewaytest.Snapshot(w, p); after != before {
		t.Errorf("the project has changed:\n%s", gatewaytest.LineDiff(before, after))
	}
}
