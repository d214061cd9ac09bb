package gateway

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/merge"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/jackc/pgx/v5"
)

// entry is a row of the table items at a source.
type entry struct {
	id   int
	name string
	at   string // "" is NULL
}

// origin is a source with one table items(id, name, at) that a test changes row by row.
type origin struct {
	kind, schema string
	credential   map[string]any
	put, drop    func(entry) // insert or change, delete
	stop         func()      // makes it unreachable
}

func quoteSQL(s string) string {
	if s == "" {
		return "NULL"
	}
	return "'" + s + "'"
}

func csvOrigin(t *testing.T, _ ...string) origin {
	dir := t.TempDir()
	rows := map[int]entry{}
	path := filepath.Join(dir, "items.csv")
	write := func() {
		var b strings.Builder
		b.WriteString("id,name,at\n")
		for _, id := range slices.Sorted(maps.Keys(rows)) {
			fmt.Fprintf(&b, "%d,%s,%s\n", id, rows[id].name, rows[id].at)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	return origin{kind: "files", schema: "files", credential: map[string]any{"path": dir},
		put:  func(e entry) { rows[e.id] = e; write() },
		drop: func(e entry) { delete(rows, e.id); write() },
		stop: func() { os.RemoveAll(dir) }}
}

func sqlOrigin(t *testing.T, kind, schema string, credential map[string]any, exec func(string) error, create, upsert string) origin {
	do := func(q string) {
		t.Helper()
		if err := exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for _, q := range strings.Split(create, ";") {
		do(q)
	}
	return origin{kind: kind, schema: schema, credential: credential,
		put:  func(e entry) { do(fmt.Sprintf(upsert, e.id, quoteSQL(e.name), quoteSQL(e.at))) },
		drop: func(e entry) { do(fmt.Sprintf("DELETE FROM %s.items WHERE id = %d", schema, e.id)) },
		stop: func() { do("DROP TABLE " + schema + ".items") }}
}

// tail are further statements that make a source.
func tail(more []string) string {
	if len(more) == 0 {
		return ""
	}
	return ";" + strings.Join(more, ";")
}

func postgresOrigin(t *testing.T, more ...string) origin {
	u := testdb.Postgres(t)
	ctx := context.Background()
	db, err := pgx.Connect(ctx, u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(ctx) })
	port, _ := strconv.ParseFloat(u.Port(), 64)
	password, _ := u.User.Password()
	return sqlOrigin(t, "POSTGRES", "cached", map[string]any{"url": u.Hostname(), "port": port, "user": u.User.Username(), "password": password, "databaseName": strings.TrimPrefix(u.Path, "/")}, func(q string) error { _, err := db.Exec(ctx, q); return err },
		"DROP SCHEMA IF EXISTS cached CASCADE;CREATE SCHEMA cached;CREATE TABLE cached.items(id integer PRIMARY KEY, name text, at timestamp)"+tail(more),
		"INSERT INTO cached.items VALUES (%d, %s, %s) ON CONFLICT (id) DO UPDATE SET name = excluded.name, at = excluded.at")
}

func mariadbOrigin(t *testing.T, more ...string) origin {
	cfg, reader := testdb.MariaDB(t, "cached")
	db, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	host, port, _ := strings.Cut(cfg.Addr, ":")
	n, _ := strconv.ParseFloat(port, 64)
	return sqlOrigin(t, "MYSQL", "cached", map[string]any{"url": host, "port": n, "user": reader.User, "password": reader.Passwd}, func(q string) error { _, err := db.Exec(q); return err },
		"DROP DATABASE IF EXISTS cached;CREATE DATABASE cached;CREATE TABLE cached.items(id integer PRIMARY KEY, name varchar(100), at datetime(6))"+tail(more),
		"REPLACE INTO cached.items VALUES (%d, %s, %s)")
}

// connectOrigin makes a catalog named far over a source.
func connectOrigin(t *testing.T, cl *api.Client, o origin, extra map[string]any) api.Catalog {
	t.Helper()
	conn, err := cl.Connections.Create(context.Background(), local, api.ConnectionRequest{Name: "far", Type: o.kind, Credential: o.credential})
	if err != nil {
		t.Fatal(err)
	}
	cat, err := cl.Catalogs.Create(context.Background(), local, api.CatalogRequest{Name: "far", ConnectionID: conn.ID, ExtraParameters: extra})
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// itemsOf reads the table as queries do, or past its cache.
func itemsOf(t *testing.T, g *Gateway, schema string, live bool) (string, error) {
	t.Helper()
	p, err := g.Store.Project(context.Background(), "", local)
	if err != nil {
		t.Fatal(err)
	}
	data, err := g.Engine.Project(context.Background(), local)
	if err != nil {
		t.Fatal(err)
	}
	r := g.Names.Resolver(p)
	r.Live = live
	res, err := data.Query(context.Background(), engine.Query{SQL: `SELECT id, name, "at" FROM far.` + schema + `.items ORDER BY id, name`, Catalogs: r})
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

// TestCacheFollowsItsSource changes a source at random and refreshes after each batch: the cache holds what the source holds, and
// the counters are what a comparison of the two states in memory gives. Times of change stand still for a while, so that rows
// change at the very time of the newest row of the cache; some rows arrive with an old time, and some with none.
func TestCacheFollowsItsSource(t *testing.T) {
	for name, open := range map[string]func(*testing.T, ...string) origin{"csv": csvOrigin, "postgres": postgresOrigin, "mariadb": mariadbOrigin} {
		for how, track := range map[string]*api.CacheTracking{"rows": nil, "key": {KeyColumns: []string{"ID"}}, "updated": {KeyColumns: []string{"id"}, UpdatedAtColumn: "AT"},
			"inserts": {KeyColumns: []string{"id"}, InsertOnly: true}} {
			t.Run(name+" by "+how, func(t *testing.T) { followSource(t, open(t), track) })
		}
	}
}

func followSource(t *testing.T, o origin, track *api.CacheTracking) {
	g, cl, _ := exportGateway(t)
	ctx := context.Background()
	r := rand.New(rand.NewPCG(7, 7))
	at := func(clock int) string { return fmt.Sprintf("2026-03-29 02:%02d:%02d.5", clock/60, clock%60) }
	now, clock, next := map[int]entry{}, 100, 1
	put := func(e entry) { now[e.id] = e; o.put(e) }
	for range 40 {
		put(entry{next, fmt.Sprintf("first %d", next), at(r.IntN(clock))})
		next++
	}
	cat := connectOrigin(t, cl, o, map[string]any{"cacheAnything": true})
	c, err := cl.Cache.Create(ctx, local, api.CacheRequest{CatalogID: cat.ID, SchemaName: o.schema, TableName: "items", ChangeTracking: track})
	if err != nil {
		t.Fatal(err)
	}
	g.Jobs.Running.Wait()
	if got := counts(runEnd(t, g, cl, c.ID, nil)); got != "COMPLETED 40 +40 ~0 -0" {
		t.Fatal(got)
	}
	same := func(what string) {
		t.Helper()
		cached, err := itemsOf(t, g, o.schema, false)
		if err != nil {
			t.Fatal(err)
		}
		source, err := itemsOf(t, g, o.schema, true)
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
				put(entry{next, fmt.Sprintf("new %d", round), at(clock)})
				next++
			case k == 2: // from a transaction that took long
				put(entry{next, fmt.Sprintf("late %d", round), at(r.IntN(clock))})
				next++
			case k == 3 && track != nil && track.UpdatedAtColumn != "":
				put(entry{next, fmt.Sprintf("timeless %d", round), ""})
				next++
			case k < 6 && (track == nil || !track.InsertOnly):
				put(entry{old.id, fmt.Sprintf("changed %d %d", round, r.IntN(3)), at(clock)})
			case k == 6:
				delete(now, old.id)
				o.drop(old)
			}
		}
		want := fmt.Sprintf("COMPLETED %d", len(now))
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
		want += fmt.Sprintf(" +%d ~%d -%d", inserted, updated, deleted)
		if got := counts(runEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)); got != want {
			t.Fatalf("round %d: %s, want %s %v", round, got, want, string(runEnd(t, g, cl, c.ID, nil).Error["message"]))
		}
		same(fmt.Sprintf("round %d", round))
	}
	if track != nil && track.UpdatedAtColumn != "" { // a row without a time is read again each time
		for id, e := range now {
			if e.at == "" {
				put(entry{id, "changed without a time", ""})
				break
			}
		}
		runEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)
		same("a change without a time")
	}
	if err := checkScratch(g); err != nil {
		t.Error(err)
	}
	cached, err := itemsOf(t, g, o.schema, false)
	if err != nil {
		t.Fatal(err)
	}
	o.stop()
	if got, err := itemsOf(t, g, o.schema, false); err != nil || got != cached {
		t.Errorf("without its source the cached table does not answer as before: %v", err)
	}
	if _, err := itemsOf(t, g, o.schema, true); err == nil {
		t.Error("the table is read from a source that is gone")
	}
	st, err := cl.Catalogs.CacheState(ctx, local, cat.ID, o.schema, "items")
	if err != nil || !st.IsCached || !st.IsCacheable {
		t.Errorf("%+v, %v", st, err)
	}
	failed := runEnd(t, g, cl, c.ID, cl.Cache.IncrementalUpdate)
	if failed.Status != "FAILED" || len(failed.Error["message"]) == 0 {
		t.Errorf("%+v", failed)
	}
	if got, err := itemsOf(t, g, o.schema, false); err != nil || got != cached {
		t.Errorf("a refresh that failed changed the rows: %v", err)
	}
}

