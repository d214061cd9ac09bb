package schedule

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
)

// The types of the schedule of a materialized query [S].
const (
	None     = "none"
	Interval = "interval"
	Cron     = "cron"
)

// OfQuery checks the schedule of a materialized query and returns it with its type and no more fields than belong to
// that. An error begins with the name of the field.
func OfQuery(in api.MaterializedQuerySchedule) (api.MaterializedQuerySchedule, error) {
	given := func(s *string) bool { return s != nil && *s != "" }
	if in.Type == "" { // legacy form [D]
		switch {
		case given(in.CronExpression):
			in.Type = Cron
		case given(in.RepeatDuration), given(in.Expression):
			in.Type = Interval
		}
	}
	out := api.MaterializedQuerySchedule{Type: in.Type}
	if !given(in.RepeatDuration) && given(in.Expression) && in.Type == Interval {
		in.RepeatDuration, in.Expression = in.Expression, nil
	}
	own := map[string]bool{}
	switch in.Type {
	case None:
	case Interval:
		own["repeatDuration"] = true
		if !given(in.RepeatDuration) {
			return out, fmt.Errorf("schedule.repeatDuration: missing; a schedule of type interval requires it")
		}
		if given(in.Expression) && *in.Expression != *in.RepeatDuration {
			return out, fmt.Errorf("schedule.expression: %q differs from repeatDuration", *in.Expression)
		}
		if _, err := ParsePeriod(*in.RepeatDuration); err != nil {
			return out, fmt.Errorf("schedule.repeatDuration: %w", err)
		}
		out.RepeatDuration = in.RepeatDuration
	case Cron:
		own["cronExpression"], own["timezone"] = true, true
		if !given(in.CronExpression) {
			return out, fmt.Errorf("schedule.cronExpression: missing; a schedule of type cron requires it")
		}
		zone := "UTC"
		if given(in.Timezone) {
			zone = *in.Timezone
		}
		loc, err := ParseZone(zone)
		if err != nil {
			return out, fmt.Errorf("schedule.timezone: %w", err)
		}
		if _, err := ParseCron(*in.CronExpression, loc); err != nil {
			return out, fmt.Errorf("schedule.cronExpression: %w", err)
		}
		out.CronExpression, out.Timezone = in.CronExpression, &zone
	default:
		return out, fmt.Errorf("schedule.type: %q is not one of interval, cron, none", in.Type)
	}
	for _, f := range []struct {
		name, of string
		value    *string
	}{
		{"cronExpression", Cron, in.CronExpression},
		{"repeatDuration", Interval, in.RepeatDuration},
		{"timezone", Cron, in.Timezone},
	} {
		if given(f.value) && !own[f.name] {
			return out, fmt.Errorf("schedule.%s: belongs to a schedule of type %s, not %s", f.name, f.of, in.Type)
		}
	}
	return out, nil
}
