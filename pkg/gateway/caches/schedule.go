package caches

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Types of schedules [O].
const (
	scheduleNone  = "NONE"
	scheduleBasic = "BASIC"
)

// cacheSchedule checks a schedule and returns when it is first due; nil is none.
func (s *Service) cacheSchedule(field string, in *api.CacheSchedule) (store.CacheSchedule, error) {
	if in == nil {
		return store.CacheSchedule{Type: scheduleNone}, nil
	}
	typ := strings.ToUpper(in.Type)
	if typ == "" && in.Expression != nil && *in.Expression != "" {
		typ = scheduleBasic
	}
	switch typ {
	case scheduleNone:
		if in.Expression != nil && *in.Expression != "" {
			return store.CacheSchedule{}, fault.Cache(400, "", "%s.expression: a schedule of type NONE has none", field)
		}
		return store.CacheSchedule{Type: typ}, nil
	case scheduleBasic:
		if in.Expression == nil || *in.Expression == "" {
			return store.CacheSchedule{}, fault.Cache(400, "",
				"%s.expression: a schedule of type BASIC requires an ISO 8601 duration such as PT1H", field)
		}
		period, err := schedule.ParsePeriod(*in.Expression)
		if err != nil {
			return store.CacheSchedule{}, fault.Cache(400, "", "%s.expression: %v", field, err)
		}
		now := s.Now()
		anchor, due := store.Time(now), store.Time(period.Times(now, 1))
		return store.CacheSchedule{Type: typ, Expr: in.Expression, Due: &due, Anchor: &anchor}, nil
	}
	return store.CacheSchedule{}, fault.Cache(400, "", "%s.type: %q is neither BASIC nor NONE", field, in.Type)
}

// cacheTimetable parses a stored schedule; nil for one that is never due.
func cacheTimetable(s store.CacheSchedule) (schedule.Timetable, error) {
	if s.Due == nil || s.Expr == nil || s.Anchor == nil {
		return nil, nil
	}
	anchor, bad := time.Parse(time.RFC3339, *s.Anchor)
	period, err := schedule.ParsePeriod(*s.Expr)
	if err = errors.Join(bad, err); err != nil {
		return nil, err
	}
	return schedule.EveryFrom{Anchor: anchor, Period: period}, nil
}

// RefreshCachesDue starts the refreshes that are due, once for all times missed while no gateway was serving. A full
// refresh includes an incremental one, so if both are due the full one runs.
func (s *Service) RefreshCachesDue(ctx context.Context, now time.Time) error {
	if err := s.tidyCaches(ctx, ""); err != nil {
		return err
	}
	due, err := s.Store.DueCaches(ctx, now)
	if err != nil {
		return err
	}
	for _, c := range jobs.InTurn(s.Jobs, due, func(c store.Cache) string { return c.ProjectID }) {
		last, err := s.Store.CacheRuns(ctx, c.ID, 1, 0)
		if err != nil {
			return err
		}
		if len(last) > 0 && jobs.Resting(last[0].CreatedAt, last[0].Error, now) {
			continue
		}
		ended, ok := s.Jobs.Turn(jobs.JobCache, c.ProjectID)
		if !ok {
			continue
		}
		if err := s.refreshDue(ctx, c, now, ended); err != nil {
			return err
		}
	}
	return nil
}

// refreshDue starts the refresh of a cache that is due, if it still is.
func (s *Service) refreshDue(ctx context.Context, c store.Cache, now time.Time, ended func()) error {
	started := false
	defer func() {
		if !started {
			ended()
		}
	}()
	mode := ""
	for _, value := range []struct {
		mode string
		store.CacheSchedule
	}{{states.Incremental, c.Incremental}, {states.Full, c.Full}} {
		t, err := cacheTimetable(value.CacheSchedule)
		if err != nil {
			return err
		}
		if t == nil || *value.Due > store.Time(now) {
			continue
		}
		err = s.Store.MoveCacheDue(ctx, c.ID, value.mode, *value.Due, store.Time(t.Next(now)))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		mode = value.mode
	}
	if mode == "" {
		return nil
	}
	p, err := s.Store.Project(ctx, "", c.ProjectID)
	if err == nil {
		err = s.startCacheRun(ctx, p, c, mode, true, ended)
		started = err == nil
	}
	if errors.Is(err, store.ErrConflict) {
		s.Log.Warn("a scheduled refresh is left out: the previous one still runs", "project", c.ProjectID, "id", c.ID,
			"name", c.SchemaName+"."+c.TableName, "mode", mode)
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

func (s *Service) cachesFollow(ctx context.Context, now time.Time) error {
	all, err := s.Store.ScheduledCaches(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		for mode, cacheSchedule := range map[string]store.CacheSchedule{states.Incremental: c.Incremental,
			states.Full: c.Full} {
			t, err := cacheTimetable(cacheSchedule)
			if err != nil || t == nil {
				continue
			}
			if next := jobs.PutForward(t, *cacheSchedule.Due, now); next != nil {
				s.Log.Warn("the clock was set back: a schedule is moved", "cache", c.ID, "mode", mode, "from",
					*cacheSchedule.Due, "to", *next)
				if err := s.Store.MoveCacheDue(ctx, c.ID, mode, *cacheSchedule.Due, *next); err != nil &&
					!errors.Is(err, store.ErrNotFound) {
					return err
				}
			}
		}
	}
	return nil
}
