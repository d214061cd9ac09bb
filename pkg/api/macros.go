package api

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/late"
)

var (
	macroForm   = late.Regexp(`^@([A-Za-z]+)((?:[+-][0-9]{1,6}[dwMqyhm])*)$`)
	macroOffset = late.Regexp(`([+-][0-9]+)([dwMqyhm])`)
)

// Macro is an evaluated date macro: @today @yesterday @now @sow @eow @som @eom @soq @eoq @soy @eoy, followed by offsets
// such as -7d in the units d, w, M (month), q, y, h, m (minute). Weeks start on Monday [O].
type Macro struct {
	Text    string // 2006-01-02, or 2006-01-02 15:04:05 for @now and after an offset of hours or minutes
	Minutes bool   // an offset is in minutes, whose unit is easily confused with that of months
}

// ResolveMacro evaluates a date macro at a given time, in UTC. The boolean is false if the text does not start with @.
// A text that does but is not a macro is an error: taken literally it would match nothing.
func ResolveMacro(text string, now time.Time) (Macro, bool, error) {
	if !strings.HasPrefix(text, "@") {
		return Macro{}, false, nil
	}
	m := macroForm().FindStringSubmatch(text)
	if m == nil {
		return Macro{}, true, fmt.Errorf("%q is not a date macro: a macro is a name like @today and offsets like -7d",
			text)
	}
	now = now.UTC()
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	week := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	month := day.AddDate(0, 0, 1-day.Day())
	quarter := time.Date(day.Year(), (day.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	year := time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	t, clock := day, false
	switch strings.ToLower(m[1]) {
	case "today":
	case "yesterday":
		t = day.AddDate(0, 0, -1)
	case "now":
		t, clock = now.Truncate(time.Second), true
	case "sow":
		t = week
	case "eow":
		t = week.AddDate(0, 0, 6)
	case "som":
		t = month
	case "eom":
		t = month.AddDate(0, 1, -1)
	case "soq":
		t = quarter
	case "eoq":
		t = quarter.AddDate(0, 3, -1)
	case "soy":
		t = year
	case "eoy":
		t = year.AddDate(1, 0, -1)
	default:
		return Macro{}, true, fmt.Errorf("%q: there is no date macro @%s; the macros are @today @yesterday @now @sow "+
			"@eow @som @eom @soq @eoq @soy @eoy", text, m[1])
	}
	var out Macro
	for _, o := range macroOffset().FindAllStringSubmatch(m[2], -1) {
		n, err := strconv.Atoi(o[1])
		if err != nil {
			return Macro{}, true, fmt.Errorf("%q: %w", text, err)
		}
		switch o[2] {
		case "d":
			t = t.AddDate(0, 0, n)
		case "w":
			t = t.AddDate(0, 0, 7*n)
		case "M":
			t = addMonths(t, n)
		case "q":
			t = addMonths(t, 3*n)
		case "y":
			t = addMonths(t, 12*n)
		case "h":
			t, clock = t.Add(time.Duration(n)*time.Hour), true
		case "m":
			t, clock, out.Minutes = t.Add(time.Duration(n)*time.Minute), true, true
		}
	}
	out.Text = t.Format("2006-01-02")
	if clock {
		out.Text = t.Format("2006-01-02 15:04:05")
	}
	return out, true, nil
}

// addMonths clamps to the end of the month: a month before 31 March is the last day of February, as in SQL.
func addMonths(t time.Time, n int) time.Time {
	first := t.AddDate(0, 0, 1-t.Day()).AddDate(0, n, 0)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}
