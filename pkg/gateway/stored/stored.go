// Package stored removes the rows of runs to which nothing refers any more.
package stored

import (
	"context"
	"errors"
	"log/slog"
	"slices"
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
}

// Watch has a serving gateway remove free results.
func (s *Service) Watch() {
	s.Jobs.OnTick(jobs.Duty{Name: "stored results", Ends: true,
		Run: func(ctx context.Context, _ time.Time) error { return s.dropAllFree(ctx) }})
}

// grace is how long replaced rows are kept. A statement that has begun keeps them anyway, and one that finds them gone
// is read again; this only makes that rare.
const grace = 5 * time.Second

// Drop removes the rows of a run that has ended, unless they are current. If that is impossible now it is tried again
// later.
func (s *Service) Drop(ctx context.Context, r store.Result) bool {
	err := s.drop(ctx, r)
	if err != nil {
		s.Log.Warn("replaced rows could not be removed yet", "run", r.ID, "error", err.Error())
	}
	return err == nil
}

func (s *Service) drop(ctx context.Context, r store.Result) error {
	if current, err := s.Store.IsCurrent(ctx, r.ID); err != nil || current {
		return err
	}
	if _, err := s.Store.Project(ctx, "", r.ProjectID); errors.Is(err, store.ErrNotFound) {
		return nil // its rows were deleted with the project
	} else if err != nil {
		return err
	}
	data, err := s.Engine.Project(ctx, r.ProjectID)
	if err != nil {
		return err
	}
	if r.Kind == store.ResultOfCache {
		s.DropScratch(ctx, data, r.ID)
	}
	if err := data.DropStored(ctx, r.Kind, r.ID); err != nil {
		return err
	}
	return s.Store.ForgetResult(ctx, r.ID)
}

// ended are the results whose runs store nothing more.
func (s *Service) ended(all []store.Result) []store.Result {
	return slices.DeleteFunc(all, func(r store.Result) bool { return r.Runner != "" && s.Jobs.Alive(r.Runner) })
}

// DropOf removes the free results of a cache or a query. Those of a run that has not ended are removed at its end.
func (s *Service) DropOf(ctx context.Context, owner string) {
	free, err := s.Store.FreeResultsOf(ctx, owner)
	if err != nil {
		s.Log.Warn("replaced rows could not be listed", "owner", owner, "error", err.Error())
	}
	for _, r := range s.ended(free) {
		s.Drop(ctx, r)
	}
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
	lock, err := s.Jobs.TryLock(ctx, "free results "+project)
	if err != nil {
		s.Log.Warn("replaced rows could not be removed yet", "project", project, "error", err.Error())
	}
	if lock == nil {
		return
	}
	defer lock.Unlock()
	free, err := s.Store.FreeResults(ctx, project, s.Now().Add(-grace))
	if err != nil {
		s.Log.Warn("replaced rows could not be listed", "project", project, "error", err.Error())
	}
	for _, r := range s.ended(free) {
		if !s.Drop(ctx, r) {
			return // the others would wait as long as this one did
		}
	}
}

// dropAllFree does so for all projects, each separately: a project that another process has locked delays only itself.
func (s *Service) dropAllFree(ctx context.Context) error {
	projects, err := s.Store.ProjectsWithFree(ctx, s.Now().Add(-grace))
	for _, p := range projects {
		s.Jobs.Beside(func(ctx context.Context) {
			if err := jobs.Caught(func() error { s.DropFree(ctx, p); return nil }); err != nil {
				s.Log.Error("removing replaced rows", "project", p, "error", err.Error())
			}
		})
	}
	return err
}
