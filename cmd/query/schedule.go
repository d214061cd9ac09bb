package query

import (
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/spf13/cobra"
)

// scheduleFlags are the schedule of a materialized query.
type scheduleFlags struct {
	every, cron, timezone string
	none                  bool
}

func (s *scheduleFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&s.every, "every", "",
		"refresh at this interval: an ISO-8601 duration such as PT6H, or short 15m, 6h, 1d")
	fs.StringVar(&s.cron, "cron", "", "refresh by this cron expression of five fields")
	fs.StringVar(&s.timezone, "timezone", "", "time zone of --cron, such as Europe/Berlin; UTC if not given")
	fs.BoolVar(&s.none, "no-schedule", false, "refresh on request only")
}

// into applies the flags to a schedule and checks it: the hosted zones accept an invalid one and silently ignore it.
func (s *scheduleFlags) into(c *cobra.Command, to **api.MaterializedQuerySchedule) error {
	set := c.Flags().Changed
	n := 0
	for _, name := range []string{"every", "cron", "no-schedule"} {
		if set(name) {
			n++
		}
	}
	switch {
	case n > 1:
		return exitcode.Usagef("--every, --cron and --no-schedule are mutually exclusive")
	case set("timezone") && !set("cron"):
		return exitcode.Usagef("--timezone requires --cron")
	case set("every"):
		d := cli.ISOPeriod(s.every)
		if _, err := schedule.ParsePeriod(d); err != nil {
			return exitcode.Usagef("--every: %v", err).WithHint(cli.PeriodHint)
		}
		*to = &api.MaterializedQuerySchedule{Type: "interval", RepeatDuration: &d}
	case set("cron"):
		z, err := schedule.ParseZone(s.timezone)
		if err != nil {
			return exitcode.Usagef("--timezone: %v", err)
		}
		if _, err := schedule.ParseCron(s.cron, z); err != nil {
			return exitcode.Usagef("--cron: %v", err)
		}
		*to = &api.MaterializedQuerySchedule{Type: "cron", CronExpression: &s.cron}
		if s.timezone != "" {
			(*to).Timezone = &s.timezone
		}
	case s.none:
		*to = &api.MaterializedQuerySchedule{Type: "none"}
	case *to != nil: // from --body
		if _, err := schedule.OfQuery(**to); err != nil {
			return exitcode.Usagef("--body: %v", err)
		}
	}
	return nil
}

// sameSchedule warns if the gateway did not store the schedule it was sent, and prints when schedules of zone local
// run.
func sameSchedule(e *cli.Env, want, got *api.MaterializedQuerySchedule) {
	if want == nil {
		return
	}
	if w, g := scheduleWords(want), scheduleWords(got); w != g {
		fmt.Fprintf(e.Err, "warning: the schedule sent is %s, the gateway kept %s\n", w, g)
	} else if got != nil && (got.RepeatDuration != nil || got.CronExpression != nil) && e.Local() {
		fmt.Fprintf(e.Err, "(schedules of zone local run while `%s gateway serve` runs)\n", e.Name)
	}
}

// scheduleWords is a schedule as one line.
func scheduleWords(s *api.MaterializedQuerySchedule) string {
	if s == nil {
		return "none"
	}
	for _, v := range []*string{s.RepeatDuration, s.CronExpression} {
		if v != nil && *v != "" {
			return s.Type + " " + *v
		}
	}
	return s.Type
}
