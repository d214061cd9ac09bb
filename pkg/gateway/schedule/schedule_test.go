package schedule

import (
	"testing"
	"time"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPeriods(t *testing.T) {
	for _, c := range []struct{ period, anchor, after, want string }{
		{"PT15M", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:15:00Z"},
		{"PT15M", "2026-01-01T00:00:00Z", "2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z"},
		{"PT15M", "2026-01-01T00:00:00Z", "2026-03-01T00:14:59Z", "2026-03-01T00:15:00Z"},
		{"PT1.5S", "2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"},
		{"P1D", "2026-03-28T02:30:00Z", "2026-03-29T02:30:00Z", "2026-03-30T02:30:00Z"},
		{"P2W", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2026-01-15T00:00:00Z"},
		{"P1M", "2024-01-31T08:00:00Z", "2024-01-31T08:00:00Z", "2024-02-29T08:00:00Z"},
		{"P1M", "2024-01-31T08:00:00Z", "2024-02-29T08:00:00Z", "2024-03-31T08:00:00Z"},
		{"P1Y", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", "2025-02-28T00:00:00Z"},
		{"P1M1DT1H", "2024-01-01T00:00:00Z", "2024-12-31T00:00:00Z", "2025-01-13T12:00:00Z"},
		// set by a clock that was a day ahead
		{"PT1H", "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"},
		{"PT1H", "2026-01-02T00:30:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:30:00Z"},
		{"P1M", "2026-03-31T00:00:00Z", "2026-01-15T00:00:00Z", "2026-01-31T00:00:00Z"},
		{"P1M", "2026-03-31T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"},
	} {
		p, err := ParsePeriod(c.period)
		if err != nil {
			t.Errorf("%s: %v", c.period, err)
			continue
		}
		if got := (EveryFrom{at(t, c.anchor), p}).Next(at(t, c.after)); !got.Equal(at(t, c.want)) {
			t.Errorf("%s from %s after %s = %s, want %s", c.period, c.anchor, c.after, got.Format(time.RFC3339), c.want)
		}
	}
	for _, bad := range []string{"", "P", "PT", "P1DT", "15m", "1h", "PT0S", "PT0.5S", "-PT1H", "PT-1H", "P1H", "PT1D",
		"PT1.5H", "P51Y", "pt1h", "PT1H ", "P1M2W3Y"} {
		if p, err := ParsePeriod(bad); err == nil {
			t.Errorf("%q is taken as %+v", bad, p)
		}
	}
}

// TestCronZones takes the moments around changes of the clock from the rules of the zones.
func TestCronZones(t *testing.T) {
	for _, c := range []struct{ expr, zone, after, want string }{
		{"0 6 * * *", "", "2026-01-01T06:00:00Z", "2026-01-02T06:00:00Z"},
		{"0 6 * * *", "Europe/Berlin", "2026-01-01T00:00:00Z", "2026-01-01T05:00:00Z"},
		{"0 6 * * *", "Europe/Berlin", "2026-07-01T00:00:00Z", "2026-07-01T04:00:00Z"},
		{"0 6 * * *", "Europe/Berlin", "2026-03-28T05:00:00Z", "2026-03-29T04:00:00Z"},
		{"*/20 9-10 * * 1-5", "America/New_York", "2026-01-02T15:41:00Z", "2026-01-05T14:00:00Z"},
		{"30 4 1 * *", "Asia/Kolkata", "2026-01-31T23:01:00Z", "2026-02-28T23:00:00Z"},
		{"0 0 29 2 *", "UTC", "2025-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
	} {
		z, err := ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParseCron(c.expr, z)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		if got := s.Next(at(t, c.after)); !got.Equal(at(t, c.want)) {
			t.Errorf("%s %s after %s = %s, want %s", c.expr, c.zone, c.after, got.Format(time.RFC3339), c.want)
		}
	}
	for _, bad := range []string{"", "* * * *", "* * * * * *", "@daily", "60 * * * *", "* 24 * * *", "TZ=UTC * * * * *",
		"TZ=UTC * * * *", "0 0 30 2 *", "a * * * *"} {
		if _, err := ParseCron(bad, time.UTC); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, bad := range []string{"Local", "local", "Mars/Base", "../etc/passwd"} {
		if _, err := ParseZone(bad); err == nil {
			t.Errorf("zone %q is taken", bad)
		}
	}
}

func FuzzParsePeriod(f *testing.F) {
	for _, s := range []string{"PT1H", "P1Y2M3W4DT5H6M7.8S", "P600M", "PT99999H9999999M999999999S"} {
		f.Add(s)
	}
	anchor := time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePeriod(s)
		if err != nil {
			return
		}
		e := EveryFrom{anchor, p}
		one := e.Next(anchor)
		two := e.Next(one)
		if !one.After(anchor) || !two.After(one) {
			t.Fatalf("%q: %v then %v", s, one, two)
		}
		if got := e.Next(two.Add(-time.Nanosecond)); !got.Equal(two) {
			t.Fatalf("%q: just before %v comes %v", s, two, got)
		}
	})
}
