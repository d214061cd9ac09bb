package times

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones by name on systems without a database of their own

	"github.com/dig-cli/dig/pkg/late"
)

var offsetPattern = late.Regexp(`^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d\d))?$`)

// ZoneName is the name that Trino gives a time zone, UTC for all that are the same. The error is what it says of a text that is none.
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
	case "UTC", "Z", "GMT", "UT", "UCT", "Zulu", "Universal", "Greenwich", "GMT0", "Etc/UTC", "Etc/UCT", "Etc/GMT", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0", "Etc/Zulu", "Etc/Universal", "Etc/Greenwich":
		return "UTC", nil
	case "EST", "HST", "MST", "ROC", "Local", "Factory", "localtime", "posixrules", "":
		return "", says("'%s' is not a valid time zone", text)
	}
	if rest, ok := strings.CutPrefix(text, "Etc/GMT"); ok && len(rest) > 1 { // their signs are those of POSIX
		if h, err := strconv.ParseInt(rest, 10, 64); err == nil && h >= -14 && h <= 12 {
			return OffsetName(-h * 60), nil
		}
	}
	if _, ok := Location(text); !ok {
		return "", says("'%s' is not a valid time zone", text)
	}
	return text, nil
}

// FarOffset reports whether a text is an offset that is farther from UTC than zones may be.
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

// OffsetName is the name of a zone that is a number of minutes ahead of UTC.
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

// Offset is the number of minutes that a zone of that name is ahead of UTC; ok is false for a region.
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

// Location is the zone of a name of Trino's.
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

// offsetAt is how many milliseconds a zone is ahead of UTC at an instant.
func offsetAt(l *time.Location, millis int64) int64 {
	_, seconds := time.UnixMilli(millis).In(l).Zone()
	return int64(seconds) * second
}

// Shown is what the clock of a zone shows at an instant, in milliseconds.
func Shown(l *time.Location, millis int64) int64 { return millis + offsetAt(l, millis) }

// Instant is when the clock of a zone shows a time, in milliseconds. Of two instants it is the one that Joda takes; a time that is skipped is
// moved by what the clock was put forward.
func Instant(l *time.Location, shown int64) (millis int64, skipped bool) {
	if t := shown - offsetAt(l, shown); Shown(l, t) == shown {
		return t, false
	}
	return FirstInstant(l, shown)
}

// FirstInstant is Instant, with the first of two instants, as Java has it.
func FirstInstant(l *time.Location, shown int64) (millis int64, skipped bool) {
	before, after := offsetAt(l, shown-day), offsetAt(l, shown+day) // on both sides of a change near by
	for _, o := range []int64{max(before, after), min(before, after)} {
		if Shown(l, shown-o) == shown {
			return shown - o, false
		}
	}
	return shown - before, true
}

// Instant is when it is this time in a zone, in microseconds of which so many digits are kept. The error says that it never is.
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

// Skipped reports whether the clock of a zone never shows this time, since it was put forward.
func (c Clock) Skipped(zone string) bool {
	l, ok := Location(zone)
	if !ok {
		return true
	}
	_, skipped := FirstInstant(l, c.Seconds*second)
	return skipped
}

// OffsetText is how far a zone is ahead of UTC at an instant, as ISO 8601 has it: Z, or +01:00.
func OffsetText(zone string, millis int64) (string, error) {
	l, ok := Location(zone)
	if !ok {
		return "", says("'%s' is not a valid time zone", zone)
	}
	seconds := offsetAt(l, millis) / second
	if seconds == 0 {
		return "Z", nil
	}
	if seconds%60 != 0 {
		clock := fmt.Sprintf("%02d:%02d:%02d", max(seconds, -seconds)/3600, max(seconds, -seconds)/60%60, max(seconds, -seconds)%60)
		return "", &Fault{"INVALID_ARGUMENTS", "Timezone with non-zero seconds offset cannot be rendered as ISO8601: " + map[bool]string{true: "-", false: "+"}[seconds < 0] + clock}
	}
	s := "+"
	if seconds < 0 {
		s, seconds = "-", -seconds
	}
	return fmt.Sprintf("%s%02d:%02d", s, seconds/3600, seconds/60%60), nil
}