// checkScratch looks for tables that a refresh should have dropped.
func checkScratch(g *Gateway) error {
	ctx := context.Background()
	data, err := g.Engine.Project(ctx, local)
	if err != nil {
		return err
	}
	all, err := g.Store.Caches(ctx, local, "", "")
	if err != nil {
		return err
	}
	for _, c := range all {
		runs, err := g.Store.CacheRuns(ctx, c.ID, 1000, 0)
		if err != nil {
			return err
		}
		for _, run := range runs {
			for _, table := range merge.Scratch(run.ID) {
				if n, err := data.RowCount(ctx, names.CacheSchema, table); err == nil {
					return fmt.Errorf("%s is still there with %d rows", table, n)
				}
			}
		}
	}
	return nil
}

// A key that does not tell rows apart fails the refresh by name and keeps the rows.
func TestCacheKeyFaults(t *testing.T) {
	for _, c := range []struct {
		body, want string
	}{
		{"id,name,at\n1,a,2026-01-01 00:00:00\n,b,2026-01-02 00:00:00\n", "the key (id) is NULL in 1 row of far.files.items"},
		{"id,name,at\n1,a,2026-01-01 00:00:00\n2,b,2026-01-02 00:00:00\n2,c,2026-01-03 00:00:00\n", "the key (id) is not unique in far.files.items: 1 value is there more than once, such as 2"},
	} {
		for _, track := range []api.CacheTracking{{KeyColumns: []string{"id"}}, {KeyColumns: []string{"id"}, UpdatedAtColumn: "at"}, {KeyColumns: []string{"id"}, InsertOnly: true}} {
			g, cl, _ := exportGateway(t)
			o := csvOrigin(t)
			o.put(entry{1, "a", "2026-01-01 00:00:00"})
			cat := connectOrigin(t, cl, o, nil)
			made, err := cl.Cache.Create(context.Background(), local, api.CacheRequest{CatalogID: cat.ID, SchemaName: o.schema, TableName: "items", ChangeTracking: &track})
			if err != nil {
				t.Fatal(err)
			}
			g.Jobs.Running.Wait()
			before, err := itemsOf(t, g, o.schema, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(o.credential["path"].(string), "items.csv"), []byte(c.body), 0o600); err != nil {
				t.Fatal(err)
			}
			run := runEnd(t, g, cl, made.ID, cl.Cache.IncrementalUpdate)
			if run.Status != "FAILED" || !strings.Contains(string(run.Error["message"]), c.want) {
				t.Errorf("%+v: %s %s", track, run.Status, run.Error["message"])
			}
			if after, err := itemsOf(t, g, o.schema, false); err != nil || after != before {
				t.Errorf("%+v: the rows changed: %v", track, err)
			}
			if run := runEnd(t, g, cl, made.ID, cl.Cache.FullRefresh); run.Status != "COMPLETED" {
				t.Errorf("a full refresh needs no key: %s", run.Error["message"])
			}
			if err := checkScratch(g); err != nil {
				t.Error(err)
			}
		}
	}
}

