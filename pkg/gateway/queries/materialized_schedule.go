package queries

import (
	"context"
	"errors"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
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

// CheckSchedule returns what is wrong with the schedule of a materialized query, with the name of the field.
func CheckSchedule(in api.MaterializedQuerySchedule) error {
	_, err := scheduleOf(in, time.Unix(0, 0))
	return err
}

func scheduleOf(in api.MaterializedQuerySchedule, now time.Time) (store.Schedule, error) {
	given := func(s *string) bool { return s != nil && *s != "" }
	if in.Type == "" { // legacy form [D]
		switch {
		case given(in.CronExpression):
			in.Type = scheduleCron
		case given(in.RepeatDuration), given(in.Expression):
			in.Type = scheduleInterval
		}
	}
	out := store.Schedule{Type: in.Type, Anchor: store.Time(now)}
	if !given(in.RepeatDuration) && given(in.Expression) && in.Type == scheduleInterval {
		in.RepeatDuration, in.Expression = in.Expression, nil
	}
	foreign := func(field string, v *string, types string) error {
		if !given(v) {
			return nil
		}
		return fault.Data(400, "schedule.%s: belongs to a schedule of type %s, not %s", field, types, in.Type)
	}
	var faults []error
	switch in.Type {
	case scheduleNone:
		faults = []error{foreign("cronExpression", in.CronExpression, scheduleCron), foreign("repeatDuration",
			in.RepeatDuration, scheduleInterval), foreign("timezone", in.Timezone, scheduleCron)}
	case scheduleInterval:
		faults = []error{foreign("cronExpression", in.CronExpression, scheduleCron),
			foreign("timezone", in.Timezone, scheduleCron)}
		if !given(in.RepeatDuration) {
			return out, fault.Data(400, "schedule.repeatDuration: missing; a schedule of type interval requires it")
		}
		if given(in.Expression) && *in.Expression != *in.RepeatDuration {
			return out, fault.Data(400, "schedule.expression: %q differs from repeatDuration", *in.Expression)
		}
		if _, err := jobs.ParsePeriod(*in.RepeatDuration); err != nil {
			return out, fault.Data(400, "schedule.repeatDuration: %v", err)
		}
		out.Duration = in.RepeatDuration
	case scheduleCron:
		faults = []error{foreign("repeatDuration", in.RepeatDuration, scheduleInterval)}
		if !given(in.CronExpression) {
			return out, fault.Data(400, "schedule.cronExpression: missing; a schedule of type cron requires it")
		}
		zone := "UTC"
		if given(in.Timezone) {
			zone = *in.Timezone
		}
		loc, err := jobs.ParseZone(zone)
		if err != nil {
			return out, fault.Data(400, "schedule.timezone: %v", err)
		}
		if _, err := jobs.ParseCron(*in.CronExpression, loc); err != nil {
			return out, fault.Data(400, "schedule.cronExpression: %v", err)
		}
		out.Cron, out.Timezone = in.CronExpression, &zone
	default:
		return out, fault.Data(400, "schedule.type: %q is not one of interval, cron, none", in.Type)
	}
	for _, err := range faults {
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// timetable parses a stored schedule; nil for one that is never due.
func timetable(s store.Schedule) (jobs.Timetable, error) {
	switch s.Type {
	case scheduleInterval:
		p, err := jobs.ParsePeriod(*s.Duration)
		if err != nil {
			return nil, err
		}
		anchor, err := time.Parse(time.RFC3339, s.Anchor)
		return jobs.EveryFrom{Anchor: anchor, Period: p}, err
	case scheduleCron:
		loc, err := jobs.ParseZone(*s.Timezone)
		if err != nil {
			return nil, err
		}
		return jobs.ParseCron(*s.Cron, loc)
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
