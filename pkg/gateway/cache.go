package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// cachesService keeps copies of the tables of sources.
type cachesService struct {
	store    *store.Store
	engine   engine.Engine
	now      func() time.Time
	log      *slog.Logger
	jobs     *jobsService
	names    *namesService
	catalogs *catalogsService
	editing  keyed // by cache: what an update keeps is read and written again by one at a time
	tidying  tally // by project: tables of caches that nothing needs are being dropped

	Stick func(ctx context.Context, table string) bool // asked before a refresh, if set; true: it is not done
}

// Routes registers the handlers.
func (g *cachesService) Routes(m *webService) {
	handle(m, spec.CreateCache, g.createCache)
	handle(m, spec.CreateCacheBatch, g.createCacheBatch)
	handle(m, spec.ListCacheStatuses, g.listCacheStatuses)
	handle(m, spec.ListCatalogCacheStatuses, g.listCacheStatuses)
	handle(m, spec.ListSchemaCacheStatuses, g.listCacheStatuses)
	handle(m, spec.GetCacheSettings, g.getCacheSettings)
	handle(m, spec.UpdateCacheSettings, g.updateCacheSettings)
	handle(m, spec.DeleteCache, g.deleteCache)
	handle(m, spec.CancelFullRefresh, g.cancelCacheOf(store.CacheFull))
	handle(m, spec.CancelIncrementalUpdate, g.cancelCacheOf(store.CacheIncremental))
	handle(m, spec.TriggerFullRefresh, g.refreshCacheOf(store.CacheFull))
	handle(m, spec.TriggerIncrementalUpdate, g.refreshCacheOf(store.CacheIncremental))
	handle(m, spec.ListCacheExecutions, g.listCacheExecutions)
	handle(m, spec.GetCacheStatus, g.getCacheStatus)
	handle(m, spec.GetTableCacheState, g.tableCacheState)
	g.jobs.onTick(followClock(g.cachesFollow), duty{"caches", g.refreshCachesDue})
}

// cacheOf finds a cache. An unknown one is 404 everywhere, as documented; the hosted service answers 400 to triggers [L].
func (g *cachesService) cacheOf(ctx context.Context, p store.Project, id string) (store.Cache, error) {
	c, err := g.store.Cache(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		err = cacheFault(404, "", "Cache settings not found")
	}
	return c, err
}

func (g *cachesService) createCache(ctx context.Context, r *Request[api.CacheRequest]) (api.Cache, error) {
	return g.makeCache(ctx, r.Project, r.Body)
}

// createCacheBatch makes each cache on its own; one that fails does not stop the others [O].
func (g *cachesService) createCacheBatch(ctx context.Context, r *Request[[]api.CacheRequest]) ([]api.CacheCreateStatus, error) {
	out := make([]api.CacheCreateStatus, len(r.Body))
	for i, b := range r.Body {
		c, err := g.makeCache(ctx, r.Project, b)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			text := faultOf(err).Message
			out[i].Error = &text
		default:
			out[i] = api.CacheCreateStatus{Success: true, Cache: &c}
		}
	}
	return out, nil
}