// What is wrong with a way of finding changes is said by its field before anything is stored.
func TestCacheTrackingIsChecked(t *testing.T) {
	_, cl, _ := exportGateway(t)
	o := csvOrigin(t)
	o.put(entry{1, "a", "2026-01-01 00:00:00"})
	cat := connectOrigin(t, cl, o, nil)
	for _, c := range []struct {
		track api.CacheTracking
		want  string
	}{
		{api.CacheTracking{UpdatedAtColumn: "at"}, "changeTracking.keyColumns: missing"},
		{api.CacheTracking{InsertOnly: true}, "changeTracking.keyColumns: missing"},
		{api.CacheTracking{KeyColumns: []string{"id", "ID"}}, "changeTracking.keyColumns: ID is named twice"},
		{api.CacheTracking{KeyColumns: []string{"id", ""}}, "changeTracking.keyColumns: a name is empty"},
		{api.CacheTracking{KeyColumns: []string{"at"}, UpdatedAtColumn: "At"}, "changeTracking.updatedAtColumn: at is a column of the key"},
		{api.CacheTracking{KeyColumns: []string{"nosuch"}}, "changeTracking.keyColumns: table far.files.items has no column nosuch"},
		{api.CacheTracking{KeyColumns: []string{"id"}, UpdatedAtColumn: "nosuch"}, "changeTracking.updatedAtColumn: table far.files.items has no column nosuch"},
		{api.CacheTracking{KeyColumns: []string{"id"}, UpdatedAtColumn: "at", InsertOnly: true}, "changeTracking.insertOnly: excludes updatedAtColumn"},
		{api.CacheTracking{KeyColumns: []string{"id", "name"}, InsertOnly: true}, "changeTracking.insertOnly: requires a key of one increasing column"},
	} {
		_, err := cl.Cache.Create(context.Background(), local, api.CacheRequest{CatalogID: cat.ID, SchemaName: o.schema, TableName: "items", ChangeTracking: &c.track})
		if apiStatus(err) != 400 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.track, err)
		}
	}
	if all, err := cl.Cache.Statuses(context.Background(), local); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// Databases are cacheable only in a catalog that was made so.
