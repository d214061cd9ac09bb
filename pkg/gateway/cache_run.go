package gateway

import (
	"context"
	"errors"
	"fmt"
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
func (g *cachesService) startCacheRun(ctx context.Context, p store.Project, c store.Cache, mode string, scheduled bool) error {
	runner, err := g.jobs.runner()
	if err != nil {
		return err
	}
	run, err := g.store.StartCacheRun(ctx, c.ID, mode, runner, scheduled)
	if err != nil {
		return err
	}
	g.jobs.background(jobCache, func(ctx context.Context) {
		if hook := g.Stick; hook == nil || !hook(ctx, c.TableName) {
			g.runCache(ctx, p, c, run)
		}
	})
	return nil
}

// runCache does one refresh to its end, whatever that is.
func (g *cachesService) runCache(ctx context.Context, p store.Project, c store.Cache, run store.CacheRun) {
	keep := context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	run.Status, run.Error = store.CacheFailed, "the refresh broke off"
	message := run.Error
	defer func() { // also when the engine panics
		err := g.jobs.record("cache "+c.ID, func(ctx context.Context) error { return g.store.EndCacheRun(ctx, run, message) })
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			g.log.Error("a cache refresh could not be ended", "cache", c.ID, "error", err.Error())
			return
		}
		if err != nil || run.Status != store.CacheCompleted { // failed, cancelled, or its cache is gone
			g.dropCacheTable(keep, store.CacheTable{ID: run.ID, ProjectID: p.ID})
		}
		g.dropFreeTables(keep, p.ID)
	}()
	beats := 0
	stop := g.jobs.watch(ctx, cancel, func() bool {
		beats++
		wanted, err := g.store.CacheRunWanted(keep, run.ID, beats%25 == 0)
		return err == nil && !wanted
	})
	defer stop()
	read, err := g.refreshCache(ctx, p, c, &run)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("the refresh took longer than %v", cacheTimeout)
		}
		run.Error = g.jobs.reason(err)
		message = run.Error
		return
	}
	run.Status, run.Error = store.CacheCompleted, ""
	message = fmt.Sprintf("%d rows cached: %d inserted, %d updated, %d deleted; %d rows were read", run.Cached, run.Inserted, run.Updated, run.Deleted, read)
}

// refreshCache stores the rows of the source in the run's own table and counts what changed. The cache reads its old table until
// the run is recorded as complete.
func (g *cachesService) refreshCache(ctx context.Context, p store.Project, c store.Cache, run *store.CacheRun) (read int64, err error) {
	data, err := g.engine.Project(ctx, p.ID)
	if err != nil {
		return 0, err
	}
	cat, err := g.catalogs.catalog(ctx, p, c.CatalogID)
	if err != nil {
		return 0, err
	}
	if c, err = g.store.Cache(ctx, p.ID, c.ID); err != nil { // the run before this one may have ended since it was read
		return 0, err
	}
	names := &refreshNames{resolver: g.names.resolver(p), real: engine.TableName{Catalog: cat.Name, Schema: c.SchemaName, Table: c.TableName}, run: run.ID, filters: map[string]engine.Filter{}}
	names.live = true
	if c.Stored != nil {
		names.old = *c.Stored
	}
	diff := changes{data, names, run}
	key := c.Tracking.Key
	if run.Mode == store.CacheIncremental && names.old != "" && (c.Tracking.Updated != "" || c.Tracking.InsertOnly) {
		defer g.dropScratch(context.WithoutCancel(ctx), data, run.ID)
		if done, err := g.mergeChanges(ctx, diff, c.Tracking); done || err != nil {
			return names.read, err
		}
	}
	if run.Cached, err = data.Materialize(ctx, cacheSchema, run.ID, engine.Query{SQL: "SELECT * FROM " + names.table("live"), Catalogs: names}); err != nil {
		return 0, err
	}
	if run.Mode == store.CacheIncremental && len(key) > 0 {
		if err := diff.withKey(key).checkKey(ctx, "new"); err != nil {
			return 0, err
		}
	}
	if names.old == "" {
		run.Inserted = run.Cached
		return run.Cached, nil
	}
	old, err := data.RowCount(ctx, cacheSchema, names.old)
	if err != nil {
		return 0, err
	}
	if run.Mode == store.CacheFull {
		run.Inserted, run.Deleted = run.Cached, old // every row was replaced
		return run.Cached, nil
	}
	return run.Cached, diff.countAll(ctx, key, old)
}

func (g *cachesService) dropScratch(ctx context.Context, data engine.Project, run string) {
	for _, which := range scratch {
		if err := data.DropStored(ctx, cacheSchema, scratchName(run, which)); err != nil {
			g.log.Warn("a table of a cache refresh could not be dropped", "run", run, "error", err.Error())
		}
	}
}
