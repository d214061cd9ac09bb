package gateway

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/store"
)

// tidyCaches makes what is on record about the refreshes of a project true: those whose process died are ended, and so are those of
// this process that have ended. It touches no rows, so that it never waits for a project.
func (g *cachesService) tidyCaches(ctx context.Context, project string) error {
	open, err := g.store.OpenCacheRuns(ctx, project)
	if err != nil {
		return err
	}
	for _, run := range open {
		if g.jobs.alive(run.Runner) {
			if err := g.jobs.recorded(ctx, "cache "+run.CacheID); err != nil {
				return err
			}
			continue
		}
		run.Status, run.Error = store.CacheFailed, crashed
		if err := g.store.EndCacheRun(ctx, run, crashed); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// dropFreeTables drops the stored tables of a project that nothing has needed for a while.
func (g *cachesService) dropFreeTables(ctx context.Context, project string) {
	free, err := g.store.FreeCacheTables(ctx, project, g.now().Add(-cacheGrace))
	if err != nil {
		g.log.Warn("replaced cache tables could not be listed", "project", project, "error", err.Error())
	}
	for _, t := range free {
		if !g.dropCacheTable(ctx, t) {
			return // the others would wait as long as this one did
		}
	}
}

// dropAllFree drops such tables of all projects, each for itself: one that another process holds keeps only itself waiting.
func (g *cachesService) dropAllFree(ctx context.Context) error {
	free, err := g.store.FreeCacheTables(ctx, "", g.now().Add(-cacheGrace))
	if err != nil {
		return err
	}
	begun := map[string]bool{}
	for _, t := range free {
		if begun[t.ProjectID] {
			continue
		}
		begun[t.ProjectID] = true
		first := false
		_ = g.tidying.add(t.ProjectID, 1, func(now int) error { first = now == 1; return nil })
		done := func() { _ = g.tidying.add(t.ProjectID, -1, func(int) error { return nil }) }
		if !first {
			done()
			continue
		}
		g.jobs.beside(func(ctx context.Context) {
			defer done()
			if err := caught(func() error { g.dropFreeTables(ctx, t.ProjectID); return nil }); err != nil {
				g.log.Error("dropping replaced cache tables", "project", t.ProjectID, "error", err.Error())
			}
		})
	}
	return nil
}

// dropCacheTable drops a stored table. One that cannot be dropped now is dropped later.
func (g *cachesService) dropCacheTable(ctx context.Context, t store.CacheTable) bool {
	if _, err := g.store.Project(ctx, "", t.ProjectID); err != nil {
		return true // its rows went with the project
	}
	data, err := g.engine.Project(ctx, t.ProjectID)
	if err == nil {
		g.dropScratch(ctx, data, t.ID)
		err = data.DropStored(ctx, cacheSchema, t.ID)
	}
	if err == nil {
		err = g.store.ForgetCacheTable(ctx, t.ID)
	}
	if err != nil {
		g.log.Warn("a replaced cache table could not be dropped yet", "table", t.ID, "error", err.Error())
	}
	return err == nil
}

// dropCaches removes the caches of catalogs that are gone.
func (g *cachesService) dropCaches(ctx context.Context) error {
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
