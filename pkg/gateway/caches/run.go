package caches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/merge"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

const (
	cacheNames = "cache source" // catalog with names that only a refresh can use
)

// StartCacheRun records a refresh and starts it. ErrConflict means that one is running.
func (s *Service) StartCacheRun(ctx context.Context, p store.Project, c store.Cache, mode string,
	scheduled bool) error {
	return s.startCacheRun(ctx, p, c, mode, scheduled, func() {})
}

// startCacheRun calls ended at the end of the refresh, if it was started.
func (s *Service) startCacheRun(ctx context.Context, p store.Project, c store.Cache, mode string, scheduled bool,
	ended func()) error {
	runner, err := s.Jobs.Runner()
	if err != nil {
		return err
	}
	run, err := s.Store.StartCacheRun(ctx, c.ID, mode, runner, scheduled)
	if err != nil {
		return err
	}
	s.Jobs.Background(jobs.JobCache, func(ctx context.Context) {
		defer ended()
		if hook := s.Stick; hook == nil || !hook(ctx, c.TableName) {
			s.runCache(ctx, p, c, run)
		}
	})
	return nil
}

// runCache runs one refresh to its end and records the result.
func (s *Service) runCache(ctx context.Context, p store.Project, c store.Cache, run store.CacheRun) {
	keep := context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, jobs.CacheTimeout)
	defer cancel()
	began := s.Now()
	run.Status, run.Error = states.Failed, "the refresh was aborted"
	message := run.Error
	defer func() { // also if the engine panics
		err := s.Jobs.Record("cache "+c.ID, func(ctx context.Context) error {
			return s.Store.EndCacheRun(ctx,
				run, message)
		})
		ended := run
		if errors.Is(err, store.ErrNotFound) {
			ended.Status, ended.Error = states.Cancelled, ""
		}
		s.Jobs.Ended(s.endOf(keep, p.ID, ended, s.Now().Sub(began)))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			s.Log.Error("cannot record the end of a cache refresh", "cache", c.ID, "error", err.Error())
			return
		}
		if err != nil || run.Status != states.Completed { // failed, cancelled, or its cache was deleted
			s.Results.Drop(keep, store.Result{ID: run.ID, ProjectID: p.ID, Kind: store.ResultOfCache})
		}
		s.Results.DropFree(keep, p.ID)
	}()
	beats := 0
	stop := s.Jobs.Watch(ctx, cancel, func() bool {
		beats++
		wanted, err := s.Store.CacheRunWanted(keep, run.ID, beats%25 == 0)
		return err == nil && !wanted
	})
	defer stop()
	read, err := s.refreshCache(ctx, p, c, &run)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("the refresh took longer than %v", jobs.CacheTimeout)
		}
		run.Error = s.Jobs.Reason(err)
		message = run.Error
		return
	}
	run.Status, run.Error = states.Completed, ""
	message = fmt.Sprintf("%d rows cached: %d inserted, %d updated, %d deleted; %d rows were read", run.Cached,
		run.Inserted, run.Updated, run.Deleted, read)
}

// endOf describes the end of a refresh.
func (s *Service) endOf(ctx context.Context, project string, run store.CacheRun, took time.Duration) jobs.End {
	e := jobs.End{Kind: jobs.JobCache, Project: project, Object: run.CacheID, Mode: run.Mode, Status: run.Status,
		Reason: run.Error, Took: took, Rows: -1, Scheduled: run.Scheduled}
	if run.Status == states.Completed {
		e.Rows = run.Cached
	}
	c, err := s.Store.Cache(ctx, project, run.CacheID)
	if err != nil { // deleted
		return e
	}
	e.Name = c.SchemaName + "." + c.TableName
	if p, err := s.Store.Project(ctx, "", project); err == nil {
		if cat, err := s.Names.Catalog(ctx, p, c.CatalogID); err == nil {
			e.Name = cat.Name + "." + e.Name
		}
	}
	return e
}

// refreshCache stores the rows of the source in the run's own table and counts the changes. The cache reads its old
// table until the run is recorded as complete.
func (s *Service) refreshCache(ctx context.Context, p store.Project, c store.Cache,
	run *store.CacheRun) (read int64, err error) {
	data, err := s.Engine.Project(ctx, p.ID)
	if err != nil {
		return 0, err
	}
	cat, err := s.Names.Catalog(ctx, p, c.CatalogID)
	if err != nil {
		return 0, err
	}
	if c, err = s.Store.Cache(ctx, p.ID, c.ID); err != nil { // the previous run may have ended since it was read
		return 0, err
	}
	if c.Stored != nil {
		// Lost rows, such as after an older data file was put in place, are no base: all are read then.
		_, err := data.BaseTable(ctx, engine.TableName{Schema: store.ResultOfCache, Table: *c.Stored})
		var lost *engine.Error
		if errors.As(err, &lost) && lost.Kind == engine.KindUnknownTable {
			c.Stored = nil
		} else if err != nil {
			return 0, err
		}
	}
	lookup := sourceNames{s.Names.Resolver(p), engine.TableName{Catalog: cat.Name, Schema: c.SchemaName,
		Table: c.TableName}}
	lookup.Live = true
	key := c.Tracking.Key
	if run.Mode == states.Incremental && c.Stored != nil && (c.Tracking.Updated != "" || c.Tracking.InsertOnly) {
		defer s.Results.DropScratch(context.WithoutCancel(ctx), data, run.ID)
		m := merge.Job{Schema: store.ResultOfCache, Into: run.ID, Old: *c.Stored, Key: key, Updated: c.Tracking.Updated,
			From: lookup.live(), Catalogs: lookup}
		if got, done, err := merge.Merge(ctx, data, m); done || err != nil {
			run.Cached, run.Inserted, run.Updated, run.Deleted = got.Rows, got.Inserted, got.Updated, got.Deleted
			return got.Read, keyFault(err, key, lookup.real)
		}
	}
	if run.Cached, err = sql.Store(ctx, data, store.ResultOfCache, run.ID,
		sql.Query{Ask: sql.Rows{Table: lookup.live()},
			Catalogs: lookup}); err != nil {
		return 0, err
	}
	if run.Mode == states.Incremental && len(key) > 0 {
		if err := merge.CheckKey(ctx, data, store.ResultOfCache, run.ID, key); err != nil {
			return 0, keyFault(err, key, lookup.real)
		}
	}
	if c.Stored == nil {
		run.Inserted = run.Cached
		return run.Cached, nil
	}
	if run.Mode == states.Full { // every row was replaced
		run.Inserted = run.Cached
		run.Deleted, err = data.RowCount(ctx, store.ResultOfCache, *c.Stored)
		return run.Cached, err
	}
	diff, err := merge.Compare(ctx, data, merge.Comparison{Schema: store.ResultOfCache, Old: *c.Stored, New: run.ID,
		Key: key, Keys: keyNames(c.TableName)})
	run.Inserted, run.Updated, run.Deleted = diff.Inserted, diff.Updated, diff.Deleted
	return run.Cached, err
}
