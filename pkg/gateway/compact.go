package gateway

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// What a served gateway gives back by itself, of what is free by so much and at least a quarter.
const (
	CompactFree = 32 << 20         // of the data file of a project
	tidyFree    = 1 << 20          // of the state file
	tidyQuiet   = 5 * time.Second  // without a call, before the state file is looked at
	tidyEvery   = time.Minute      // between two looks
	tidyRest    = 60 * time.Minute // after one that failed
)

// roomService gives back the room on the disk that is no longer needed.
type roomService struct {
	store    *store.Store
	engine   engine.Engine
	now      func() time.Time
	web      *webService
	jobs     *jobsService
	readOnly bool
	next     time.Time // when the state file is looked at again
}

// Routes registers the handler and the duty.
func (g *roomService) Routes(m *webService) {
	handleLocal(m, spec.CompactLocal, g.compact)
	g.jobs.onTick(duty{"state file", g.tidyState})
}

func (g *roomService) compact(ctx context.Context, r *Request[api.CompactRequest]) (api.Compaction, error) {
	out := api.Compaction{Files: []api.CompactedFile{}}
	c, ok := g.engine.(engine.Compacter)
	if !ok || g.readOnly {
		return out, notSupported(r.Op.ID, "data files that may be written")
	}
	if id := r.Body.ProjectID; id != "" {
		p, err := g.store.Project(ctx, "", id)
		if errors.Is(err, store.ErrNotFound) {
			err = dataFault(404, "there is no project with id: %s", id)
		}
		if err != nil {
			return out, err
		}
		f, err := compactProject(ctx, c, p)
		add(&out, f)
		return out, err
	}
	all, err := g.store.Projects(ctx, "")
	if err != nil {
		return out, err
	}
	for _, p := range all {
		f, err := compactProject(ctx, c, p)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if fault := faultOf(err); err != nil {
			f.Error, f.Status = &fault.Message, &fault.Status
		}
		add(&out, f)
	}
	f := api.CompactedFile{Holds: "state"}
	if f.BytesBefore, err = g.store.Size(); err == nil {
		if err = g.store.Compact(ctx); err == nil {
			f.BytesAfter, err = g.store.Size()
		}
	}
	add(&out, f)
	return out, err
}

func compactProject(ctx context.Context, c engine.Compacter, p store.Project) (api.CompactedFile, error) {
	n, err := c.Compact(ctx, p.ID)
	return api.CompactedFile{Holds: "project", ProjectID: &p.ID, ProjectName: &p.Name, BytesBefore: n.Before, BytesAfter: n.After}, err
}

func add(c *api.Compaction, f api.CompactedFile) {
	c.Files = append(c.Files, f)
	c.BytesBefore += f.BytesBefore
	c.BytesAfter += f.BytesAfter
}

// tellCompacted tells the log of a data file that was rewritten because nobody used it.
func tellCompacted(log *slog.Logger, project string, c engine.Compaction, err error) {
	if err != nil {
		log.Warn("a data file could not be rewritten to give its free room back", "project", project, "error", forLog(err.Error()))
		return
	}
	log.Info("rewrote a data file to give its free room back", "project", project, "before", c.Before, "after", c.After)
}

// called counts a call until the returned function is called.
func (g *webService) called() (end func()) {
	g.calls.Add(1)
	return func() {
		g.lastCall.Store(g.now().UnixNano())
		g.calls.Add(-1)
	}
}

// quiet reports whether no call goes on, and none did for a while.
func (g *webService) quiet(now time.Time) bool {
	return g.calls.Load() == 0 && now.Sub(time.Unix(0, g.lastCall.Load())).Abs() >= tidyQuiet
}

// tidyState gives back what is free in the state file while nobody calls.
func (g *roomService) tidyState(ctx context.Context, now time.Time) error {
	busy := func(now time.Time) bool { return !g.web.quiet(now) || g.jobs.left() > 0 }
	if now.Before(g.next) && g.next.Sub(now) <= tidyRest || busy(now) { // a clock may have been put back
		return nil
	}
	err := g.store.Tidy(ctx, tidyFree, func() bool { return busy(g.now()) })
	if g.next = now.Add(tidyEvery); err != nil {
		g.next = now.Add(tidyRest)
	}
	return err
}
