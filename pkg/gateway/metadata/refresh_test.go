package metadata_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/metadata"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// TestRefreshCallback has a refresh tell a server of its end: the registered one with its token, which the store does
// not hold in clear, and in its place one that is given with the refresh.
func TestRefreshCallback(t *testing.T) {
	g := gatewaytest.Open(t)
	type news struct {
		ProjectID, CatalogID, Status string
		Error                        *string
	}
	type call struct {
		path, auth string
		news       news
	}
	calls := make(chan call, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := call{path: r.URL.Path, auth: r.Header.Get("Authorization")}
		if err := json.NewDecoder(r.Body).Decode(&c.news); err != nil {
			t.Error(err)
		}
		calls <- c
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer srv.Close()
	do := func(method, path, body string) {
		t.Helper()
		hr := httptest.NewRequest(method, web.BasePath+path, strings.NewReader(body))
		res, err := g.Transport().RoundTrip(hr)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, raw)
		}
	}
	want := func(path, auth string) {
		t.Helper()
		select {
		case c := <-calls:
			if c.path != path || c.auth != auth || c.news != (news{ProjectID: gateway.DefaultProject, CatalogID: "1",
				Status: "completed", Error: nil}) {
				t.Errorf("called %+v, want %s with %q", c, path, auth)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("nobody was told")
		}
	}
	meta := "/metadata/" + gateway.DefaultProject
	do("POST", meta+"/refresh/callback", `{"callbackURL":"`+srv.URL+`/all","callbackToken":"s3cret"}`)
	do("POST", meta+"/refresh", `{"catalogId":"1"}`)
	want("/all", "Bearer s3cret")
	do("POST", meta+"/refresh", `{"catalogId":"1","callbackURL":"`+srv.URL+`/once"}`)
	want("/once", "")
	if _, sealed, err := g.Store.RefreshCallback(context.Background(), gateway.DefaultProject); err != nil ||
		len(sealed) == 0 || strings.Contains(string(sealed), "s3cret") {
		t.Errorf("the token is kept as %q, %v", sealed, err)
	}
	do("DELETE", meta+"/refresh/callback", "")
	do("POST", meta+"/refresh", "") // all catalogs, nobody told
	g.Jobs.Running.Wait()
	if len(calls) != 0 {
		t.Errorf("told after all: %+v", <-calls)
	}
}

// TestCallbackReach: what a project key names as the callback of a refresh is called within the reach of project keys,
// also behind a name and when it was registered before; what a partner key names may be on this machine.
func TestCallbackReach(t *testing.T) {
	g := gatewaytest.Open(t)
	g.Sources.Network = connector.NetPublic
	calls := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { calls <- r.URL.Path }))
	defer hook.Close()
	w := gatewaytest.Wire{T: t, Partner: g.ServeKey()}
	srv := httptest.NewServer(g.Web.Handler)
	defer srv.Close()
	w.URL = srv.URL
	key := w.Must("POST", "/projects/"+gateway.DefaultProject+"/apiKeys", `{"name":"k"}`, "apiKey")[0]
	meta := "/metadata/" + gateway.DefaultProject
	named := strings.Replace(hook.URL, "127.0.0.1", "localhost", 1)
	for _, x := range []struct {
		who, path, body string
		status          int
		called          string
	}{
		{key, "/refresh/callback", `{"callbackURL":"` + hook.URL + `/number"}`, 400, ""},
		{key, "/refresh", `{"catalogId":"1","callbackURL":"` + hook.URL + `/number"}`, 400, ""},
		{key, "/refresh", `{"catalogId":"1","callbackURL":"` + named + `/name"}`, 200, ""},
		{key, "/refresh/callback", `{"callbackURL":"` + named + `/registered"}`, 200, ""},
		{w.Partner, "/refresh", `{"catalogId":"1"}`, 200, ""},
		{w.Partner, "/refresh", `{"catalogId":"1","callbackURL":"` + hook.URL + `/partner"}`, 200, "/partner"},
		{w.Partner, "/refresh/callback", `{"callbackURL":"` + named + `/allowed"}`, 200, ""},
		{key, "/refresh", `{"catalogId":"1"}`, 200, "/allowed"},
	} {
		if status, reply := w.Call(x.who, "POST", meta+x.path, x.body); status != x.status {
			t.Errorf("%s %s: %d %s", x.path, x.body, status, reply)
		}
		g.Jobs.Running.Wait()
		called := ""
		select {
		case called = <-calls:
		default:
		}
		if called != x.called {
			t.Errorf("%s %s: called %q, want %q", x.path, x.body, called, x.called)
		}
	}
}

