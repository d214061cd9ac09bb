package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/store"
)

// clockSlack is how far a clock may be put back before schedules follow it; within it nothing runs twice.
const clockSlack = time.Minute

// putForward is when a schedule falls due, where the time on record is later than any that could have been computed now: it was
// computed by a clock that was ahead and has been put back. Nil where it stands.
func putForward(t Timetable, due string, now time.Time) *string {
	if due <= store.Time(t.Next(now.Add(clockSlack))) {
		return nil
	}
	next := t.Next(now)
	if next.IsZero() {
		return nil
	}
	return new(store.Time(next))
}

// followClock is a duty that moves schedules which wait for a time that the clock told before it was put back, so that they go on
// within one period. It calls move once a minute, and when it sees the clock go back.
func followClock(move func(context.Context, time.Time) error) duty {
	var last time.Time
	return duty{"schedules after the clock was put back", func(ctx context.Context, now time.Time) error {
		now = now.Round(0) // by the clock on the wall
		if !now.Before(last) && now.Sub(last) < time.Minute {
			return nil
		}
		last = now
		return move(ctx, now)
	}}
}

func (g *queriesService) materializedFollow(ctx context.Context, now time.Time) error {
	all, err := g.store.Scheduled(ctx)
	if err != nil {
		return err
	}
	for _, q := range all {
		s := q.Materialized.Schedule
		t, err := timetable(s)
		if err != nil || t == nil {
			continue
		}
		if next := putForward(t, *s.Next, now); next != nil {
			g.log.Warn("the clock was put back: a schedule is moved", "query", q.ID, "from", *s.Next, "to", *next)
			if err := g.store.Reschedule(ctx, q.ID, *s.Next, next); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}

func (g *cachesService) cachesFollow(ctx context.Context, now time.Time) error {
	all, err := g.store.ScheduledCaches(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		for mode, s := range map[string]store.CacheSchedule{store.CacheIncremental: c.Incremental, store.CacheFull: c.Full} {
			t, err := cacheTimetable(s)
			if err != nil || t == nil {
				continue
			}
			if next := putForward(t, *s.Due, now); next != nil {
				g.log.Warn("the clock was put back: a schedule is moved", "cache", c.ID, "mode", mode, "from", *s.Due, "to", *next)
				if err := g.store.MoveCacheDue(ctx, c.ID, mode, *s.Due, *next); err != nil && !errors.Is(err, store.ErrNotFound) {
					return err
				}
			}
		}
	}
	return nil
}
