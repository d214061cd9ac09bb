package gateway

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// cacheSchedule checks a schedule and says when it first falls due; nil is none.
func (g *cachesService) cacheSchedule(field string, in *api.CacheSchedule) (store.CacheSchedule, error) {
	if in == nil {
		return store.CacheSchedule{Type: "NONE"}, nil
	}
	switch typ := strings.ToUpper(in.Type); typ {
	case "NONE":
		if in.Expression != nil && *in.Expression != "" {
			return store.CacheSchedule{}, cacheFault(400, "", "%s.expression: a schedule of type NONE has none", field)
		}
		return store.CacheSchedule{Type: typ}, nil
	case "BASIC":
		if in.Expression == nil || *in.Expression == "" {
			return store.CacheSchedule{}, cacheFault(400, "", "%s.expression: a schedule of type BASIC needs an ISO 8601 duration such as PT1H", field)
		}
		period, err := ParsePeriod(*in.Expression)
		if err != nil {
			return store.CacheSchedule{}, cacheFault(400, "", "%s.expression: %v", field, err)
		}
		now := g.now()
		anchor, due := store.Time(now), store.Time(period.times(now, 1))
		return store.CacheSchedule{Type: typ, Expr: in.Expression, Due: &due, Anchor: &anchor}, nil
	}
	return store.CacheSchedule{}, cacheFault(400, "", "%s.type: %q is neither BASIC nor NONE", field, in.Type)
}

// cacheTimetable reads a stored schedule; nil for one that never falls due.
func cacheTimetable(s store.CacheSchedule) (Timetable, error) {
	if s.Due == nil || s.Expr == nil || s.Anchor == nil {
		return nil, nil
	}
	anchor, bad := time.Parse(time.RFC3339, *s.Anchor)
	period, err := ParsePeriod(*s.Expr)
	if err = errors.Join(bad, err); err != nil {
		return nil, err
	}
	return everyFrom{anchor, period}, nil
}

// refreshCachesDue starts what the schedules ask for, once for a time that passed while no gateway served. A full refresh does
// what an incremental one does, so of two that are due together the full one runs.
func (g *cachesService) refreshCachesDue(ctx context.Context, now time.Time) error {
	if err := errors.Join(g.tidyCaches(ctx, ""), g.dropAllFree(ctx)); err != nil {
		return err
	}
	due, err := g.store.DueCaches(ctx, now)
	if err != nil {
		return err
	}
	for _, c := range due {
		last, err := g.store.CacheRuns(ctx, c.ID, 1, 0)
		if err != nil {
			return err
		}
		if len(last) > 0 && resting(last[0].CreatedAt, last[0].Error, now) {
			continue
		}
		mode := ""
		for _, s := range []struct {
			mode string
			store.CacheSchedule
		}{{store.CacheIncremental, c.Incremental}, {store.CacheFull, c.Full}} {
			t, err := cacheTimetable(s.CacheSchedule)
			if err != nil {
				return err
			}
			if t == nil || *s.Due > store.Time(now) {
				continue
			}
			err = g.store.MoveCacheDue(ctx, c.ID, s.mode, *s.Due, store.Time(t.Next(now)))
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			mode = s.mode
		}
		if mode == "" {
			continue
		}
		p, err := g.store.Project(ctx, "", c.ProjectID)
		if err == nil {
			err = g.startCacheRun(ctx, p, c, mode, true)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return nil
}
