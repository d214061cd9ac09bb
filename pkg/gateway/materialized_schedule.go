package gateway

import (
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

func scheduleOut(s store.Schedule) *api.MaterializedQuerySchedule {
	return &api.MaterializedQuerySchedule{Type: s.Type, CronExpression: s.Cron, RepeatDuration: s.Duration, Timezone: s.Timezone}
}

// newSchedule checks a schedule and computes when it first falls due. The hosted service takes a bad one and ignores it [L]; here
// it is refused, naming the field.
func (g *queriesService) newSchedule(in api.MaterializedQuerySchedule) (store.Schedule, error) {
	now := g.now()
	s, err := scheduleOf(in, now)
	if err != nil {
		return s, err
	}
	s.Next = nextTime(s, now)
	return s, nil
}

// CheckSchedule tells what is wrong with the schedule of a materialized query, naming the field.
func CheckSchedule(in api.MaterializedQuerySchedule) error {
	_, err := scheduleOf(in, time.Unix(0, 0))
	return err
}

func scheduleOf(in api.MaterializedQuerySchedule, now time.Time) (store.Schedule, error) {
	given := func(s *string) bool { return s != nil && *s != "" }
	out := store.Schedule{Type: in.Type, Anchor: store.Time(now)}
	if !given(in.RepeatDuration) && given(in.Expression) && in.Type == "interval" {
		in.RepeatDuration, in.Expression = in.Expression, nil
	}
	foreign := func(field string, v *string, types string) error {
		if !given(v) {
			return nil
		}
		return dataFault(400, "schedule.%s: belongs to a schedule of type %s, not %s", field, types, in.Type)
	}
	var faults []error
	switch in.Type {
	case "none":
		faults = []error{foreign("cronExpression", in.CronExpression, "cron"), foreign("repeatDuration", in.RepeatDuration, "interval"), foreign("timezone", in.Timezone, "cron")}
	case "interval":
		faults = []error{foreign("cronExpression", in.CronExpression, "cron"), foreign("timezone", in.Timezone, "cron")}
		if !given(in.RepeatDuration) {
			return out, dataFault(400, "schedule.repeatDuration: is missing; a schedule of type interval needs it")
		}
		if given(in.Expression) && *in.Expression != *in.RepeatDuration {
			return out, dataFault(400, "schedule.expression: %q differs from repeatDuration", *in.Expression)
		}
		if _, err := ParsePeriod(*in.RepeatDuration); err != nil {
			return out, dataFault(400, "schedule.repeatDuration: %v", err)
		}
		out.Duration = in.RepeatDuration
	case "cron":
		faults = []error{foreign("repeatDuration", in.RepeatDuration, "interval")}
		if !given(in.CronExpression) {
			return out, dataFault(400, "schedule.cronExpression: is missing; a schedule of type cron needs it")
		}
		zone := "UTC"
		if given(in.Timezone) {
			zone = *in.Timezone
		}
		loc, err := ParseZone(zone)
		if err != nil {
			return out, dataFault(400, "schedule.timezone: %v", err)
		}
		if _, err := ParseCron(*in.CronExpression, loc); err != nil {
			return out, dataFault(400, "schedule.cronExpression: %v", err)
		}
		out.Cron, out.Timezone = in.CronExpression, &zone
	default:
		return out, dataFault(400, "schedule.type: %q is none of interval, cron, none", in.Type)
	}
	for _, err := range faults {
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// timetable reads a stored schedule; nil for one that never falls due.
func timetable(s store.Schedule) (Timetable, error) {
	switch s.Type {
	case "interval":
		p, err := ParsePeriod(*s.Duration)
		if err != nil {
			return nil, err
		}
		anchor, err := time.Parse(time.RFC3339, s.Anchor)
		return everyFrom{anchor, p}, err
	case "cron":
		loc, err := ParseZone(*s.Timezone)
		if err != nil {
			return nil, err
		}
		return ParseCron(*s.Cron, loc)
	}
	return nil, nil
}

// nextTime is when a schedule falls due after now; nil when it does not, or cannot be computed [S].
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
