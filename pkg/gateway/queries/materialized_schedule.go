package queries

import (
	"context"
	"errors"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

func scheduleOut(s store.Schedule) *api.MaterializedQuerySchedule {
	return &api.MaterializedQuerySchedule{Type: s.Type, CronExpression: s.Cron, RepeatDuration: s.Duration,
		Timezone: s.Timezone}
}

// newSchedule checks a schedule and computes when it is first due. The hosted service accepts an invalid one and
// ignores it [L]; here it is rejected, with the name of the field.
func (s *Service) newSchedule(in api.MaterializedQuerySchedule) (store.Schedule, error) {
	now := s.Now()
	schedule, err := scheduleOf(in, now)
	if err != nil {
		return schedule, err
	}
	schedule.Next = nextTime(schedule, now)
	return schedule, nil
}

func scheduleOf(in api.MaterializedQuerySchedule, now time.Time) (store.Schedule, error) {
	in, err := schedule.OfQuery(in)
	if err != nil {
		return store.Schedule{}, fault.Data(400, "%v", err)
	}
	return store.Schedule{Type: in.Type, Anchor: store.Time(now), Duration: in.RepeatDuration, Cron: in.CronExpression,
		Timezone: in.Timezone}, nil
}

// timetable parses a stored schedule; nil for one that is never due.
func timetable(s store.Schedule) (schedule.Timetable, error) {
	switch s.Type {
	case schedule.Interval:
		p, err := schedule.ParsePeriod(*s.Duration)
		if err != nil {
			return nil, err
		}
		anchor, err := time.Parse(time.RFC3339, s.Anchor)
		return schedule.EveryFrom{Anchor: anchor, Period: p}, err
	case schedule.Cron:
		loc, err := schedule.ParseZone(*s.Timezone)
		if err != nil {
			return nil, err
		}
		return schedule.ParseCron(*s.Cron, loc)
	}
	return nil, nil
}

// nextTime returns when a schedule is next due after now; nil if it is not, or cannot be computed [S].
func nextTime(s store.Schedule, now time.Time) *string {
	t, err := timetable(s)
	if err != nil || t == nil {
		return nil
	}
	next := t.Next(now)
	if next.IsZero() {
		return nil
	}
	out := store.Time(next)
	return &out
}

func (s *Service) materializedFollow(ctx context.Context, now time.Time) error {
	all, err := s.Store.Scheduled(ctx)
	if err != nil {
		return err
	}
	for _, q := range all {
		schedule := q.Materialized.Schedule
		t, err := timetable(schedule)
		if err != nil || t == nil {
			continue
		}
		if next := jobs.PutForward(t, *schedule.Next, now); next != nil {
			s.Log.Warn("the clock was set back: a schedule is moved", "query", q.ID, "from", *schedule.Next, "to",
				*next)
			if err := s.Store.Reschedule(ctx, q.ID, *schedule.Next, next); err != nil &&
				!errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}