// makeCache makes the cache of a table and begins its first refresh, or returns the one the table has. One that never got any
// rows and is idle begins again.
func (g *cachesService) makeCache(ctx context.Context, p store.Project, b api.CacheRequest) (api.Cache, error) {
	for _, f := range []struct{ name, value string }{{"catalogId", b.CatalogID}, {"schemaName", b.SchemaName}, {"tableName", b.TableName}} {
		if f.value == "" {
			return api.Cache{}, missing(f.name)
		}
	}
	c := store.Cache{ProjectID: p.ID, CatalogID: b.CatalogID, SchemaName: b.SchemaName, TableName: b.TableName}
	var err error
	if c.Incremental, err = g.cacheSchedule("incrementalCacheSchedule", b.IncrementalCacheSchedule); err != nil {
		return api.Cache{}, err
	}
	if c.Full, err = g.cacheSchedule("fullRefreshCacheSchedule", b.FullRefreshCacheSchedule); err != nil {
		return api.Cache{}, err
	}
	if c.Tracking, err = cacheTracking(b.ChangeTracking); err != nil {
		return api.Cache{}, err
	}
	_, t, err := g.catalogs.table(ctx, p, b.CatalogID, b.SchemaName, b.TableName)
	if err != nil {
		var f *Fault
		if errors.As(err, &f) && f.shape == shapeData {
			status := f.Status
			if status == 404 { // 404 is for an unknown project; a table that the body names and that is not there is a bad body
				status = 400
			}
			err = cacheFault(status, "", "%s", f.Message)
		}
		return api.Cache{}, err
	}
	if !t.IsCacheable {
		return api.Cache{}, cacheFault(400, "TABLE_NOT_CACHEABLE", "table %s.%s.%s cannot be cached", t.CatalogName, t.SchemaName, t.TableName)
	}
	if err := g.trackable(ctx, p, &c); err != nil {
		return api.Cache{}, err
	}
	if err := g.tidyCaches(ctx, p.ID); err != nil {
		return api.Cache{}, err
	}
	c, _, err = g.store.EnsureCache(ctx, c)
	if err != nil {
		return api.Cache{}, err
	}
	if c.Stored == nil {
		err = g.startCacheRun(ctx, p, c, store.CacheFull, false)
		if errors.Is(err, store.ErrConflict) { // it is being filled
			err = nil
		}
	}
	return cacheOut(c), err
}

func (g *cachesService) getCacheSettings(ctx context.Context, r *Request[None]) (api.Cache, error) {
	c, err := g.cacheOf(ctx, r.Project, r.Param("cacheId"))
	return cacheOut(c), err
}

// updateCacheSettings changes the settings that are given and keeps the others [O].
func (g *cachesService) updateCacheSettings(ctx context.Context, r *Request[api.CacheScheduleUpdate]) (api.Cache, error) {
	unlock, err := g.editing.lock(ctx, r.Param("cacheId"))
	if err != nil {
		return api.Cache{}, err
	}
	defer unlock()
	c, err := g.cacheOf(ctx, r.Project, r.Param("cacheId"))
	if err != nil {
		return api.Cache{}, err
	}
	for _, f := range []struct {
		name string
		in   *api.CacheSchedule
		into *store.CacheSchedule
	}{{"incrementalCacheSchedule", r.Body.IncrementalCacheSchedule, &c.Incremental}, {"fullRefreshCacheSchedule", r.Body.FullRefreshCacheSchedule, &c.Full}} {
		if f.in == nil {
			continue
		}
		if *f.into, err = g.cacheSchedule(f.name, f.in); err != nil {
			return api.Cache{}, err
		}
	}
	if r.Body.ChangeTracking != nil {
		if c.Tracking, err = cacheTracking(r.Body.ChangeTracking); err != nil {
			return api.Cache{}, err
		}
		if err := g.trackable(ctx, r.Project, &c); err != nil {
			return api.Cache{}, err
		}
	}
	return cacheOut(c), g.store.SetCacheSettings(ctx, c, store.CacheChange{Incremental: r.Body.IncrementalCacheSchedule != nil, Full: r.Body.FullRefreshCacheSchedule != nil})
}

func (g *cachesService) deleteCache(ctx context.Context, r *Request[None]) (None, error) {
	c, err := g.cacheOf(ctx, r.Project, r.Param("cacheId"))
	if err != nil {
		return None{}, err
	}
	if err := g.store.DeleteCache(ctx, r.Project.ID, c.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
		return None{}, err
	}
	return None{}, nil
}

// refreshCacheOf starts a refresh. While one runs, another is refused, but for a full one during an incremental one, which it ends.
func (g *cachesService) refreshCacheOf(mode string) func(context.Context, *Request[None]) (map[string]any, error) {
	return func(ctx context.Context, r *Request[None]) (map[string]any, error) {
		c, err := g.cacheOf(ctx, r.Project, r.Param("cacheId"))
		if err != nil {
			return nil, err
		}
		if err := g.tidyCaches(ctx, r.Project.ID); err != nil {
			return nil, err
		}
		err = g.startCacheRun(ctx, r.Project, c, mode, false)
		switch {
		case errors.Is(err, store.ErrConflict):
			return nil, cacheFault(409, "", "a refresh of this cache is running")
		case errors.Is(err, store.ErrNotFound):
			return nil, cacheFault(404, "", "Cache settings not found")
		}
		return map[string]any{}, err
	}
}

