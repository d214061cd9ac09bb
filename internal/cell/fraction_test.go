package cell

import "testing"

func TestTrimFraction(t *testing.T) {
	for in, want := range map[string]string{
		"16:00:00.000000": "16:00:00", "05:01:36.120": "05:01:36.12",
		"2021-01-03 10:00:00.000 UTC":   "2021-01-03 10:00:00 UTC",
		"2021-01-03T10:00:00.500+05:30": "2021-01-03T10:00:00.5+05:30", "10:00": "10:00", "": "",
		"2021-01-03 10:00:00 Europe/Berlin": "2021-01-03 10:00:00 Europe/Berlin",
		"10:00:00.":                         "10:00:00", "10:00:00.000001": "10:00:00.000001",
	} {
		if got := string(TrimFraction([]byte("ab"+in), 2)); got != "ab"+want {
			t.Errorf("%q: %q, want %q", in, got[2:], want)
		}
	}
}
