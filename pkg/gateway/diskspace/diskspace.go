// Package diskspace gives disk space back: it compacts the files of projects, on request and in the background.
package diskspace

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Thresholds for compaction by a served gateway, besides a quarter of the file.

const (
	CompactFree = 32 << 20         // of the data file of a project
	tidyFree    = 1 << 20          // of the state file
	tidyEvery   = time.Minute      // between two checks
	tidyRest    = 60 * time.Minute // after a failed one
)

// Service reclaims unused disk space.
type Service struct {
	Store    *store.Store
	Engine   engine.Engine
	Now      func() time.Time
	Web      *web.Mux
	Jobs     *jobs.Service
	ReadOnly bool
	Log      *slog.Logger
	tidying  atomic.Bool
	next     time.Time // when the state file is checked again
	fault    error     // why that failed the last time
}

// Routes registers the handler and the duty.
func (s *Service) Routes(m *web.Mux) {
	web.HandleLocal(m, spec.CompactLocal, s.compact)
	s.Jobs.OnTick(jobs.Duty{Name: "state file", Run: s.TidyState})
	if e, ok := s.Engine.(engine.Tidier); ok {
		s.Jobs.OnTick(jobs.Duty{Name: "tables", Every: time.Minute,
			Run: func(ctx context.Context, now time.Time) error { return s.TidyTables(ctx, e, now) }})
	}
}

func (s *Service) compact(ctx context.Context, r *web.Request[api.CompactRequest]) (api.Compaction, error) {
	out := api.Compaction{Files: []api.CompactedFile{}}
	c, ok := s.Engine.(engine.Compacter)
	if !ok || s.ReadOnly {
		return out, fault.NotSupported(r.Op.ID, "data files that may be written")
	}
	if id := r.Body.ProjectID; id != "" {
		p, err := s.Store.Project(ctx, "", id)
		if errors.Is(err, store.ErrNotFound) {
			err = fault.Data(404, "there is no project with id: %s", id)
		}
		if err != nil {
			return out, err
		}
		f, err := compactProject(ctx, c, p)
		add(&out, f)
		return out, err
	}
	all, err := s.Store.Projects(ctx, "")
	if err != nil {
		return out, err
	}
	for _, p := range all {
		f, err := compactProject(ctx, c, p)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if fault := fault.Of(err); err != nil {
			f.Error, f.Status = &fault.Message, &fault.Status
		}
		add(&out, f)
	}
	f := api.CompactedFile{Holds: "state"}
	if f.BytesBefore, err = s.Store.Size(); err == nil {
		if err = s.Store.Compact(ctx); err == nil {
			f.BytesAfter, err = s.Store.Size()
		}
	}
	add(&out, f)
	return out, err
}

func compactProject(ctx context.Context, c engine.Compacter, p store.Project) (api.CompactedFile, error) {
	n, err := c.Compact(ctx, p.ID)
	return api.CompactedFile{Holds: "project", ProjectID: &p.ID, ProjectName: &p.Name, BytesBefore: n.Before,
		BytesAfter: n.After}, err
}

// TidyTables compacts the next project whose turn it is. Another gateway that serves the same state does not.
func (s *Service) TidyTables(ctx context.Context, e engine.Tidier, now time.Time) error {
	if s.tidying.Swap(true) {
		return nil
	}
	all, err := s.Store.Projects(ctx, "")
	for _, p := range all {
		mine, err := s.Store.ClaimTidying(ctx, p.ID, now, now.Add(-e.Interval()))
		if err != nil {
			s.tidying.Store(false)
			return err
		}
		if mine {
			s.Jobs.Beside(func(ctx context.Context) {
				defer s.tidying.Store(false)
				c, err := e.Compact(ctx, p.ID)
				TellCompacted(s.Log, p.ID, c, err)
			})
			return nil
		}
	}
	s.tidying.Store(false)
	return err
}

func add(c *api.Compaction, f api.CompactedFile) {
	c.Files = append(c.Files, f)
	c.BytesBefore += f.BytesBefore
	c.BytesAfter += f.BytesAfter
}

// TellCompacted logs that an idle data file was compacted.
func TellCompacted(log *slog.Logger, project string, c engine.Compaction, err error) {
	if err != nil {
		log.Warn("cannot compact the rows of a project", "project", project, "error", web.ForLog(err.Error()))
		return
	}
	log.Info("compacted the rows of a project", "project", project, "before", c.Before, "after", c.After)
}

// TidyState compacts the state file while there are no calls.
func (s *Service) TidyState(ctx context.Context, now time.Time) error {
	busy := func(now time.Time) bool { return !s.Web.Quiet(now) || s.Jobs.Left() > 0 }
	if now.Before(s.next) && s.next.Sub(now) <= tidyRest || busy(now) { // the clock may have been set back
		return s.fault
	}
	s.fault = s.Store.Tidy(ctx, tidyFree, func() bool { return busy(s.Now()) })
	if s.next = now.Add(tidyEvery); s.fault != nil {
		s.next = now.Add(tidyRest)
	}
	return s.fault
}