// TestRefreshOfDeadProcess ends a refresh that a process left behind.
func TestRefreshOfDeadProcess(t *testing.T) {
	g, ctx := gatewaytest.Open(t), context.Background()
	if err := g.Store.SetMetadataRefresh(ctx, gateway.DefaultProject, "1", store.Refresh{Status: "active",
		Runner: "gone"}); err != nil {
		t.Fatal(err)
	}
	res, err := g.Transport().RoundTrip(httptest.NewRequest("GET", web.BasePath+"/metadata/"+gateway.DefaultProject+
		"/refresh/1", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	if string(raw) != `{"status":"failed","error":"the gateway stopped during this refresh"}` {
		t.Errorf("%s", raw)
	}
}

// TestCategoricalIsRereadWhenDue reads categorical values anew once their time has come.
func TestCategoricalIsRereadWhenDue(t *testing.T) {
	g, ctx := gatewaytest.Open(t), context.Background()
	k := store.ColumnKey{TableKey: store.TableKey{Catalog: "3", Schema: "shop", Table: "orders"}, Column: "status"}
	kept := func() []string {
		n, err := g.Store.MetadataNotes(ctx, gateway.DefaultProject)
		if err != nil {
			t.Fatal(err)
		}
		return n.Columns[k].Categorical
	}
	p, err := g.Store.Project(ctx, "", gateway.DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Store.SetCategorical(ctx, gateway.DefaultProject, k, []string{"stale"}, 10, "P1D"); err != nil {
		t.Fatal(err)
	}
	if err := g.Metadata.DueCategorical(ctx, p); err != nil || !slices.Equal(kept(), []string{"stale"}) {
		t.Errorf("read before its time: %v, %v", kept(), err)
	}
	now := g.Now
	g.Metadata.Now = func() time.Time { return now().Add(25 * time.Hour) }
	if err := g.Metadata.DueCategorical(ctx, p); err != nil || len(kept()) == 0 || slices.Contains(kept(), "stale") {
		t.Errorf("not read when due: %v, %v", kept(), err)
	}
	if err := g.Store.SetCategorical(ctx, gateway.DefaultProject, k, []string{"stale"}, 10, "P1D"); err != nil {
		t.Fatal(err)
	}
	g.Metadata.Now = func() time.Time { return now().Add(-365 * 24 * time.Hour) } // the clock was put back
	if err := g.Metadata.DueCategorical(ctx, p); err != nil || slices.Contains(kept(), "stale") {
		t.Errorf("not read after the clock was put back: %v, %v", kept(), err)
	}
}

// TestTwoRefreshesAtOnce reads active until both have ended.
func TestTwoRefreshesAtOnce(t *testing.T) {
	g, ctx := gatewaytest.Open(t), context.Background()
	p, err := g.Store.Project(ctx, "", gateway.DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Names.Catalog(ctx, p, "1")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := g.Jobs.Runner()
	if err != nil {
		t.Fatal(err)
	}
	key := p.ID + "." + c.ID
	for range 2 {
		_ = g.Metadata.Rereading.Add(key, 1, func(int) error { return nil })
	}
	if err := g.Store.SetMetadataRefresh(ctx, p.ID, c.ID, store.Refresh{Status: "active", Runner: runner}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"active", metadata.RefreshDone} {
		g.Metadata.RefreshCatalog(ctx, p, c, runner, nil)
		if last, err := g.Store.MetadataRefresh(ctx, p.ID, c.ID); err != nil || last.Status != want {
			t.Errorf("%+v, %v; want %s", last, err, want)
		}
	}
}

// TestRefreshThatPanicsEnds records a run that breaks down as failed.
func TestRefreshThatPanicsEnds(t *testing.T) {
	g, ctx := gatewaytest.Open(t), context.Background()
	p, err := g.Store.Project(ctx, "", gateway.DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := g.Jobs.Runner()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Metadata.Rereading.Add(p.ID+".1", 1, func(int) error {
		return g.Store.SetMetadataRefresh(ctx, p.ID, "1", store.Refresh{Status: "active", Runner: runner})
	}); err != nil {
		t.Fatal(err)
	}
	// a catalog without a source
	g.Metadata.RefreshCatalog(ctx, p, names.Catalog{Catalog: api.Catalog{ID: "1"}}, runner, nil)
	last, err := g.Store.MetadataRefresh(ctx, p.ID, "1")
	if err != nil || last.Status != "failed" || last.Error == nil {
		t.Errorf("%+v, %v", last, err)
	}
}
