package caches

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/names"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// tidyCaches corrects the records of the refreshes of a project. It records the end of runs of terminated processes,
// and of runs of this process that could not be recorded when they ended. It accesses no rows, so it never waits for a
// project.
func (s *Service) tidyCaches(ctx context.Context, project string) error {
	open, err := s.Store.OpenCacheRuns(ctx, project)
	if err != nil {
		return err
	}
	for _, run := range open {
		if s.Jobs.Alive(run.Runner) {
			if err := s.Jobs.Recorded(ctx, "cache "+run.CacheID); err != nil {
				return err
			}
			continue
		}
		run.Status, run.Error = states.Failed, jobs.Crashed
		if err := s.Store.EndCacheRun(ctx, run, jobs.Crashed); errors.Is(err, store.ErrNotFound) {
			continue
		} else if err != nil {
			return err
		}
		s.Jobs.Ended(jobs.JobCache, project, run.CacheID, run.Status, run.Error, 0, "mode", run.Mode,
			"scheduled", run.Scheduled)
	}
	return nil
}

// dropFreeTables drops the stored tables of a project that have been unused for a while, unless that is being done: the
// engine refuses to drop a table twice at once.
func (s *Service) dropFreeTables(ctx context.Context, project string) {
	first := false
	_ = s.tidying.Add(project, 1, func(now int) error { first = now == 1; return nil })
	defer func() { _ = s.tidying.Add(project, -1, func(int) error { return nil }) }()
	if !first {
		return
	}
	free, err := s.Store.FreeCacheTables(ctx, project, s.Now().Add(-cacheGrace))
	if err != nil {
		s.Log.Warn("replaced cache tables could not be listed", "project", project, "error", err.Error())
	}
	for _, t := range free {
		if !s.dropCacheTable(ctx, t) {
			return // the others would wait as long as this one did
		}
	}
}

// dropAllFree drops such tables of all projects, each separately: a project that another process has locked delays only
// itself.
func (s *Service) dropAllFree(ctx context.Context) error {
	free, err := s.Store.FreeCacheTables(ctx, "", s.Now().Add(-cacheGrace))
	if err != nil {
		return err
	}
	begun := map[string]bool{}
	for _, t := range free {
		if begun[t.ProjectID] {
			continue
		}
		begun[t.ProjectID] = true
		s.Jobs.Beside(func(ctx context.Context) {
			if err := jobs.Caught(func() error { s.dropFreeTables(ctx, t.ProjectID); return nil }); err != nil {
				s.Log.Error("dropping replaced cache tables", "project", t.ProjectID, "error", err.Error())
			}
		})
	}
	return nil
}

// dropCacheTable drops a stored table. If that is impossible now it is retried later.
func (s *Service) dropCacheTable(ctx context.Context, t store.CacheTable) bool {
	if _, err := s.Store.Project(ctx, "", t.ProjectID); err != nil {
		return true // its rows were deleted with the project
	}
	data, err := s.Engine.Project(ctx, t.ProjectID)
	if err == nil {
		s.dropScratch(ctx, data, t.ID)
		err = data.DropStored(ctx, names.CacheSchema, t.ID)
	}
	if err == nil {
		err = s.Store.ForgetCacheTable(ctx, t.ID)
	}
	if err != nil {
		s.Log.Warn("a replaced cache table could not be dropped yet", "table", t.ID, "error", err.Error())
	}
	return err == nil
}

// DropCaches removes the caches of deleted catalogs.
func (s *Service) DropCaches(ctx context.Context) error {
	orphans, err := s.Store.OrphanCaches(ctx)
	if err != nil {
		return err
	}
	for _, c := range orphans {
		if err := s.Store.DeleteCache(ctx, c.ProjectID, c.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}
