package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestSettle: a change that shows late is waited for, an error or the end of the context ends the wait, and it is
// bounded.
func TestSettle(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		after int // looks until it is done; 0 for never
		err   error
		looks int
		done  bool
	}{
		"at once": {1, nil, 1, true},
		"late":    {3, nil, 3, true},
		"never":   {0, nil, settleLooks + 1, false},
		"error":   {0, broken, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			done, err := Settle(t.Context(), func() (bool, error) {
				n++
				return n == c.after, c.err
			})
			if done != c.done || !errors.Is(err, c.err) || n != c.looks {
				t.Errorf("%s: %v, %v after %d looks", name, done, err, n)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	if done, err := Settle(ctx, func() (bool, error) { cancel(); return false, nil }); done ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", done, err)
	}
}

func TestDoubled(t *testing.T) {
	for n, want := range map[int]time.Duration{-1: 3, 0: 3, 1: 6, 2: 10, 100: 10} {
		if got := Doubled(3, 10, n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
