package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

const (
	cacheSchema  = "cache"        // holds the stored tables of caches, each named by the run that made it
	cacheNames   = "cache source" // catalog of names that only a refresh can use
	cacheTimeout = 2 * time.Hour  // of one refresh
	cacheGrace   = time.Minute    // how long a replaced table stays for statements that have begun
)

// startCacheRun records a refresh and begins it. ErrConflict says that one is running.
func (g *Gateway) startCacheRun(ctx context.Context, p store.Project, c store.Cache, mode string, scheduled bool) error {
	runner, err := g.runners.ID()
	if err != nil {
		return err
	}
	run, err := g.store.StartCacheRun(ctx, c.ID, mode, runner, scheduled)
	if err != nil {
		return err
	}
	g.background(jobCache, func(ctx context.Context) { g.runCache(ctx, p, c, run) })
	return nil
}

// runCache does one refresh to its end, whatever that is.
func (g *Gateway) runCache(ctx context.Context, p store.Project, c store.Cache, run store.CacheRun) {
	keep := context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	run.Status, run.Error = store.CacheFailed, "the refresh broke off"
	message := run.Error
	defer func() { // also when the engine panics
		err := g.store.EndCacheRun(keep, run, message)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			g.log.Error("a cache refresh could not be ended", "cache", c.ID, "error", err.Error())
			return
		}
		if err != nil || run.Status != store.CacheCompleted { // failed, cancelled, or its cache is gone
			g.dropCacheTable(keep, store.CacheTable{ID: run.ID, ProjectID: p.ID})
		}
	}()
	beats := 0
	stop := g.watch(ctx, cancel, func() bool {
		beats++
		wanted, err := g.store.CacheRunWanted(keep, run.ID, beats%25 == 0)
		return err == nil && !wanted
	})
	defer stop()
	if err := g.refreshCache(ctx, p, c, &run); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the refresh took longer than %v", cacheTimeout)
		}
		run.Error = g.reason(err)
		message = run.Error
		return
	}
	run.Status, run.Error = store.CacheCompleted, ""
	message = fmt.Sprintf("%d rows cached: %d inserted, %d updated, %d deleted", run.Cached, run.Inserted, run.Updated, run.Deleted)
}

// refreshCache stores the rows of the source in the run's own table and counts what changed. The cache reads its old table until
// the run is recorded as complete.
func (g *Gateway) refreshCache(ctx context.Context, p store.Project, c store.Cache, run *store.CacheRun) error {
	data, err := g.engine.Project(ctx, p.ID)
	if err != nil {
		return err
	}
	cat, err := g.catalog(ctx, p, c.CatalogID)
	if err != nil {
		return err
	}
	r := g.resolver(p)
	r.live = true
	names := refreshNames{r, engine.TableName{Catalog: cat.Name, Schema: c.SchemaName, Table: c.TableName}, run.ID, ""}
	now, err := g.store.Cache(ctx, p.ID, c.ID) // the run before this one may have ended since c was read
	if err != nil {
		return err
	}
	if now.Stored != nil {
		names.old = *now.Stored
	}
	if run.Cached, err = data.Materialize(ctx, cacheSchema, run.ID, engine.Query{SQL: "SELECT * FROM " + names.table("live"), Catalogs: names}); err != nil {
		return err
	}
	if names.old == "" {
		run.Inserted = run.Cached
		return nil
	}
	old, err := data.RowCount(ctx, cacheSchema, names.old)
	if err != nil {
		return err
	}
	if run.Mode == store.CacheFull {
		run.Inserted, run.Deleted = run.Cached, old // every row was replaced
		return nil
	}
	return g.countChanges(ctx, data, names, run, old)
}

