// Package caches stores copies of the tables of sources and refreshes them, in full or incrementally.
package caches

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/catalogs"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/stored"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service stores copies of the tables of sources.
type Service struct {
	Store    *store.Store
	Engine   engine.Engine
	Now      func() time.Time
	Log      *slog.Logger
	Jobs     *jobs.Service
	Names    *names.Service
	Catalogs *catalogs.Service
	Results  *stored.Service

	Stick func(ctx context.Context, table string) bool // called before a refresh, if set; true skips it
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.CreateCache, s.createCache)
	web.Handle(m, spec.CreateCacheBatch, s.createCacheBatch)
	web.Handle(m, spec.ListCacheStatuses, s.listCacheStatuses)
	web.Handle(m, spec.ListCatalogCacheStatuses, s.listCacheStatuses)
	web.Handle(m, spec.ListSchemaCacheStatuses, s.listCacheStatuses)
	web.Handle(m, spec.GetCacheSettings, s.getCacheSettings)
	web.Handle(m, spec.UpdateCacheSettings, s.updateCacheSettings)
	web.Handle(m, spec.DeleteCache, s.deleteCache)
	web.Handle(m, spec.CancelFullRefresh, s.cancelCacheOf(states.Full))
	web.Handle(m, spec.CancelIncrementalUpdate, s.cancelCacheOf(states.Incremental))
	web.Handle(m, spec.TriggerFullRefresh, s.refreshCacheOf(states.Full))
	web.Handle(m, spec.TriggerIncrementalUpdate, s.refreshCacheOf(states.Incremental))
	web.Handle(m, spec.ListCacheExecutions, s.listCacheExecutions)
	web.Handle(m, spec.GetCacheStatus, s.getCacheStatus)
	web.Handle(m, spec.GetTableCacheState, s.tableCacheState)
	s.Jobs.OnTick(jobs.FollowClock(s.cachesFollow), jobs.Duty{Name: "caches", Ends: true, Run: s.RefreshCachesDue})
}

// cacheOf finds a cache. An unknown one is 404 everywhere, as documented; the hosted service answers 400 to triggers
// [L].
func (s *Service) cacheOf(ctx context.Context, p store.Project, id string) (store.Cache, error) {
	c, err := s.Store.Cache(ctx, p.ID, id)
	if errors.Is(err, store.ErrNotFound) {
		err = fault.Cache(404, "", "Cache settings not found")
	}
	return c, err
}

func (s *Service) createCache(ctx context.Context, r *web.Request[api.CacheRequest]) (api.Cache, error) {
	return s.makeCache(ctx, r.Project, r.Body)
}

// createCacheBatch creates each cache separately; a failure does not stop the others [O].
func (s *Service) createCacheBatch(ctx context.Context,
	r *web.Request[[]api.CacheRequest]) ([]api.CacheCreateStatus, error) {
	out := make([]api.CacheCreateStatus, len(r.Body))
	for i, b := range r.Body {
		c, err := s.makeCache(ctx, r.Project, b)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			text := fault.Of(err).Error()
			out[i].Error = &text
		default:
			out[i] = api.CacheCreateStatus{Success: true, Cache: &c}
		}
	}
	return out, nil
}

