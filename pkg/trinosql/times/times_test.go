package times

import (
	"strings"
	"testing"
)

// The expected values are results of a Trino server.

func TestZoneNames(t *testing.T) {
	for text, want := range map[string]string{"UTC": "UTC", "Zulu": "UTC", "Z": "UTC", "+02:00": "+02:00",
		"+2": "+02:00", "UTC+2": "+02:00", "Etc/GMT+5": "-05:00",
		"+00:00": "UTC", "Europe/Berlin": "Europe/Berlin", "EST": "", "europe/nowhere": "", "+5:30": "",
		"+14:01": "", "": ""} {
		if got, err := ZoneName(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
}

// TestOverlap parses local times around changes of the UTC offset.
func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		clock       string
		first, joda int64 // seconds
		skipped     bool
	}{
		{"2024-10-27 02:30:00 Europe/Berlin", 1729989000, 1729992600, false},
		{"2024-11-03 01:30:00 America/New_York", 1730611800, 1730611800, false},
		{"2024-03-31 02:30:00 Europe/Berlin", 1711848600, 1711848600, true},
		{"2024-07-01 12:00:00 Asia/Kolkata", 1719815400, 1719815400, false},
	} {
		read, ok := Timestamp(c.clock)
		l, known := Location(read.Zone)
		if !ok || !known {
			t.Fatalf("%s: %v", c.clock, read)
		}
		first, skipped := FirstInstant(l, read.Seconds*1000)
		joda, _ := Instant(l, read.Seconds*1000)
		if first != c.first*1000 || joda != c.joda*1000 || skipped != c.skipped {
			t.Errorf("%s: %d, %d, %v; want %d, %d, %v", c.clock, first, joda, skipped, c.first*1000,
				c.joda*1000, c.skipped)
		}
	}
}

func TestDates(t *testing.T) {
	for _, days := range []int64{-2147483648, -719529, -719528, -1, 0, 59, 11016, 19782, 2932896, 2932897, 2147483647} {
		text := DateText(days)
		if got, ok := Date(text); !ok || got != days {
			t.Errorf("%s is %d, not %d", text, got, days)
		}
	}
	for _, bad := range []string{"", "2023-02-29", "2024-13-01", "2024-1", "20240101", "5881580-07-12",
		"2024-01-01 00:00"} {
		if _, ok := Date(bad); ok {
			t.Errorf("%q is taken for a date", bad)
		}
	}
}

// TestPatterns formats a time and parses the result.
func TestPatterns(t *testing.T) {
	const shown = 1709202645123 // 2024-02-29 10:30:45.123
	for pattern, want := range map[string]string{
		"yyyy-MM-dd HH:mm:ss.SSS":     "2024-02-29 10:30:45.123",
		"xxxx-'W'ww-e hh:mm:ss.SSS a": "2024-W09-4 10:30:45.123 AM",
		"yyyy DDD kk mm ss SSS":       "2024 060 10 30 45 123",
		"EEE d MMMM y G HH:mm:ss.SSS": "Thu 29 February 2024 AD 10:30:45.123",
	} {
		p, err := Joda(pattern)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Write(shown, "UTC", shown)
		if err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", pattern, got, err, want)
		}
		back, zone, err := p.ReadInstant(got)
		if err != nil || back != shown || zone != "UTC" {
			t.Errorf("%s: %q is read as %d %s %v", pattern, got, back, zone, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("yyyy-MM-dd", "2024-02-29")
	f.Add("EEE, d MMM yy hh:mm a zzz ZZZ", "Thu, 29 Feb 24 10:30 AM UTC")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern)+len(text) > 1000 {
			return
		}
		for _, read := range []func(string) (Pattern, error){MySQL, Joda} {
			p, err := read(pattern)
			if err != nil {
				continue
			}
			if millis, zone, err := p.ReadInstant(text); err == nil {
				if _, err := p.Write(millis, zone, millis); err != nil && !strings.Contains(err.Error(),
					"on zone local") {
					t.Errorf("%q %q: %v", pattern, text, err)
				}
			}
		}
		_, _ = ISODate(text)
		_, _, _ = ISOTimestamp(text)
		_, _ = Timestamp(text)
		_, _ = Time(text)
	})
}