// cancelCacheOf ends a running refresh of a mode; the cache keeps the rows it had. 404 when there is none to end [L].
func (g *cachesService) cancelCacheOf(mode string) func(context.Context, *Request[None]) (None, error) {
	return func(ctx context.Context, r *Request[None]) (None, error) {
		c, err := g.cacheOf(ctx, r.Project, r.Param("cacheId"))
		if err != nil {
			return None{}, err
		}
		if err := g.tidyCaches(ctx, r.Project.ID); err != nil {
			return None{}, err
		}
		run, err := g.store.LastCacheRun(ctx, c.ID, "")
		if err == nil && run.Mode == mode && run.Status == store.CacheRunning {
			run.Status = store.CacheCancelled
			err = g.store.EndCacheRun(ctx, run, "the refresh was cancelled")
			if err == nil {
				return None{}, nil
			}
		} else if err == nil {
			err = store.ErrNotFound
		}
		if errors.Is(err, store.ErrNotFound) {
			err = cacheFault(404, "", "no %s refresh of this cache is running", map[string]string{store.CacheFull: "full", store.CacheIncremental: "incremental"}[mode])
		}
		return None{}, err
	}
}

func (g *cachesService) listCacheExecutions(ctx context.Context, r *Request[None]) ([]api.CacheExecutionInfo, error) {
	c, err := g.cacheOf(ctx, r.Project, r.Param("cacheId"))
	if err != nil {
		return nil, err
	}
	limit, err := r.Int("limit", 10, 1)
	if err != nil {
		return nil, err
	}
	offset, err := r.Int("offset", 0, 0)
	if err != nil {
		return nil, err
	}
	if err := g.tidyCaches(ctx, r.Project.ID); err != nil {
		return nil, err
	}
	runs, err := g.store.CacheRuns(ctx, c.ID, min(limit, 1000), offset)
	return mapAll(runs, runOut), err
}

func (g *cachesService) getCacheStatus(ctx context.Context, r *Request[None]) (api.CacheStatus, error) {
	c, err := g.cacheOf(ctx, r.Project, r.Param("cacheId"))
	if err != nil {
		return api.CacheStatus{}, err
	}
	bare, err := r.Bool("excludeLogs", false)
	if err != nil {
		return api.CacheStatus{}, err
	}
	if err := g.tidyCaches(ctx, r.Project.ID); err != nil {
		return api.CacheStatus{}, err
	}
	out, err := g.cacheStatus(ctx, c)
	if err != nil || bare {
		return out, err
	}
	logs, err := g.store.CacheLogs(ctx, c.ID, 100)
	out.CacheActionLogs = mapAll(logs, func(l store.CacheLog) api.CacheActionLog {
		return api.CacheActionLog{Timestamp: l.At, Action: l.Action, Message: l.Message, CacheType: l.CacheType, IsScheduled: l.Scheduled}
	})
	return out, err
}

