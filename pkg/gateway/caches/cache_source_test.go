package caches_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// itemsOf reads the table as queries do, or past its cache.
func itemsOf(t *testing.T, g *gateway.Gateway, schema string, live bool) (string, error) {
	t.Helper()
	p, err := g.Store.Project(context.Background(), "", gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	data, err := g.Engine.Project(context.Background(), gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	r := g.Names.Resolver(p)
	r.Live = live
	res, err := sql.Run(context.Background(), data, sql.Query{SQL: `SELECT id, name, "at" FROM far.` + schema +
		`.items ORDER BY id, name`, Catalogs: r})
	if err != nil {
		return "", err
	}
	defer res.Close()
	var b strings.Builder
	for _, c := range res.Columns() {
		fmt.Fprintf(&b, "%s %s\n", c.Name, c.DataType)
	}
	_, err = res.Rows(context.Background(), func(row [][]byte) error {
		fmt.Fprintf(&b, "%q\n", row)
		return nil
	})
	return b.String(), err
}

// TestCacheFollowsItsSource changes a source at random and refreshes after each batch: the cache holds what the source
// holds, and the counters are what a comparison of the two states in memory gives. Times of change stand still for a
// while, so that rows change at the very time of the newest row of the cache; some rows arrive with an old time, and
// some with none.
func TestCacheFollowsItsSource(t *testing.T) {
	for name, open := range map[string]func(*testing.T, ...string) gatewaytest.Origin{"csv": gatewaytest.CSV,
		"postgres": gatewaytest.Postgres, "mariadb": gatewaytest.MariaDB} {
		for how, track := range map[string]*api.CacheTracking{"rows": nil, "key": {KeyColumns: []string{"ID"}},
			"updated": {KeyColumns: []string{"id"}, UpdatedAtColumn: "AT"},
			"inserts": {KeyColumns: []string{"id"}, InsertOnly: true}} {
			t.Run(name+" by "+how, func(t *testing.T) { followSource(t, open(t), track) })
		}
	}
}

func followSource(t *testing.T, o gatewaytest.Origin, track *api.CacheTracking) {
	g, cl, _ := gatewaytest.OpenClient(t)
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, 7))
	at := func(clock int) string { return fmt.Sprintf("2026-03-29 02:%02d:%02d.5", clock/60, clock%60) }
	now, clock, next := map[int]gatewaytest.Entry{}, 100, 1
	put := func(e gatewaytest.Entry) { now[e.ID] = e; o.Put(e) }
	for range 40 {
		put(gatewaytest.Entry{ID: next, Name: fmt.Sprintf("first %d", next), At: at(r.IntN(clock))})
		next++
	}
	cat := gatewaytest.Connect(t, cl, o, map[string]any{"cacheAnything": true})
	c, err := cl.Cache.Create(ctx, gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID, SchemaName: o.Schema,
		TableName: "items", ChangeTracking: track})
	if err != nil {
		t.Fatal(err)
	}
	g.Jobs.Running.Wait()
	if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID, nil)); got != "COMPLETED 40 +40 ~0 -0" {
		t.Fatal(got)
	}
	same := func(what string) {
		t.Helper()
		cached, err := itemsOf(t, g, o.Schema, false)
		if err != nil {
			t.Fatal(err)
		}
		source, err := itemsOf(t, g, o.Schema, true)
		if err != nil {
			t.Fatal(err)
		}
		if cached != source {
			t.Fatalf("%s: the cache holds\n%s\nthe source\n%s", what, cached, source)
		}
	}
	same("at first")
	for round := range 8 {
		before := maps.Clone(now)
		for range r.IntN(8) {
			if r.IntN(2) == 0 {
				clock++
			}
			ids := slices.Sorted(maps.Keys(now))
			old := now[ids[r.IntN(len(ids))]]
			switch k := r.IntN(8); {
			case k < 2:
				put(gatewaytest.Entry{ID: next, Name: fmt.Sprintf("new %d", round), At: at(clock)})
				next++
			case k == 2: // from a transaction that took long
				put(gatewaytest.Entry{ID: next, Name: fmt.Sprintf("late %d", round), At: at(r.IntN(clock))})
				next++
			case k == 3 && track != nil && track.UpdatedAtColumn != "":
				put(gatewaytest.Entry{ID: next, Name: fmt.Sprintf("timeless %d", round), At: ""})
				next++
			case k < 6 && (track == nil || !track.InsertOnly):
				put(gatewaytest.Entry{ID: old.ID, Name: fmt.Sprintf("changed %d %d", round, r.IntN(3)), At: at(clock)})
			case k == 6:
				delete(now, old.ID)
				o.Drop(old)
			}
		}
		var inserted, updated, deleted int
		for id, e := range now {
			if old, ok := before[id]; !ok {
				inserted++
			} else if old != e {
				updated++
			}
		}
		for id := range before {
			if _, ok := now[id]; !ok {
				deleted++
			}
		}
		want := fmt.Sprintf("COMPLETED %d +%d ~%d -%d", inserted+updated, inserted, updated, deleted)
		if got := counts(gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)); got != want {
			t.Fatalf("round %d: %s, want %s %v", round, got, want,
				string(gatewaytest.RunEnd(t, g, cl, c.ID, nil).Error["message"]))
		}
		same(fmt.Sprintf("round %d", round))
	}
	if track != nil && track.UpdatedAtColumn != "" { // a row without a time is read again each time
		for id, e := range now {
			if e.At == "" {
				put(gatewaytest.Entry{ID: id, Name: "changed without a time", At: ""})
				break
			}
		}
		gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)
		same("a change without a time")
	}
	if err := gatewaytest.CheckScratch(g); err != nil {
		t.Error(err)
	}
	cached, err := itemsOf(t, g, o.Schema, false)
	if err != nil {
		t.Fatal(err)
	}
	o.Stop()
	if got, err := itemsOf(t, g, o.Schema, false); err != nil || got != cached {
		t.Errorf("without its source the cached table does not answer as before: %v", err)
	}
	if _, err := itemsOf(t, g, o.Schema, true); err == nil {
		t.Error("the table is read from a source that is gone")
	}
	st, err := cl.Catalogs.CacheState(ctx, gatewaytest.Local, cat.ID, o.Schema, "items")
	if err != nil || !st.IsCached || !st.IsCacheable {
		t.Errorf("%+v, %v", st, err)
	}
	failed := gatewaytest.RunEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)
	if failed.Status != "FAILED" || len(failed.Error["message"]) == 0 {
		t.Errorf("%+v", failed)
	}
	if got, err := itemsOf(t, g, o.Schema, false); err != nil || got != cached {
		t.Errorf("a refresh that failed changed the rows: %v", err)
	}
}

