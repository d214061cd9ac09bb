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
