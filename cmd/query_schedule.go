package cmd

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/queries"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/spf13/cobra"
)

// scheduleFlags are the schedule of a materialized query.
type scheduleFlags struct {
	every, cron, timezone string
	none                  bool
}

func (s *scheduleFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&s.every, "every", "", "refresh in this interval: an ISO-8601 duration such as PT6H, or short 15m, 6h, 1d")
	fs.StringVar(&s.cron, "cron", "", "refresh by this cron expression of five fields")
	fs.StringVar(&s.timezone, "timezone", "", "time zone of --cron, such as Europe/Berlin; UTC if not given")
	fs.BoolVar(&s.none, "no-schedule", false, "refresh on request only")
}

var shortPeriod = late.Regexp(`^([0-9]+)([smhdw])$`)

// isoPeriod spells 15m as PT15M and leaves ISO-8601 as it is.
func isoPeriod(s string) string {
	m := shortPeriod().FindStringSubmatch(s)
	if m == nil {
		return s
	}
	head := "PT"
	if m[2] == "d" || m[2] == "w" {
		head = "P"
	}
	return head + m[1] + strings.ToUpper(m[2])
}

// into lays the flags over a schedule and checks it: the hosted zones take a bad one without a word and ignore it.
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
		return usagef("--every, --cron and --no-schedule exclude each other")
	case set("timezone") && !set("cron"):
		return usagef("--timezone needs --cron")
	case set("every"):
		d := isoPeriod(s.every)
		if _, err := jobs.ParsePeriod(d); err != nil {
			return usagef("--every: %v", err)
		}
		*to = &api.MaterializedQuerySchedule{Type: "interval", RepeatDuration: &d}
	case set("cron"):
		z, err := jobs.ParseZone(s.timezone)
		if err != nil {
			return usagef("--timezone: %v", err)
		}
		if _, err := jobs.ParseCron(s.cron, z); err != nil {
			return usagef("--cron: %v", err)
		}
		*to = &api.MaterializedQuerySchedule{Type: "cron", CronExpression: &s.cron}
		if s.timezone != "" {
			(*to).Timezone = &s.timezone
		}
	case s.none:
		*to = &api.MaterializedQuerySchedule{Type: "none"}
	case *to != nil: // from --body
		if err := queries.CheckSchedule(**to); err != nil {
			return usagef("--body: %v", err)
		}
	}
	return nil
}

// sameSchedule warns when the gateway did not keep the schedule it was sent.
func (e *Env) sameSchedule(want, got *api.MaterializedQuerySchedule) {
	if want == nil {
		return
	}
	text := func(s *api.MaterializedQuerySchedule) string {
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
	if w, g := text(want), text(got); w != g {
		fmt.Fprintf(e.Err, "warning: the schedule sent is %s, the gateway kept %s\n", w, g)
	}
}