// makeCache creates the cache of a table and starts its first refresh, or returns the existing cache. If that never got
// any rows and is idle, its first refresh is started again.
func (s *Service) makeCache(ctx context.Context, p store.Project, b api.CacheRequest) (api.Cache, error) {
	for _, f := range []struct{ name, value string }{{"catalogId", b.CatalogID}, {"schemaName", b.SchemaName},
		{"tableName", b.TableName}} {
		if f.value == "" {
			return api.Cache{}, fault.Missing(f.name)
		}
	}
	c := store.Cache{ProjectID: p.ID, CatalogID: b.CatalogID, SchemaName: b.SchemaName, TableName: b.TableName}
	var err error
	if c.Incremental, err = s.cacheSchedule("incrementalCacheSchedule", b.IncrementalCacheSchedule); err != nil {
		return api.Cache{}, err
	}
	if c.Full, err = s.cacheSchedule("fullRefreshCacheSchedule", b.FullRefreshCacheSchedule); err != nil {
		return api.Cache{}, err
	}
	if c.Tracking, err = cacheTracking(b.ChangeTracking); err != nil {
		return api.Cache{}, err
	}
	_, t, err := s.Catalogs.Table(ctx, p, b.CatalogID, b.SchemaName, b.TableName)
	if err != nil {
		var f *fault.Fault
		if errors.As(err, &f) && f.Shape == fault.ShapeData {
			status := f.Status
			if status == 404 { // 404 means an unknown project; a missing table named by the body is a bad request
				status = 400
			}
			err = fault.Cache(status, f.Code, "%s", f.Message)
		}
		return api.Cache{}, err
	}
	if !t.IsCacheable {
		return api.Cache{}, fault.Cache(400, "TABLE_NOT_CACHEABLE", "table %s.%s.%s cannot be cached", t.CatalogName,
			t.SchemaName, t.TableName)
	}
	if err := s.Names.Resolver(p).Spelled(ctx, engine.TableName{Catalog: t.CatalogName, Schema: t.SchemaName,
		Table: t.TableName}); err != nil {
		return api.Cache{}, fault.Cache(400, "TABLE_NOT_CACHEABLE", "%s", err) // no statement can read it
	}
	if err := s.trackable(ctx, p, &c); err != nil {
		return api.Cache{}, err
	}
	if err := s.tidyCaches(ctx, p.ID); err != nil {
		return api.Cache{}, err
	}
	c, _, err = s.Store.EnsureCache(ctx, c)
	if err != nil {
		return api.Cache{}, err
	}
	if c.Stored == nil {
		err = s.StartCacheRun(ctx, p, c, states.Full, false)
		if errors.Is(err, store.ErrConflict) { // it is being filled
			err = nil
		}
	}
	return cacheOut(c), err
}

func (s *Service) getCacheSettings(ctx context.Context, r *web.Request[web.None]) (api.Cache, error) {
	c, err := s.cacheOf(ctx, r.Project, r.Param("cacheId"))
	return cacheOut(c), err
}

// updateCacheSettings changes the settings that are given and keeps the others [O].
func (s *Service) updateCacheSettings(ctx context.Context, r *web.Request[api.CacheScheduleUpdate]) (api.Cache, error) {
	// The read-modify-write of updates follow each other.
	lock, err := s.Jobs.Lock(ctx, "cache "+r.Param("cacheId"))
	if err != nil {
		return api.Cache{}, err
	}
	defer lock.Unlock()
	c, err := s.cacheOf(ctx, r.Project, r.Param("cacheId"))
	if err != nil {
		return api.Cache{}, err
	}
	for _, f := range []struct {
		name string
		in   *api.CacheSchedule
		into *store.CacheSchedule
	}{{"incrementalCacheSchedule", r.Body.IncrementalCacheSchedule, &c.Incremental}, {"fullRefreshCacheSchedule",
		r.Body.FullRefreshCacheSchedule, &c.Full}} {
		if f.in == nil {
			continue
		}
		if *f.into, err = s.cacheSchedule(f.name, f.in); err != nil {
			return api.Cache{}, err
		}
	}
	if r.Body.ChangeTracking != nil {
		if c.Tracking, err = cacheTracking(r.Body.ChangeTracking); err != nil {
			return api.Cache{}, err
		}
		if err := s.trackable(ctx, r.Project, &c); err != nil {
			return api.Cache{}, err
		}
	}
	return cacheOut(c), s.Store.SetCacheSettings(ctx, c,
		store.CacheChange{Incremental: r.Body.IncrementalCacheSchedule != nil,
			Full: r.Body.FullRefreshCacheSchedule != nil})
}

func (s *Service) deleteCache(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	c, err := s.cacheOf(ctx, r.Project, r.Param("cacheId"))
	if err != nil {
		return web.None{}, err
	}
	if err := s.Store.DeleteCache(ctx, r.Project.ID, c.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
		return web.None{}, err
	}
	return web.None{}, nil
}