// countChanges compares the rows of a refresh with those before it, duplicates and NULLs included. With a column that tells rows
// apart in both, a row whose other values changed is updated; without one it is a deleted and an inserted row.
func (g *Gateway) countChanges(ctx context.Context, data engine.Project, names refreshNames, run *store.CacheRun, old int64) error {
	ask := func(sql string) ([]int64, error) {
		res, err := data.Query(ctx, engine.Query{SQL: sql, Catalogs: names, Dialect: "duckdb"})
		if err != nil {
			return nil, err
		}
		defer res.Close()
		var out []int64
		_, err = res.Rows(ctx, func(row [][]byte) error {
			for _, v := range row {
				n, err := strconv.ParseInt(string(v), 10, 64)
				if err != nil {
					return err
				}
				out = append(out, n)
			}
			return nil
		})
		return out, err
	}
	columns := func(which string) ([]string, error) {
		res, err := data.Query(ctx, engine.Query{SQL: "SELECT * FROM " + names.table(which) + " LIMIT 0", Catalogs: names, Dialect: "duckdb"})
		if err != nil {
			return nil, err
		}
		defer res.Close()
		var out []string
		for _, c := range res.Columns() {
			out = append(out, c.Name+" "+c.DataType)
		}
		return out, nil
	}
	before, err := columns("old")
	if err != nil {
		return err
	}
	after, err := columns("new")
	if err != nil {
		return err
	}
	if !slices.Equal(before, after) { // the table itself changed: every row is another
		run.Inserted, run.Deleted = run.Cached, old
		return nil
	}
	a, b := names.table("new"), names.table("old")
	n, err := ask("SELECT (SELECT count(*) FROM (SELECT * FROM " + a + " EXCEPT ALL SELECT * FROM " + b + ")), (SELECT count(*) FROM (SELECT * FROM " + b + " EXCEPT ALL SELECT * FROM " + a + "))")
	if err != nil {
		return err
	}
	run.Inserted, run.Deleted = n[0], n[1]
	key := keyColumn(after, names.real.Table)
	if key == "" || n[0] == 0 || n[1] == 0 {
		return nil
	}
	k := quote(key)
	unique := "(SELECT CASE WHEN count(*) = count(DISTINCT " + k + ") THEN 1 ELSE 0 END FROM "
	n, err = ask("SELECT " + unique + a + "), " + unique + b + "), (SELECT count(*) FROM " + a + " x WHERE x." + k + " NOT IN (SELECT y." + k + " FROM " + b + " y))")
	if err != nil {
		return err
	}
	if n[0] == 1 && n[1] == 1 {
		run.Updated = run.Inserted - n[2]
		run.Inserted -= run.Updated
		run.Deleted -= run.Updated
	}
	return nil
}

// keyColumn is a column that by its name tells rows apart; whether it does is for the caller to check.
func keyColumn(columns []string, table string) string {
	for _, want := range []string{"id", "_id", "uuid", table + "_id", strings.TrimSuffix(table, "s") + "_id"} {
		for _, c := range columns {
			if name := c[:strings.LastIndexByte(c, ' ')]; strings.EqualFold(name, want) {
				return name
			}
		}
	}
	return ""
}

// refreshNames are the names a refresh reads by: the source, what the run has stored, and what the cache held. They are not the
// names users write, which may stand for the cache in a statement that runs at the same time.
type refreshNames struct {
	resolver
	real     engine.TableName
	run, old string
}

// table is the SQL name of "live", "new" or "old".
func (r refreshNames) table(which string) string {
	return quoteName(engine.TableName{Catalog: cacheNames, Schema: which, Table: r.real.String()})
}

// Lookup implements engine.Catalogs.
func (r refreshNames) Lookup(ctx context.Context, n engine.TableName) (engine.Source, error) {
	if n.Catalog != cacheNames {
		return r.resolver.Lookup(ctx, n)
	}
	switch n.Schema {
	case "new":
		return engine.Source{Stored: &engine.TableName{Schema: cacheSchema, Table: r.run}}, nil
	case "old":
		return engine.Source{Stored: &engine.TableName{Schema: cacheSchema, Table: r.old}}, nil
	}
	if r.real.Catalog == engine.SampleCatalog {
		return engine.Source{SQL: "SELECT * FROM " + quoteName(r.real)}, nil
	}
	return r.resolver.Lookup(ctx, r.real)
}

// tidyCaches ends refreshes whose process died and drops stored tables that nothing needs any more.
func (g *Gateway) tidyCaches(ctx context.Context) error {
	open, err := g.store.OpenCacheRuns(ctx)
	if err != nil {
		return err
	}
	for _, run := range open {
		if g.runners.Alive(run.Runner) {
			continue
		}
		run.Status, run.Error = store.CacheFailed, cutOff
		if err := g.store.EndCacheRun(ctx, run, cutOff); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	free, err := g.store.FreeCacheTables(ctx, g.now().Add(-cacheGrace))
	if err != nil {
		return err
	}
	for _, t := range free {
		g.dropCacheTable(ctx, t)
	}
	return nil
}

// dropCacheTable drops a stored table. One that cannot be dropped now is dropped later.
func (g *Gateway) dropCacheTable(ctx context.Context, t store.CacheTable) {
	if _, err := g.store.Project(ctx, "", t.ProjectID); err != nil {
		return // its rows went with the project
	}
	data, err := g.engine.Project(ctx, t.ProjectID)
	if err == nil {
		err = data.DropStored(ctx, cacheSchema, t.ID)
	}
	if err == nil {
		err = g.store.ForgetCacheTable(ctx, t.ID)
	}
	if err != nil {
		g.log.Warn("a replaced cache table could not be dropped yet", "table", t.ID, "error", err.Error())
	}
}

// dropCaches removes the caches of catalogs that are gone.
func (g *Gateway) dropCaches(ctx context.Context) error {
	orphans, err := g.store.OrphanCaches(ctx)
	if err != nil {
		return err
	}
	for _, c := range orphans {
		if err := g.store.DeleteCache(ctx, c.ProjectID, c.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}
