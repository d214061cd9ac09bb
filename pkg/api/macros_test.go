package api

import (
	"testing"
	"time"
)

func TestResolveMacro(t *testing.T) {
	now := time.Date(2024, 3, 31, 13, 5, 59, 7, time.UTC) // a Sunday
	for _, c := range []struct{ in, want string }{
		{"@today", "2024-03-31"}, {"@yesterday", "2024-03-30"}, {"@now", "2024-03-31 13:05:59"}, {"@sow", "2024-03-25"},
		{"@eow", "2024-03-31"},
		{"@som", "2024-03-01"}, {"@eom", "2024-03-31"}, {"@soq", "2024-01-01"}, {"@eoq", "2024-03-31"},
		{"@soy", "2024-01-01"}, {"@eoy", "2024-12-31"},
		{"@today-1M", "2024-02-29"}, {"@today+1M", "2024-04-30"}, {"@today-1y-1d", "2023-03-30"},
		{"@today-1q", "2023-12-31"}, {"@som-2w", "2024-02-16"},
		{"@today-1m", "2024-03-30 23:59:00"}, {"@now-2h", "2024-03-31 11:05:59"}, {"@TODAY", "2024-03-31"},
	} {
		m, ok, err := ResolveMacro(c.in, now)
		if err != nil || !ok || m.Text != c.want {
			t.Errorf("%s = %q, %v, %v; want %s", c.in, m.Text, ok, err, c.want)
		}
	}
	if m, _, _ := ResolveMacro("@today-1m", now); !m.Minutes {
		t.Error("minutes are not told")
	}
	for _, bad := range []string{"@", "@2020", "@tomorrow", "@today-7", "@today-7x", "@today 7d", "@today--7d"} {
		if _, ok, err := ResolveMacro(bad, now); !ok || err == nil {
			t.Errorf("%s: %v, %v", bad, ok, err)
		}
	}
	if _, ok, err := ResolveMacro("today", now); ok || err != nil {
		t.Error("a plain text is taken for a macro")
	}
}