// A key that does not tell rows apart fails the refresh by name and keeps the rows.
func TestCacheKeyFaults(t *testing.T) {
	for _, c := range []struct {
		body, want string
	}{
		{"id,name,at\n1,a,2026-01-01 00:00:00\n,b,2026-01-02 00:00:00\n",
			"the key (id) is NULL in 1 row of far.files.items"},
		{"id,name,at\n1,a,2026-01-01 00:00:00\n2,b,2026-01-02 00:00:00\n2,c,2026-01-03 00:00:00\n",
			"the key (id) is not unique in far.files.items: 1 value is there more than once, such as 2"},
	} {
		for _, track := range []api.CacheTracking{{KeyColumns: []string{"id"}}, {KeyColumns: []string{"id"},
			UpdatedAtColumn: "at"}, {KeyColumns: []string{"id"}, InsertOnly: true}} {
			g, cl, _ := gatewaytest.OpenClient(t)
			o := gatewaytest.CSV(t)
			o.Put(gatewaytest.Entry{ID: 1, Name: "a", At: "2026-01-01 00:00:00"})
			cat := gatewaytest.Connect(t, cl, o, nil)
			made, err := cl.Cache.Create(context.Background(), gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID,
				SchemaName: o.Schema, TableName: "items", ChangeTracking: &track})
			if err != nil {
				t.Fatal(err)
			}
			g.Jobs.Running.Wait()
			before, err := itemsOf(t, g, o.Schema, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(o.Credential["path"].(string), "items.csv"), []byte(c.body),
				0o600); err != nil {
				t.Fatal(err)
			}
			run := gatewaytest.RunEnd(t, g, cl, made.ID, cl.Cache.IncrementalUpdate)
			if run.Status != "FAILED" || !strings.Contains(string(run.Error["message"]), c.want) {
				t.Errorf("%+v: %s %s", track, run.Status, run.Error["message"])
			}
			if after, err := itemsOf(t, g, o.Schema, false); err != nil || after != before {
				t.Errorf("%+v: the rows changed: %v", track, err)
			}
			if run := gatewaytest.RunEnd(t, g, cl, made.ID, cl.Cache.FullRefresh); run.Status != "COMPLETED" {
				t.Errorf("a full refresh needs no key: %s", run.Error["message"])
			}
			if err := gatewaytest.CheckScratch(g); err != nil {
				t.Error(err)
			}
		}
	}
}

