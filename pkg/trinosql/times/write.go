package times

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Write formats a time: its local time in milliseconds, with its zone and instant.
func (p Pattern) Write(shown int64, zone string, instant int64) (string, error) {
	var b strings.Builder
	days, ms := FloorDiv(shown, day), floorMod(shown, day)
	year, month, dayOfMonth := Civil(days)
	weekYear, week := Week(days)
	ofEra := year
	if year <= 0 {
		ofEra = 1 - year
	}
	h := ms / hour
	padded := func(n int64, width int) {
		if n < 0 {
			b.WriteByte('-')
			n = -n
		}
		s := strconv.FormatInt(n, 10)
		for i := len(s); i < width; i++ {
			b.WriteByte('0')
		}
		b.WriteString(s)
	}
	for _, e := range p {
		switch e.field {
		case 0:
			b.WriteString(e.text)
		case 'G':
			b.WriteString(map[bool]string{true: "AD", false: "BC"}[year > 0])
		case 'C':
			padded(ofEra/100, e.n)
		case 'Y':
			padded(ofEra, e.n)
		case 'y':
			padded(year, e.n)
		case 'x':
			padded(weekYear, e.n)
		case twoDigits, leniently:
			padded(abs(year)%100, 2)
		case weekTwo, weekLenient:
			padded(abs(weekYear)%100, 2)
		case 'M':
			padded(int64(month), e.n)
		case monthText:
			b.WriteString(time.Month(month).String())
		case monthShort:
			b.WriteString(time.Month(month).String()[:3])
		case weekdayText:
			b.WriteString(weekdayName(Weekday(days)))
		case weekdayShort:
			b.WriteString(weekdayName(Weekday(days))[:3])
		case 'e':
			padded(int64(Weekday(days)), e.n)
		case 'w':
			padded(int64(week), e.n)
		case 'D':
			padded(days-Days(year, 1, 1)+1, e.n)
		case 'd':
			padded(int64(dayOfMonth), e.n)
		case 'a':
			b.WriteString(map[bool]string{true: "AM", false: "PM"}[h < 12])
		case 'H':
			padded(h, e.n)
		case 'k':
			padded((h+23)%24+1, e.n)
		case 'K':
			padded(h%12, e.n)
		case 'h':
			padded((h+11)%12+1, e.n)
		case 'm':
			padded(ms/minute%60, e.n)
		case 's':
			padded(ms/second%60, e.n)
		case 'S':
			digits := fmt.Sprintf("%03d", ms%second) + strings.Repeat("0", max(e.n-3, 0))
			b.WriteString(digits[:e.n])
		default:
			s, err := zoneText(e.field, zone, instant)
			if err != nil {
				return "", err
			}
			b.WriteString(s)
		}
	}
	return b.String(), nil
}

func abs(n int64) int64 { return max(n, -n) }

func weekdayName(n int) string { return time.Weekday(n % 7).String() }

// zoneText formats the zone of an instant. The error names a zone that is missing in the time zone database.
func zoneText(field byte, zone string, instant int64) (string, error) {
	l, ok := Location(zone)
	if !ok {
		return "", says("'%s' is not a valid time zone", zone)
	}
	at := time.UnixMilli(instant).In(l)
	switch field {
	case zoneOffset:
		return at.Format("-0700"), nil
	case zoneOffset2:
		return at.Format("-07:00"), nil
	case zoneID:
		return zone, nil
	}
	if _, fixed := Offset(zone); fixed && zone != "UTC" {
		return zone, nil
	}
	if field == zoneName {
		if zone == "UTC" {
			return "Coordinated Universal Time", nil
		}
		return "", fmt.Errorf("the long name of time zone '%s' is not supported on zone local", zone)
	}
	name, _ := at.Zone()
	if instant < -2208988800000 || name == "" || name[0] == '+' || name[0] == '-' {
		return "", fmt.Errorf("the name of time zone '%s' is not supported on zone local", zone)
	}
	return name, nil
}