// refreshCacheOf starts a refresh. While one runs, another is rejected, except a full one during an incremental one,
// which it cancels.
func (s *Service) refreshCacheOf(mode string) func(context.Context, *web.Request[web.None]) (map[string]any, error) {
	return func(ctx context.Context, r *web.Request[web.None]) (map[string]any, error) {
		c, err := s.cacheOf(ctx, r.Project, r.Param("cacheId"))
		if err != nil {
			return nil, err
		}
		if err := s.tidyCaches(ctx, r.Project.ID); err != nil {
			return nil, err
		}
		err = s.StartCacheRun(ctx, r.Project, c, mode, false)
		switch {
		case errors.Is(err, store.ErrConflict):
			return nil, fault.Cache(409, "", "a refresh of this cache is running")
		case errors.Is(err, store.ErrNotFound):
			return nil, fault.Cache(404, "", "Cache settings not found")
		}
		return map[string]any{}, err
	}
}

// cancelCacheOf cancels a running refresh of a mode; the cache keeps its rows. 404 if there is none to cancel [L].
func (s *Service) cancelCacheOf(mode string) func(context.Context, *web.Request[web.None]) (web.None, error) {
	return func(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
		c, err := s.cacheOf(ctx, r.Project, r.Param("cacheId"))
		if err != nil {
			return web.None{}, err
		}
		if err := s.tidyCaches(ctx, r.Project.ID); err != nil {
			return web.None{}, err
		}
		run, err := s.Store.LastCacheRun(ctx, c.ID, "")
		if err == nil && run.Mode == mode && run.Status == states.Running {
			run.Status = states.Cancelled
			err = s.Store.EndCacheRun(ctx, run, "the refresh was cancelled")
			if err == nil {
				return web.None{}, nil
			}
		} else if err == nil {
			err = store.ErrNotFound
		}
		if errors.Is(err, store.ErrNotFound) {
			err = fault.Cache(404, "", "no %s refresh of this cache is running", map[string]string{states.Full: "full",
				states.Incremental: "incremental"}[mode])
		}
		return web.None{}, err
	}
}

func (s *Service) listCacheExecutions(ctx context.Context, r *web.Request[web.None]) ([]api.CacheExecutionInfo, error) {
	c, err := s.cacheOf(ctx, r.Project, r.Param("cacheId"))
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
	if err := s.tidyCaches(ctx, r.Project.ID); err != nil {
		return nil, err
	}
	runs, err := s.Store.CacheRuns(ctx, c.ID, min(limit, 1000), offset)
	return each.Map(runs, runOut), err
}

func (s *Service) getCacheStatus(ctx context.Context, r *web.Request[web.None]) (api.CacheStatus, error) {
	c, err := s.cacheOf(ctx, r.Project, r.Param("cacheId"))
	if err != nil {
		return api.CacheStatus{}, err
	}
	bare, err := r.Bool("excludeLogs", false)
	if err != nil {
		return api.CacheStatus{}, err
	}
	if err := s.tidyCaches(ctx, r.Project.ID); err != nil {
		return api.CacheStatus{}, err
	}
	out, err := s.cacheStatus(ctx, c)
	if err != nil || bare {
		return out, err
	}
	logs, err := s.Store.CacheLogs(ctx, c.ID, 100)
	out.CacheActionLogs = each.Map(logs, func(l store.CacheLog) api.CacheActionLog {
		return api.CacheActionLog{Timestamp: l.At, Action: l.Action, Message: l.Message, CacheType: l.CacheType,
			IsScheduled: l.Scheduled}
	})
	return out, err
}