// What is wrong with a way of finding changes is said by its field before anything is stored.
func TestCacheTrackingIsChecked(t *testing.T) {
	_, cl, _ := gatewaytest.OpenClient(t)
	o := gatewaytest.CSV(t)
	o.Put(gatewaytest.Entry{ID: 1, Name: "a", At: "2026-01-01 00:00:00"})
	cat := gatewaytest.Connect(t, cl, o, nil)
	for _, c := range []struct {
		track api.CacheTracking
		want  string
	}{
		{api.CacheTracking{UpdatedAtColumn: "at"}, "changeTracking.keyColumns: missing"},
		{api.CacheTracking{InsertOnly: true}, "changeTracking.keyColumns: missing"},
		{api.CacheTracking{KeyColumns: []string{"id", "ID"}}, "changeTracking.keyColumns: ID is named twice"},
		{api.CacheTracking{KeyColumns: []string{"id", ""}}, "changeTracking.keyColumns: a name is empty"},
		{api.CacheTracking{KeyColumns: []string{"at"}, UpdatedAtColumn: "At"},
			"changeTracking.updatedAtColumn: at is a column of the key"},
		{api.CacheTracking{KeyColumns: []string{"nosuch"}},
			"changeTracking.keyColumns: table far.files.items has no column nosuch"},
		{api.CacheTracking{KeyColumns: []string{"id"}, UpdatedAtColumn: "nosuch"},
			"changeTracking.updatedAtColumn: table far.files.items has no column nosuch"},
		{api.CacheTracking{KeyColumns: []string{"id"}, UpdatedAtColumn: "at", InsertOnly: true},
			"changeTracking.insertOnly: excludes updatedAtColumn"},
		{api.CacheTracking{KeyColumns: []string{"id", "name"}, InsertOnly: true},
			"changeTracking.insertOnly: requires a key of one increasing column"},
	} {
		_, err := cl.Cache.Create(context.Background(), gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID,
			SchemaName: o.Schema, TableName: "items", ChangeTracking: &c.track})
		if gatewaytest.APIStatus(err) != 400 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.track, err)
		}
	}
	if all, err := cl.Cache.Statuses(context.Background(), gatewaytest.Local); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// Databases are cacheable only in a catalog that was made so.
func TestCacheAnything(t *testing.T) {
	for name, open := range map[string]func(*testing.T, ...string) gatewaytest.Origin{"postgres": gatewaytest.Postgres,
		"mariadb": gatewaytest.MariaDB} {
		t.Run(name, func(t *testing.T) {
			_, cl, _ := gatewaytest.OpenClient(t)
			o := open(t)
			cat := gatewaytest.Connect(t, cl, o, nil)
			st, err := cl.Catalogs.CacheState(context.Background(), gatewaytest.Local, cat.ID, o.Schema, "items")
			if err != nil || st.IsCacheable || st.IsCached || len(st.SupportedCacheTypes) > 0 {
				t.Errorf("%+v, %v", st, err)
			}
			if _, err := cl.Cache.Create(context.Background(), gatewaytest.Local, api.CacheRequest{CatalogID: cat.ID,
				SchemaName: o.Schema, TableName: "items"}); gatewaytest.APIStatus(err) != 400 {
				t.Errorf("%v", err)
			}
		})
	}
	_, cl, _ := gatewaytest.OpenClient(t)
	o := gatewaytest.CSV(t)
	gatewaytest.Connect(t, cl, o, map[string]any{"cacheAnything": false})
	conns, err := cl.Connections.List(context.Background(), gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	for _, extra := range []map[string]any{{"cacheAnything": "yes"}, {"cacheanything": true}} {
		if _, err := cl.Catalogs.Create(context.Background(), gatewaytest.Local, api.CatalogRequest{Name: "b",
			ConnectionID: conns[0].ID, ExtraParameters: extra}); gatewaytest.APIStatus(err) != 400 ||
			!strings.Contains(err.Error(), "extraParameters") {
			t.Errorf("%v: %v", extra, err)
		}
	}
}
