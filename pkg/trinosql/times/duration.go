package times

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// DayTimeText formats an interval in milliseconds: 3 04:05:06.000.
func DayTimeText(millis int64) string {
	sign, n := "", uint64(millis)
	if millis < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d %02d:%02d:%02d.%03d", sign, n/day, n/hour%24, n/minute%60, n/second%60, n%second)
}

// HumanReadable implements human_readable_seconds.
func HumanReadable(seconds float64) (string, error) {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		name := "NaN"
		switch {
		case seconds > 0:
			name = "Infinity"
		case seconds < 0:
			name = "-Infinity"
		}
		return "", says("Invalid argument found: %s", name)
	}
	n := int64(math.MaxInt64)
	if f := math.Floor(math.Abs(seconds) + 0.5); f < math.MaxInt64 {
		n = int64(f)
	}
	var parts []string
	for _, u := range []struct {
		name string
		size int64
	}{{"week", 604800}, {"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}} {
		k := n / u.size
		if n %= u.size; k == 1 {
			parts = append(parts, "1 "+u.name)
		} else if k > 0 {
			parts = append(parts, strconv.FormatInt(k, 10)+" "+u.name+"s")
		}
	}
	if parts == nil {
		return "0 seconds", nil
	}
	return strings.Join(parts, ", "), nil
}

var durationPattern = late.Regexp(`^\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*$`)

// Duration implements parse_duration. The result is in milliseconds.
func Duration(text string) (int64, error) {
	if text == "" {
		return 0, says("duration is empty")
	}
	m := durationPattern().FindStringSubmatch(text)
	if m == nil {
		return 0, says("duration is not a valid data duration string: %s", text)
	}
	scale, ok := map[string]float64{"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4, "h": 36e5, "d": 864e5}[m[2]]
	if !ok {
		return 0, says("Unknown time unit: %s", m[2])
	}
	f, err := strconv.ParseFloat(m[1], 64)
	f = math.Floor(f*scale + 0.5)
	if err != nil || f >= math.MaxInt64 {
		return 0, fmt.Errorf("a duration of %s is not supported on zone local", text)
	}
	return int64(f), nil
}