func TestCacheAnything(t *testing.T) {
	for name, open := range map[string]func(*testing.T, ...string) origin{"postgres": postgresOrigin, "mariadb": mariadbOrigin} {
		t.Run(name, func(t *testing.T) {
			_, cl, _ := exportGateway(t)
			o := open(t)
			cat := connectOrigin(t, cl, o, nil)
			st, err := cl.Catalogs.CacheState(context.Background(), local, cat.ID, o.schema, "items")
			if err != nil || st.IsCacheable || st.IsCached || len(st.SupportedCacheTypes) > 0 {
				t.Errorf("%+v, %v", st, err)
			}
			if _, err := cl.Cache.Create(context.Background(), local, api.CacheRequest{CatalogID: cat.ID, SchemaName: o.schema, TableName: "items"}); apiStatus(err) != 400 {
				t.Errorf("%v", err)
			}
		})
	}
	_, cl, _ := exportGateway(t)
	o := csvOrigin(t)
	connectOrigin(t, cl, o, map[string]any{"cacheAnything": false})
	conns, err := cl.Connections.List(context.Background(), local)
	if err != nil {
		t.Fatal(err)
	}
	for _, extra := range []map[string]any{{"cacheAnything": "yes"}, {"cacheanything": true}} {
		if _, err := cl.Catalogs.Create(context.Background(), local, api.CatalogRequest{Name: "b", ConnectionID: conns[0].ID, ExtraParameters: extra}); apiStatus(err) != 400 || !strings.Contains(err.Error(), "extraParameters") {
			t.Errorf("%v: %v", extra, err)
		}
	}
}