// listCacheStatuses lists the caches of a project, of a catalog or of a schema, without their logs.
func (s *Service) listCacheStatuses(ctx context.Context, r *web.Request[web.None]) ([]api.CacheStatus, error) {
	if id, schema := r.Param("catalogId"), r.Param("schemaName"); id != "" {
		var err error
		if schema != "" {
			_, err = s.Catalogs.Schema(ctx, r.Project, id, schema)
		} else {
			_, err = s.Names.Catalog(ctx, r.Project, id)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.tidyCaches(ctx, r.Project.ID); err != nil {
		return nil, err
	}
	all, err := s.Store.Caches(ctx, r.Project.ID, r.Param("catalogId"), r.Param("schemaName"))
	if err != nil {
		return nil, err
	}
	out := make([]api.CacheStatus, len(all))
	for i, c := range all {
		if out[i], err = s.cacheStatus(ctx, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cacheStatus reads both slots; the newer one is the state of the cache.
func (s *Service) cacheStatus(ctx context.Context, c store.Cache) (api.CacheStatus, error) {
	out := api.CacheStatus{ID: c.ID, Status: "NOT_INITIALIZED", CatalogID: c.CatalogID, SchemaName: c.SchemaName,
		TableName: c.TableName, ProjectID: c.ProjectID, NextRefreshTime: c.Due()}
	if c.Stored != nil {
		run, err := s.Store.CacheRunByID(ctx, *c.Stored)
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
	}{{states.Incremental, &out.LastIncrementalCacheExecution}, {states.Full, &out.LastFullRefreshCacheExecution}} {
		run, err := s.Store.LastCacheRun(ctx, c.ID, slot.mode)
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
	out := api.Cache{ID: c.ID, CatalogID: c.CatalogID, SchemaName: c.SchemaName, TableName: c.TableName,
		ProjectID:                c.ProjectID,
		IncrementalCacheSchedule: schedule(c.Incremental), FullRefreshCacheSchedule: schedule(c.Full)}
	if len(c.Tracking.Key) > 0 {
		out.ChangeTracking = &api.CacheTracking{KeyColumns: c.Tracking.Key, UpdatedAtColumn: c.Tracking.Updated,
			InsertOnly: c.Tracking.InsertOnly}
	}
	return out
}

func runOut(r store.CacheRun) api.CacheExecutionInfo {
	out := api.CacheExecutionInfo{ID: r.ID, ExecutionMode: r.Mode, Status: r.Status, CreatedAt: r.CreatedAt,
		UpdatedAt: r.UpdatedAt, FinishedAt: r.FinishedAt,
		Progress: &api.CacheExecutionProgress{NumberOfCachedRecords: r.Inserted + r.Updated,
			NumberOfInsertedRecords: r.Inserted, NumberOfUpdatedRecords: r.Updated, NumberOfDeletedRecords: r.Deleted}}
	if r.Error != "" {
		raw, _ := api.Marshal(r.Error) // a string always marshals
		out.Error = map[string]json.RawMessage{"message": raw}
	}
	return out
}

// tableCacheState also works for a cached table with an unreachable source.
func (s *Service) tableCacheState(ctx context.Context, r *web.Request[web.None]) (api.TableCacheResult, error) {
	ok, err := s.Store.IsCached(ctx, r.Project.ID, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	if err != nil {
		return api.TableCacheResult{}, err
	}
	if ok {
		return api.TableCacheResult{SupportedCacheTypes: []string{states.Full, states.Incremental}, IsCached: true,
			IsCacheable: true}, nil
	}
	_, t, err := s.Catalogs.Table(ctx, r.Project, r.Param("catalogId"), r.Param("schemaName"), r.Param("tableName"))
	return api.TableCacheResult{SupportedCacheTypes: t.SupportedCacheTypes, IsCached: t.IsCached,
		IsCacheable: t.IsCacheable}, err
}

// MarkCached sets the flag of tables that queries read from a cache.
func (s *Service) MarkCached(ctx context.Context, p store.Project, tables []api.Table) error {
	for i, t := range tables {
		if !t.IsCacheable {
			continue
		}
		var err error
		if tables[i].IsCached, err = s.Store.IsCached(ctx, p.ID, t.CatalogID, t.SchemaName, t.TableName); err != nil {
			return err
		}
	}
	return nil
}
