//go:build cgo

package duckdb

import (
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/late"
)

func isoDay(a string) (string, bool, error) {
	s := strings.TrimSpace(a)
	if !dayLiteral().MatchString(s) || !realDay(s) {
		return "", false, says("Value cannot be cast to date: %s", a)
	}
	return s, true, nil
}

func isoDate(a string) (string, bool, error) {
	for _, form := range []string{"2006-01-02", "2006-01", "2006", "2006-002"} {
		if t, err := time.Parse(form, a); err == nil {
			return t.Format("2006-01-02"), true, nil
		}
	}
	if m := isoWeek().FindStringSubmatch(a); m != nil {
		day := time.Date(int(atoi(m[1])), 1, 4, 0, 0, 0, 0, time.UTC)
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7+7*(int(atoi(m[2]))-1))
		if m[3] != "" {
			day = day.AddDate(0, 0, int(atoi(m[3]))-1)
		}
		return day.Format("2006-01-02"), true, nil
	}
	return "", false, says("Invalid format: \"%s\"", a)
}

var isoWeek = late.Regexp(`^(\d{4})-W(\d{2})(?:-(\d))?$`)

func isoClock(a string) (string, bool, error) {
	m := stampLiteral().FindStringSubmatch(a)
	if m == nil || m[4] != "" || strings.Contains(a, "T") || !realDay(m[1]) {
		return "", false, says("Value cannot be cast to timestamp: %s", a)
	}
	return strings.TrimSpace(a), true, nil
}

// isoTimestamp reads a timestamp with or without a zone; zones other than UTC cannot be kept.
func isoTimestamp(a string) (string, bool, error) {
	m := stampLiteral().FindStringSubmatch(strings.TrimSuffix(a, "Z"))
	if m == nil || !realDay(m[1]) || len(m[3]) > 6 {
		return "", false, says("Value cannot be cast to timestamp with time zone: %s", a)
	}
	if m[4] != "" {
		if loc, ok := zoneOf(m[4]); !ok || loc != time.UTC {
			return "", false, fmt.Errorf("a time in zone '%s' is kept in UTC on zone local: '%s' would lose its zone", m[4], a)
		}
	}
	clock := m[2]
	if clock == "" {
		clock = "00:00:00"
	}
	if strings.Count(clock, ":") == 1 {
		clock += ":00"
	}
	return m[1] + " " + clock + "+00", true, nil
}
