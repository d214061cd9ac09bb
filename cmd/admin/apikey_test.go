package admin

import (
	"testing"
	"time"
)

func TestParseExpiry(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"12h":                       "2026-02-01T00:00:00Z",
		"30d":                       "2026-03-02T12:00:00Z",
		"2w":                        "2026-02-14T12:00:00Z",
		"1y":                        "2027-01-31T12:00:00Z",
		"2026-02-01":                "2026-02-01T00:00:00Z",
		"2026-02-01T01:00:00+02:00": "2026-01-31T23:00:00Z",
	} {
		got, err := parseExpiry(in, now)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("parseExpiry(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "30", "d", "-1d", "30m", "1.5d", "2026-01-31", "2020-01-01T00:00:00Z", "tomorrow",
		"2026-02-30"} {
		if got, err := parseExpiry(in, now); err == nil {
			t.Errorf("parseExpiry(%q) = %v, want an error", in, got)
		}
	}
}
