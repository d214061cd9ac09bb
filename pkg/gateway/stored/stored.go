// Package stored removes the rows of runs to which nothing refers any more.
package stored

import (
	"context"
	"log/slog"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/merge"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Service removes stored results. A run stores its rows under its own id, and the record of the run makes them current;
// replaced rows are kept for a while, for the statements that have begun to read them.
type Service struct {
	Store  *store.Store
	Engine engine.Engine
	Now    func() time.Time
	Log    *slog.Logger
	Jobs   *jobs.Service

	tidying jobs.Tally // by project: free results are being removed
}

// grace is how long replaced rows are kept. A statement that has begun keeps them anyway, and one that finds them gone
// is read again; this only makes that rare.
const grace = 5 * time.Second

// Drop removes the rows of a run. If that is impossible now it is tried again later.
func (s *Service) Drop(ctx context.Context, r store.Result) bool {
	if _, err := s.Store.Project(ctx, "", r.ProjectID); err != nil {
		return true // its rows were deleted with the project
	}
	data, err := s.Engine.Project(ctx, r.ProjectID)
	if err == nil && r.Kind == store.ResultOfCache {
		s.DropScratch(ctx, data, r.ID)
	}
	if err == nil {
		err = data.DropStored(ctx, r.Kind, r.ID)
	}
	if err == nil {
		err = s.Store.ForgetResult(ctx, r.ID)
	}
	if err != nil {
		s.Log.Warn("replaced rows could not be removed yet", "run", r.ID, "error", err.Error())
	}
	return err == nil
}

// DropScratch removes what the computation of a run's rows may have left.
func (s *Service) DropScratch(ctx context.Context, data engine.Project, run string) {
	if err := merge.DropScratch(ctx, data, store.ResultOfCache, run); err != nil {
		s.Log.Warn("tables of a cache refresh could not be dropped", "run", run, "error", err.Error())
	}
}

// DropFree removes the results of a project that have been free for a while, unless that is being done: the engine
// refuses to remove one twice at once.
func (s *Service) DropFree(ctx context.Context, project string) {
	first := false
	_ = s.tidying.Add(project, 1, func(now int) error { first = now == 1; return nil })
	defer func() { _ = s.tidying.Add(project, -1, func(int) error { return nil }) }()
	if !first {
		return
	}
	free, err := s.Store.FreeResults(ctx, project, s.Now().Add(-grace))
	if err != nil {
		s.Log.Warn("replaced rows could not be listed", "project", project, "error", err.Error())
	}
	for _, r := range free {
		if !s.Drop(ctx, r) {
			return // the others would wait as long as this one did
		}
	}
}

// DropAllFree does so for all projects, each separately: a project that another process has locked delays only itself.
func (s *Service) DropAllFree(ctx context.Context) error {
	free, err := s.Store.FreeResults(ctx, "", s.Now().Add(-grace))
	if err != nil {
		return err
	}
	begun := map[string]bool{}
	for _, r := range free {
		if begun[r.ProjectID] {
			continue
		}
		begun[r.ProjectID] = true
		s.Jobs.Beside(func(ctx context.Context) {
			if err := jobs.Caught(func() error { s.DropFree(ctx, r.ProjectID); return nil }); err != nil {
				s.Log.Error("removing replaced rows", "project", r.ProjectID, "error", err.Error())
			}
		})
	}
	return nil
}
