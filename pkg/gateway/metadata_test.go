package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/store"
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

// TestRefreshCallback has a refresh tell a server of its end: the registered one with its token, which the store does not hold
// in clear, and in its place one that is given with the refresh.
func TestRefreshCallback(t *testing.T) {
	g := openTest(t)
	type call struct {
		path, auth string
		news       refreshNews
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
		hr := httptest.NewRequest(method, basePath+path, strings.NewReader(body))
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
			if c.path != path || c.auth != auth || c.news != (refreshNews{DefaultProject, "1", "completed", nil}) {
				t.Errorf("called %+v, want %s with %q", c, path, auth)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("nobody was told")
		}
	}
	meta := "/metadata/" + DefaultProject
	do("POST", meta+"/refresh/callback", `{"callbackURL":"`+srv.URL+`/all","callbackToken":"s3cret"}`)
	do("POST", meta+"/refresh", `{"catalogId":"1"}`)
	want("/all", "Bearer s3cret")
	do("POST", meta+"/refresh", `{"catalogId":"1","callbackURL":"`+srv.URL+`/once"}`)
	want("/once", "")
	if _, sealed, err := g.store.RefreshCallback(context.Background(), DefaultProject); err != nil || len(sealed) == 0 || strings.Contains(string(sealed), "s3cret") {
		t.Errorf("the token is kept as %q, %v", sealed, err)
	}
	do("DELETE", meta+"/refresh/callback", "")
	do("POST", meta+"/refresh", "") // all catalogs, nobody told
	g.jobs.running.Wait()
	if len(calls) != 0 {
		t.Errorf("told after all: %+v", <-calls)
	}
}

// TestRefreshOfDeadProcess ends a refresh that a process left behind.
func TestRefreshOfDeadProcess(t *testing.T) {
	g, ctx := openTest(t), context.Background()
	if err := g.store.SetMetadataRefresh(ctx, DefaultProject, "1", store.Refresh{Status: refreshActive, Runner: "gone"}); err != nil {
		t.Fatal(err)
	}
	res, err := g.Transport().RoundTrip(httptest.NewRequest("GET", basePath+"/metadata/"+DefaultProject+"/refresh/1", nil))
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
	g, ctx := openTest(t), context.Background()
	k := store.ColumnKey{TableKey: store.TableKey{Catalog: "3", Schema: "shop", Table: "orders"}, Column: "status"}
	kept := func() []string {
		n, err := g.store.MetadataNotes(ctx, DefaultProject)
		if err != nil {
			t.Fatal(err)
		}
		return n.Columns[k].Categorical
	}
	p, err := g.store.Project(ctx, "", DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.store.SetCategorical(ctx, DefaultProject, k, []string{"stale"}, 10, "P1D"); err != nil {
		t.Fatal(err)
	}
	if err := g.metadata.dueCategorical(ctx, p); err != nil || !slices.Equal(kept(), []string{"stale"}) {
		t.Errorf("read before its time: %v, %v", kept(), err)
	}
	now := g.now
	g.metadata.now = func() time.Time { return now().Add(25 * time.Hour) }
	if err := g.metadata.dueCategorical(ctx, p); err != nil || len(kept()) == 0 || slices.Contains(kept(), "stale") {
		t.Errorf("not read when due: %v, %v", kept(), err)
	}
}

// TestTwoRefreshesAtOnce reads active until both have ended.
func TestTwoRefreshesAtOnce(t *testing.T) {
	g, ctx := openTest(t), context.Background()
	p, err := g.store.Project(ctx, "", DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.catalogs.catalog(ctx, p, "1")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := g.jobs.runner()
	if err != nil {
		t.Fatal(err)
	}
	key := p.ID + "." + c.ID
	for range 2 {
		_ = g.metadata.rereading.add(key, 1, func(int) error { return nil })
	}
	if err := g.store.SetMetadataRefresh(ctx, p.ID, c.ID, store.Refresh{Status: refreshActive, Runner: runner}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{refreshActive, refreshDone} {
		g.metadata.refreshCatalog(ctx, p, c, runner, nil)
		if last, err := g.store.MetadataRefresh(ctx, p.ID, c.ID); err != nil || last.Status != want {
			t.Errorf("%+v, %v; want %s", last, err, want)
		}
	}
}

// TestRefreshThatPanicsEnds records a run that breaks down as failed.
func TestRefreshThatPanicsEnds(t *testing.T) {
	g, ctx := openTest(t), context.Background()
	p, err := g.store.Project(ctx, "", DefaultProject)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := g.jobs.runner()
	if err != nil {
		t.Fatal(err)
	}
	_ = g.metadata.rereading.add(p.ID+".1", 1, func(int) error { return nil })
	g.metadata.refreshCatalog(ctx, p, catalog{Catalog: api.Catalog{ID: "1"}}, runner, nil) // a catalog without a source
	last, err := g.store.MetadataRefresh(ctx, p.ID, "1")
	if err != nil || last.Status != refreshFailed || last.Error == nil {
		t.Errorf("%+v, %v", last, err)
	}
}
