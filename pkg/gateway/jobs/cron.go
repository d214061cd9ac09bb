package jobs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// zonedCron is a cron expression read on the clocks of a time zone. Where a clock is put forward or back, an expression that
// names its hours falls due once: a time that the clock skips is the moment it goes on, and of a time that comes twice the first
// counts. One for any hour follows the time that passes. So do the crons of Unix systems.
type zonedCron struct {
	cron.Schedule
	zone    *time.Location
	anyHour bool
}

// Next implements Timetable.
func (z zonedCron) Next(after time.Time) time.Time {
	after = after.In(z.zone)
	if z.anyHour {
		// A cron schedule without a zone of its own follows the zone of the moment it is asked about.
		t := z.Schedule.Next(after)
		if t.IsZero() {
			return t
		}
		return t.UTC()
	}
	y, mo, d := after.Date()
	h, mi, s := after.Clock()
	wall := time.Date(y, mo, d, h, mi, s, 0, time.UTC)
	for {
		if wall = z.Schedule.Next(wall); wall.IsZero() {
			return wall
		}
		if t := firstAt(wall, z.zone); t.After(after) {
			return t.UTC()
		}
	}
}

// firstAt is the first moment at which the clocks of a zone show a reading, or go past it.
func firstAt(wall time.Time, zone *time.Location) time.Time {
	y, mo, d := wall.Date()
	h, mi, s := wall.Clock()
	t := time.Date(y, mo, d, h, mi, s, 0, zone)
	reading := func(t time.Time) time.Time {
		y, mo, d := t.Date()
		h, mi, s := t.Clock()
		return time.Date(y, mo, d, h, mi, s, 0, time.UTC)
	}
	begin, end := t.ZoneBounds()
	switch got := reading(t); {
	case got.Before(wall) && !end.IsZero(): // skipped
		return end
	case got.After(wall) && !begin.IsZero():
		return begin
	}
	if !begin.IsZero() {
		_, now := t.Zone()
		_, before := begin.Add(-time.Nanosecond).Zone()
		if first := t.Add(time.Duration(now-before) * time.Second); first.Before(begin) && reading(first).Equal(wall) {
			return first
		}
	}
	return t
}

// ParseCron reads a cron expression of five fields (minute, hour, day of month, month, day of week) in a zone by name. Sunday is 0
// or 7.
func ParseCron(expression string, zone *time.Location) (Timetable, error) {
	fields := strings.Fields(expression)
	if len(fields) != 5 || strings.Contains(fields[0], "=") {
		return nil, fmt.Errorf("%q is not a cron expression of five fields: minute, hour, day of month, month, day of week", expression)
	}
	hour := fields[1]
	fields[4] = weekdays(fields[4])
	s, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(strings.Join(fields, " "))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", expression, err)
	}
	z := zonedCron{s, zone, strings.HasPrefix(hour, "*") || strings.HasPrefix(hour, "?")}
	if z.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, zone)).IsZero() {
		return nil, fmt.Errorf("%q never falls due", expression)
	}
	return z, nil
}

// weekdays writes a Sunday that ends a range, or is given as 7, in the way the parser knows. What it cannot read it leaves to the
// parser.
func weekdays(field string) string {
	names := map[string]string{"sun": "0", "mon": "1", "tue": "2", "wed": "3", "thu": "4", "fri": "5", "sat": "6"}
	items := strings.Split(field, ",")
	for i, item := range items {
		days, step, stepped := strings.Cut(item, "/")
		from, to, ranged := strings.Cut(strings.ToLower(days), "-")
		if n, ok := names[from]; ok {
			from = n
		}
		if n, ok := names[to]; ok {
			to = n
		}
		if ranged && to == "0" && from != "0" {
			to = "7"
		}
		if !ranged {
			to = from
			if stepped && from != "7" {
				continue
			}
		}
		lo, err1 := strconv.Atoi(from)
		hi, err2 := strconv.Atoi(to)
		by := 1
		var err3 error
		if stepped {
			by, err3 = strconv.Atoi(step)
		}
		if err1 != nil || err2 != nil || err3 != nil || hi != 7 || lo < 0 || lo > hi || by < 1 {
			continue
		}
		var out []string
		for d := lo; d <= hi; d += by {
			out = append(out, strconv.Itoa(d%7))
		}
		items[i] = strings.Join(out, ",")
	}
	return strings.Join(items, ",")
}
