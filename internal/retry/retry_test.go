package retry

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	for n, mean := range map[int]time.Duration{0: First, 1: 2 * First, 3: 8 * First} {
		for range 100 {
			if got := Pause(n, Longest); got < mean/2 || got > mean*3/2 {
				t.Fatalf("%d: %v", n, got)
			}
		}
	}
	for _, n := range []int{20, 1000} {
		if got := Pause(n, time.Second); got < time.Second/2 || got > time.Second {
			t.Errorf("%d: %v", n, got)
		}
	}
}

func TestRequested(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for value, want := range map[string]struct {
		pause time.Duration
		ok    bool
	}{
		"": {}, "3": {3 * time.Second, true}, " 0 ": {0, true}, "-1": {}, "soon": {},
		"Thu, 01 Jan 1970 00:00:00 GMT": {0, true}, "Thu, 01 Jan 2026 00:01:00 GMT": {time.Minute, true},
	} {
		if got, ok := Requested(http.Header{"Retry-After": {value}}, now); got != want.pause || ok != want.ok {
			t.Errorf("%q: %v, %v", value, got, ok)
		}
	}
}

func TestSleep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Sleep(context.Background(), 0); err != nil {
		t.Error(err)
	}
}

func TestDo(t *testing.T) {
	now := http.Header{"Retry-After": {"0"}}
	for _, c := range []struct {
		name    string
		changes bool
		f       Failure
		calls   int
	}{
		{"overloaded", false, Failure{Status: 503, Header: now}, 3},
		{"a change, overloaded", true, Failure{Status: 503, Header: now}, 1},
		{"a change, too many", true, Failure{Status: 429, Header: now}, 3},
		{"a gateway in between", false, Failure{Status: 502, Header: now}, 3},
		{"a source", false, Failure{Status: 502, Header: now, Coded: true}, 1},
		{"internal error", false, Failure{Status: 500, Header: now}, 1},
		{"not found", false, Failure{Status: 404, Header: now}, 1},
		{"lost", false, Failure{Header: now, Lost: true}, 3},
		{"a lost change", true, Failure{Header: now, Lost: true}, 1},
		{"refused", false, Failure{Header: now}, 1},
		{"asks for an hour", false, Failure{Status: 503, Header: http.Header{"Retry-After": {"3600"}}}, 1},
	} {
		calls := 0
		c.f.Changes = c.changes
		Do(context.Background(), 2, func() *Failure { calls++; return &c.f })
		if calls != c.calls {
			t.Errorf("%s: %d calls, want %d", c.name, calls, c.calls)
		}
	}
	calls := 0
	Do(context.Background(), 5, func() *Failure {
		if calls++; calls == 2 {
			return nil
		}
		return &Failure{Status: 503, Header: now}
	})
	if calls != 2 {
		t.Errorf("%d calls with a success at the second", calls)
	}
}
