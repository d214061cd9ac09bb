// Package schedule parses the schedules of caches and materialized queries: periods, cron expressions and time zones.
package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones on systems without a time zone database

	"github.com/dig-cli/dig/pkg/late"
)

// Overdue is how late a scheduled run may start before that is reported.
const Overdue = 10 * time.Minute

// Timetable is a parsed schedule: Next returns the first due time after a given one.
type Timetable interface {
	Next(after time.Time) time.Time
}

// Period is an ISO 8601 duration such as PT15M, P1DT12H or P1M. Months and years are calendar units.
type Period struct {
	Months, Days int
	Time         time.Duration
}

var isoDuration = late.Regexp(`^P(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(T(?:(\d{1,5})H)?(?:(\d{1,7})M)?(?:(\d{1,9})(?:[.,](\d{1,3}))?S)?)?$`)

// ParsePeriod parses an ISO 8601 duration of at least one second.
func ParsePeriod(s string) (Period, error) {
	m := isoDuration().FindStringSubmatch(s)
	if m == nil || m[5] == "T" {
		return Period{}, fmt.Errorf("%q is not an ISO-8601 duration such as PT15M, PT6H or P1D", s)
	}
	// the pattern allows only digits; a missing part is 0
	num := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
	p := Period{Months: 12*num(1) + num(2), Days: 7*num(3) + num(4)}
	p.Time = time.Duration(num(6))*time.Hour + time.Duration(num(7))*time.Minute + time.Duration(num(8))*time.Second
	if m[9] != "" {
		ms, _ := strconv.Atoi((m[9] + "00")[:3])
		p.Time += time.Duration(ms) * time.Millisecond
	}
	if p.Months > 600 || p.Days > 18300 {
		return Period{}, fmt.Errorf("%q is longer than 50 years", s)
	}
	if p.Months == 0 && p.Days == 0 && p.Time < time.Second {
		return Period{}, fmt.Errorf("%q is shorter than a second", s)
	}
	return p, nil
}

// Times returns the time n periods after t, in UTC. A day that does not exist in a month becomes its last day.
func (p Period) Times(t time.Time, n int64) time.Time {
	t = t.UTC()
	if months := int64(p.Months) * n; months != 0 {
		first := time.Date(t.Year(), t.Month(), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(),
			time.UTC).AddDate(0, int(months), 0)
		last := first.AddDate(0, 1, -1).Day()
		t = first.AddDate(0, 0, min(t.Day(), last)-1)
	}
	return t.AddDate(0, 0, int(int64(p.Days)*n)).Add(p.Time * time.Duration(n))
}

// EveryFrom is a period counted from an anchor, so that late runs do not shift the following ones.
type EveryFrom struct {
	Anchor time.Time
	Period Period
}

// Next implements Timetable.
func (e EveryFrom) Next(after time.Time) time.Time {
	longest := time.Duration(e.Period.Months)*31*24*time.Hour + time.Duration(e.Period.Days)*24*time.Hour +
		e.Period.Time
	n := max(int64(after.Sub(e.Anchor)/longest), 1) // never after the requested time
	// set by a clock that has been set back since: the periods extend backwards as well
	if after.Before(e.Anchor) {
		shortest := longest - time.Duration(e.Period.Months)*3*24*time.Hour
		n = -int64(e.Anchor.Sub(after)/shortest) - 1
	}
	for {
		if t := e.Period.Times(e.Anchor, n); t.After(after) {
			return t
		}
		n++
	}
}

// ParseZone parses the name of a time zone, "" for UTC.
func ParseZone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	z, err := time.LoadLocation(name)
	if err != nil || strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("%q is not a time zone such as UTC or Europe/Berlin", name)
	}
	return z, nil
}
