package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// zonedCron is a cron expression evaluated in a time zone. At daylight saving transitions, an expression with fixed
// hours is due once: a skipped time is due at the transition, and of a repeated time the first counts. An expression
// for any hour follows elapsed time. The crons of Unix systems work the same way.
type zonedCron struct {
	cron.Schedule
	zone    *time.Location
	anyHour bool
}

// Next implements Timetable.
func (z zonedCron) Next(after time.Time) time.Time {
	after = after.In(z.zone)
	if z.anyHour {
		// A cron schedule without its own zone uses the zone of the time it is evaluated for.
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

// firstAt returns the first moment at which the local time in a zone reaches or passes wall.
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

// ParseCron parses a cron expression of five fields (minute, hour, day of month, month, day of week) in a named zone.
// Sunday is 0 or 7.
func ParseCron(expression string, zone *time.Location) (Timetable, error) {
	fields := strings.Fields(expression)
	if len(fields) != 5 || strings.Contains(fields[0], "=") {
		return nil,
			fmt.Errorf("%q is not a cron expression of five fields: minute, hour, day of month, month, day of week",
				expression)
	}
	hour := fields[1]
	fields[4] = weekdays(fields[4])
	s, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(strings.Join(fields,
		" "))
	if err != nil {
		return nil, fmt.Errorf("%q: %s", expression, wrongField(fields))
	}
	z := zonedCron{s, zone, strings.HasPrefix(hour, "*") || strings.HasPrefix(hour, "?")}
	if z.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, zone)).IsZero() {
		return nil, fmt.Errorf("%q is never due", expression)
	}
	return z, nil
}

// cronFields are the fields of a cron expression and their values.
var cronFields = [5][2]string{{"minute", "0 to 59"}, {"hour", "0 to 23"}, {"day of month", "1 to 31"},
	{"month", "1 to 12, or JAN to DEC"}, {"day of week", "0 to 7, or SUN to SAT"}}

// wrongField explains why an expression of five fields cannot be parsed.
func wrongField(fields []string) string {
	for i, field := range fields {
		if name, values := cronFields[i][0], cronFields[i][1]; !validAlone(i, field) {
			return fmt.Sprintf("the %s %q is not valid: it is *, %s, a range such as 1-5, a step such as */5, or "+
				"several with commas between them", name, field, values)
		}
	}
	return "it is not valid"
}

func validAlone(i int, field string) bool {
	fields := []string{"*", "*", "*", "*", "*"}
	fields[i] = field
	_, err := cron.ParseStandard(strings.Join(fields, " "))
	return err == nil
}

// weekdays converts a Sunday that ends a range, or is given as 7, to the form that the parser supports. Everything else
// is left to the parser.
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