// listCacheStatuses lists the caches of a project, of a catalog or of a schema, without their logs.
func (g *cachesService) listCacheStatuses(ctx context.Context, r *Request[None]) ([]api.CacheStatus, error) {
	if id, schema := r.Param("catalogId"), r.Param("schemaName"); id != "" {
		var err error
		if schema != "" {
			_, err = g.catalogs.schema(ctx, r.Project, id, schema)
		} else {
			_, err = g.catalogs.catalog(ctx, r.Project, id)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := g.tidyCaches(ctx, r.Project.ID); err != nil {
		return nil, err
	}
	all, err := g.store.Caches(ctx, r.Project.ID, r.Param("catalogId"), r.Param("schemaName"))
	if err != nil {
		return nil, err
	}
	out := make([]api.CacheStatus, len(all))
	for i, c := range all {
		if out[i], err = g.cacheStatus(ctx, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cacheStatus reads both slots; the newer one is the state of the cache.
func (g *cachesService) cacheStatus(ctx context.Context, c store.Cache) (api.CacheStatus, error) {
	out := api.CacheStatus{ID: c.ID, Status: "NOT_INITIALIZED", CatalogID: c.CatalogID, SchemaName: c.SchemaName, TableName: c.TableName, ProjectID: c.ProjectID}
	if c.Stored != nil {
		run, err := g.store.CacheRunByID(ctx, *c.Stored)
		if err == nil {
			out.RefreshedAt = &run.CreatedAt
		} else if !errors.Is(err, store.ErrNotFound) {
			return out, err
		}
	}
	newest := ""
	for _, slot := range []struct {
		mode string
		into **api.CacheExecutionInfo
	}{{store.CacheIncremental, &out.LastIncrementalCacheExecution}, {store.CacheFull, &out.LastFullRefreshCacheExecution}} {
		run, err := g.store.LastCacheRun(ctx, c.ID, slot.mode)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		info := runOut(run)
		if *slot.into = &info; run.CreatedAt > newest {
			newest, out.Status = run.CreatedAt, run.Status
		}
	}
	return out, nil
}

func cacheOut(c store.Cache) api.Cache {
	schedule := func(s store.CacheSchedule) *api.CacheSchedule {
		return &api.CacheSchedule{Type: s.Type, Expression: s.Expr}
	}
	out := api.Cache{ID: c.ID, CatalogID: c.CatalogID, SchemaName: c.SchemaName, TableName: c.TableName, ProjectID: c.ProjectID,
		IncrementalCacheSchedule: schedule(c.Incremental), FullRefreshCacheSchedule: schedule(c.Full)}
	if len(c.Tracking.Key) > 0 {
		out.ChangeTracking = &api.CacheTracking{KeyColumns: c.Tracking.Key, UpdatedAtColumn: c.Tracking.Updated, InsertOnly: c.Tracking.InsertOnly}
	}
	return out
}

func runOut(r store.CacheRun) api.CacheExecutionInfo {
	out := api.CacheExecutionInfo{ID: r.ID, ExecutionMode: r.Mode, Status: r.Status, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, FinishedAt: r.FinishedAt,
		Progress: &api.CacheExecutionProgress{NumberOfCachedRecords: r.Cached, NumberOfInsertedRecords: r.Inserted, NumberOfUpdatedRecords: r.Updated, NumberOfDeletedRecords: r.Deleted}}
	if r.Error != "" {
		raw, _ := api.Marshal(r.Error) // a string always marshals
		out.Error = map[string]json.RawMessage{"message": raw}
	}
	return out
}

// tableCacheState answers for a table that is cached also when its source cannot be reached.
func (g *cachesService) tableCacheState(ctx context.Context, r *Request[None]) (api.TableCacheResult, error) {
	_, err := g.store.CachedTable(ctx, r.Project.ID, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	if err == nil {
		return api.TableCacheResult{SupportedCacheTypes: []string{store.CacheFull, store.CacheIncremental}, IsCached: true, IsCacheable: true}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return api.TableCacheResult{}, err
	}
	_, t, err := g.catalogs.table(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	return api.TableCacheResult{SupportedCacheTypes: t.SupportedCacheTypes, IsCached: t.IsCached, IsCacheable: t.IsCacheable}, err
}

// markCached sets the flag of tables that queries read from a cache.
func (g *cachesService) markCached(ctx context.Context, p store.Project, tables []api.Table) error {
	for i, t := range tables {
		if !t.IsCacheable {
			continue
		}
		_, err := g.store.CachedTable(ctx, p.ID, t.CatalogID, t.SchemaName, t.TableName)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		tables[i].IsCached = err == nil
	}
	return nil
}

// cached is the stored table to read for a table of a catalog, nil for the source.
func (r resolver) cached(ctx context.Context, catalog string, n engine.TableName) (*engine.TableName, error) {
	if r.live {
		return nil, nil
	}
	id, err := r.g.store.CachedTable(ctx, r.p.ID, catalog, n.Schema, n.Table)
	if errors.Is(err, store.ErrNotFound) && r.only {
		return nil, unknown(engine.KindNotAllowed, "Table '%s' is not cached, or its cache holds nothing yet, and no source is to be read", n.String())
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &engine.TableName{Catalog: engine.InternalCatalog, Schema: cacheSchema, Table: id}, nil
}

// Override implements engine.Overrides for the sample catalog.
func (r resolver) Override(ctx context.Context, n engine.TableName) (*engine.TableName, error) {
	return r.cached(ctx, sampleCatalogID, n)
}
