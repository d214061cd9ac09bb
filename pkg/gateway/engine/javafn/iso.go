package javafn

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/late"
)

var (
	stampForm  = late.Regexp(`^\s*([+-]?\d{4,}-\d{1,2}-\d{1,2})(?:[ T](\d{1,2}:\d{1,2}(?::\d{1,2}(?:\.(\d+))?)?))?\s*(.*?)\s*$`)
	offsetForm = late.Regexp(`^([+-])(\d{1,2}):?(\d{2})?$`)
	dayForm    = late.Regexp(`^\s*[+-]?\d{4,}-\d{1,2}-\d{1,2}\s*$`)
	weekForm   = late.Regexp(`^(\d{4})-W(\d{2})(?:-(\d))?$`)
)

// IsDate reports whether a text is a date for DATE '...' and CAST.
func IsDate(text string) bool { return dayForm().MatchString(text) && RealDay(strings.TrimSpace(text)) }

// RealDay reports whether the date at the start of a text exists, if it has a four-digit year.
func RealDay(s string) bool {
	day, _, _ := strings.Cut(strings.ReplaceAll(s, "T", " "), " ")
	if len(day) < 8 || day[4] != '-' {
		return true
	}
	_, err := time.Parse("2006-1-2", day)
	return err == nil
}

// CutTimestamp splits a timestamp into its day, its time of day with seconds (00:00:00 if it has none), the fractional digits, and
// its zone, if any.
func CutTimestamp(text string) (day, clock, fraction, zone string, ok bool) {
	m := stampForm().FindStringSubmatch(text)
	if m == nil || !RealDay(m[1]) {
		return "", "", "", "", false
	}
	clock = m[2]
	if clock == "" {
		clock = "00:00:00"
	}
	if strings.Count(clock, ":") == 1 {
		clock += ":00"
	}
	return m[1], clock, m[3], m[4], true
}

// Zone finds a time zone by its name or offset; zones that are UTC are time.UTC.
func Zone(name string) (*time.Location, bool) {
	if m := offsetForm().FindStringSubmatch(name); m != nil {
		h, _ := strconv.Atoi(m[2])
		min, _ := strconv.Atoi("0" + m[3])
		if h > 14 || min > 59 {
			return nil, false
		}
		if h == 0 && min == 0 {
			return time.UTC, true
		}
		sec := h*3600 + min*60
		if m[1] == "-" {
			sec = -sec
		}
		return time.FixedZone(name, sec), true
	}
	switch strings.ToUpper(name) {
	case "UTC", "Z", "ETC/UTC", "GMT", "ETC/GMT", "UT":
		return time.UTC, true
	case "", "LOCAL":
		return nil, false
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil
}

// IsOffset reports whether a zone is written as an offset from UTC.
func IsOffset(zone string) bool { return offsetForm().MatchString(zone) }

// CastDate parses a text as CAST(... AS date) does.
func CastDate(a string) (string, bool, error) {
	if !IsDate(a) {
		return "", false, says("Value cannot be cast to date: %s", a)
	}
	return strings.TrimSpace(a), true, nil
}

// isoDate parses a text as from_iso8601_date does.
func isoDate(a string) (string, bool, error) {
	for _, form := range []string{"2006-01-02", "2006-01", "2006", "2006-002"} {
		if t, err := time.Parse(form, a); err == nil {
			return t.Format("2006-01-02"), true, nil
		}
	}
	if m := weekForm().FindStringSubmatch(a); m != nil {
		year, _ := strconv.Atoi(m[1])
		week, _ := strconv.Atoi(m[2])
		day := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7+7*(week-1))
		if weekday, err := strconv.Atoi(m[3]); err == nil {
			day = day.AddDate(0, 0, weekday-1)
		}
		return day.Format("2006-01-02"), true, nil
	}
	return "", false, says("Invalid format: \"%s\"", a)
}

// CastTimestamp parses a text as CAST(... AS timestamp) does.
func CastTimestamp(a string) (string, bool, error) {
	if _, _, _, zone, ok := CutTimestamp(a); !ok || zone != "" || strings.Contains(a, "T") {
		return "", false, says("Value cannot be cast to timestamp: %s", a)
	}
	return strings.TrimSpace(a), true, nil
}

// CastInstant parses a timestamp with or without a zone; zones other than UTC cannot be stored.
func CastInstant(a string) (string, bool, error) {
	day, clock, fraction, zone, ok := CutTimestamp(strings.TrimSuffix(a, "Z"))
	if !ok || len(fraction) > 6 {
		return "", false, says("Value cannot be cast to timestamp with time zone: %s", a)
	}
	if zone != "" {
		if loc, ok := Zone(zone); !ok || loc != time.UTC {
			return "", false, fmt.Errorf("a time in zone '%s' is kept in UTC on zone local: '%s' would lose its zone", zone, a)
		}
	}
	return day + " " + clock + "+00", true, nil
}

// instant parses the text of a literal with a zone; the zone is returned separately.
func instant(a string) (string, bool, error) {
	day, clock, _, zone, ok := CutTimestamp(strings.TrimSuffix(strings.TrimSpace(a), "Z"))
	loc := time.UTC
	if ok && zone != "" {
		loc, ok = Zone(zone)
	}
	if !ok {
		return "", false, says("Value cannot be cast to timestamp with time zone: %s", a)
	}
	if clock == "" {
		clock = "00:00:00"
	}
	for _, form := range []string{"2006-1-2 15:4:5.999999999", "2006-1-2 15:4"} {
		if t, err := time.ParseInLocation(form, strings.TrimSpace(day)+" "+strings.TrimSpace(clock), loc); err == nil {
			return t.UTC().Format("2006-01-02 15:04:05.999999") + "+00", true, nil
		}
	}
	return "", false, says("Value cannot be cast to timestamp with time zone: %s", a)
}
