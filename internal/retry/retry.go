// Package retry computes how long to wait before a failed call is repeated.
package retry

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// First is the mean pause before the second attempt; it doubles with each further one.
	First = 500 * time.Millisecond
	// Longest is the maximum pause, unless the caller sets another.
	Longest = time.Minute
)

// Pause returns the time to wait after failure n, counted from 0: doubled each time, at most longest, and randomized
// between half and one and a half of that, so that many clients do not return at the same time.
func Pause(n int, longest time.Duration) time.Duration {
	mean := min(First<<min(n, 20), longest)
	return min(time.Duration(float64(mean)*(0.5+rand.Float64())), longest)
}

// Requested returns the pause that a Retry-After header requests, in seconds or as a date; ok is false if there is
// none.
func Requested(header http.Header, now time.Time) (pause time.Duration, ok bool) {
	v := strings.TrimSpace(header.Get("Retry-After"))
	if n, err := strconv.ParseInt(v, 10, 32); err == nil && n >= 0 {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// Sleep waits, or returns the error of a context that ends before.
func Sleep(ctx context.Context, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
