package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/store"
)

// TestDutyThatFails: the log has a line when the reason changes, and none for each second.
func TestDutyThatFails(t *testing.T) {
	var log strings.Builder
	s := New(time.Now, slog.New(slog.NewTextHandler(&log, nil)), Files(t.TempDir(), false))
	defer s.Close()
	away := func(port int) error { return fmt.Errorf("%w: read tcp 127.0.0.1:%d", store.ErrAway, port) }
	results := []error{nil, away(1), away(2), away(3), errors.New("full"), errors.New("full"), nil, nil, away(4), nil}
	n := 0
	s.OnTick(Duty{Name: "d", Run: func(context.Context, time.Time) error { n++; return results[n-1] }},
		Duty{Name: "p", Run: func(context.Context, time.Time) error { panic("p") }})
	for range results {
		s.RunDuties(t.Context())
	}
	var got []string
	for l := range strings.Lines(log.String()) {
		_, l, _ = strings.Cut(strings.TrimSpace(l), "level=")
		got = append(got, l)
	}
	const failed, went = `ERROR msg="scheduled work failed" duty=`, `INFO msg="scheduled work continues" duty=d`
	reach := failed + `d error="the store cannot be reached: read tcp 127.0.0.1:`
	if want := []string{failed + `p error="internal error: p"`, reach + `1"`, failed + "d error=full", went,
		reach + `4"`, went}; !slices.Equal(got, want) {
		t.Errorf("%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDutyEvery: a duty that has a period keeps it by the wall clock, also if that is put back.
func TestDutyEvery(t *testing.T) {
	now := time.Now()
	s := New(func() time.Time { return now }, slog.New(slog.DiscardHandler), Files(t.TempDir(), false))
	defer s.Close()
	seldom, always := 0, 0
	s.OnTick(Duty{Every: time.Minute, Run: func(context.Context, time.Time) error { seldom++; return store.ErrAway }},
		Duty{Run: func(context.Context, time.Time) error { always++; return nil }})
	for _, step := range []struct {
		by   time.Duration
		want int
	}{{0, 1}, {0, 1}, {59 * time.Second, 1}, {time.Second, 2}, {time.Second, 2}, {-time.Hour, 3}, {time.Second, 3},
		{2 * time.Minute, 4}} {
		now = now.Add(step.by)
		if s.RunDuties(t.Context()); seldom != step.want {
			t.Errorf("%v later: %d runs, not %d", step.by, seldom, step.want)
		}
	}
	if always != 8 {
		t.Errorf("%d runs", always)
	}
}
