package times

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // time zones for systems without a database of their own

	"github.com/dig-cli/dig/pkg/late"
)

var offsetPattern = late.Regexp(`^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d\d))?$`)

// ZoneName is Trino's name of a time zone, UTC for all zones equivalent to it. The error is Trino's message for an
// invalid zone.
func ZoneName(text string) (string, error) {
	if m := offsetPattern().FindStringSubmatch(text); m != nil && !(len(m[2]) == 1 && m[3] != "") {
		h, _ := strconv.Atoi(m[2])
		n, _ := strconv.Atoi("0" + m[3])
		if h*60+n > 14*60 || n > 59 {
			return "", says("Time zone not supported: %s", text)
		}
		return OffsetName(sign(m[1]) * int64(h*60+n)), nil
	}
	switch text {
	case "UTC", "Z", "GMT", "UT", "UCT", "Zulu", "Universal", "Greenwich", "GMT0", "Etc/UTC", "Etc/UCT", "Etc/GMT",
		"Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0", "Etc/Zulu", "Etc/Universal", "Etc/Greenwich":
		return "UTC", nil
	case "EST", "HST", "MST", "ROC", "Local", "Factory", "localtime", "posixrules", "":
		return "", says("'%s' is not a valid time zone", text)
	}
	if rest, ok := strings.CutPrefix(text, "Etc/GMT"); ok && len(rest) > 1 { // with the sign of POSIX
		if h, err := strconv.ParseInt(rest, 10, 64); err == nil && h >= -14 && h <= 12 {
			return OffsetName(-h * 60), nil
		}
	}
	if _, ok := Location(text); !ok {
		return "", says("'%s' is not a valid time zone", text)
	}
	return text, nil
}

// FarOffset reports whether a string is an offset beyond the range of zones.
func FarOffset(text string) bool {
	m := offsetPattern().FindStringSubmatch(text)
	if m == nil || len(m[2]) == 1 && m[3] != "" {
		return false
	}
	_, err := ZoneName(text)
	return err != nil
}

func sign(s string) int64 {
	if s == "-" {
		return -1
	}
	return 1
}

// OffsetName is the name of a zone with an offset in minutes from UTC.
func OffsetName(minutes int64) string {
	if minutes == 0 {
		return "UTC"
	}
	s := "+"
	if minutes < 0 {
		s, minutes = "-", -minutes
	}
	return fmt.Sprintf("%s%02d:%02d", s, minutes/60, minutes%60)
}

// Offset is the offset from UTC in minutes of a zone with a fixed offset; ok is false for a region.
func Offset(name string) (minutes int64, ok bool) {
	if name == "UTC" {
		return 0, true
	}
	if len(name) != 6 || name[3] != ':' || name[0] != '+' && name[0] != '-' {
		return 0, false
	}
	h, err1 := strconv.ParseInt(name[1:3], 10, 64)
	m, err2 := strconv.ParseInt(name[4:], 10, 64)
	return sign(name[:1]) * (h*60 + m), err1 == nil && err2 == nil
}

var locations sync.Map // by name

// Location is the zone of one of Trino's zone names.
func Location(name string) (*time.Location, bool) {
	if l, ok := locations.Load(name); ok {
		return l.(*time.Location), true
	}
	var l *time.Location
	if minutes, ok := Offset(name); ok {
		l = time.FixedZone(name, int(minutes)*60)
	} else {
		var err error
		if l, err = time.LoadLocation(name); err != nil {
			return nil, false
		}
	}
	locations.Store(name, l)
	return l, true
}

// offsetAt is the offset from UTC in milliseconds of a zone at an instant.
func offsetAt(l *time.Location, millis int64) int64 {
	_, seconds := time.UnixMilli(millis).In(l).Zone()
	return int64(seconds) * second
}

// Shown is the local time in milliseconds of a zone at an instant.
func Shown(l *time.Location, millis int64) int64 { return millis + offsetAt(l, millis) }

// Instant is the instant of a local time in a zone, in milliseconds. If there are two, it is the one that Joda chooses;
// a time in a gap is moved by the length of the gap.
func Instant(l *time.Location, shown int64) (millis int64, skipped bool) {
	if t := shown - offsetAt(l, shown); Shown(l, t) == shown {
		return t, false
	}
	return FirstInstant(l, shown)
}

// FirstInstant is Instant, with the earlier of two instants, as Java chooses.
func FirstInstant(l *time.Location, shown int64) (millis int64, skipped bool) {
	before, after := offsetAt(l, shown-day), offsetAt(l, shown+day) // on both sides of a nearby change
	for _, o := range []int64{max(before, after), min(before, after)} {
		if Shown(l, shown-o) == shown {
			return shown - o, false
		}
	}
	return shown - before, true
}

// Instant is the instant of the local time in a zone, in microseconds rounded to the given fractional precision. It is
// an error if the local time does not exist in the zone.
func (c Clock) Instant(zone string, precision int) (micros int64, err error) {
	n := c.Scaled(precision, 6)
	l, ok := Location(zone)
	if !ok || !n.IsInt64() {
		return 0, says("'%s' is not a valid time zone", zone)
	}
	shown := FloorDiv(n.Int64(), 1000)
	millis, _ := FirstInstant(l, shown)
	return millis*1000 + n.Int64() - shown*1000, nil
}

// Skipped reports whether the local time does not exist in a zone, because it is in a gap.
func (c Clock) Skipped(zone string) bool {
	l, ok := Location(zone)
	if !ok {
		return true
	}
	_, skipped := FirstInstant(l, c.Seconds*second)
	return skipped
}

// ISOOffset is the offset from UTC of a zone at an instant, in ISO 8601: Z, or +01:00. Seconds in it are an error.
func ISOOffset(zone string, millis int64) (string, error) {
	s, err := JavaOffset(zone, millis)
	if len(s) > len("+00:00") {
		return "", &Fault{"INVALID_ARGUMENTS", "Timezone with non-zero seconds offset cannot be rendered as ISO8601: " +
			s}
	}
	return s, err
}

// JavaOffset is the offset from UTC of a zone at an instant: Z, +01:00, or with its seconds +00:53:28.
func JavaOffset(zone string, millis int64) (string, error) {
	l, ok := Location(zone)
	if !ok {
		return "", says("'%s' is not a valid time zone", zone)
	}
	seconds := offsetAt(l, millis) / second
	if seconds == 0 {
		return "Z", nil
	}
	s := "+"
	if seconds < 0 {
		s, seconds = "-", -seconds
	}
	s += fmt.Sprintf("%02d:%02d", seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		s += fmt.Sprintf(":%02d", seconds%60)
	}
	return s, nil
}
