package caches

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
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
		s.Jobs.Ended(s.endOf(ctx, project, run, 0))
	}
	return nil
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
