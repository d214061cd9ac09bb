// Package retry holds how long to wait before a failed call is made again.
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
	// First is the mean pause before the second try; it doubles with each further one.
	First = 500 * time.Millisecond
	// Longest is the longest pause that is waited, unless the caller sets another.
	Longest = time.Minute
)

// Pause is the time to wait after the n-th failure, counted from 0: doubled each time, at most longest, and between half and one and a
// half of that, so that many clients do not come back at once.
func Pause(n int, longest time.Duration) time.Duration {
	mean := min(First<<min(n, 20), longest)
	return min(time.Duration(float64(mean)*(0.5+rand.Float64())), longest)
}

// Requested is the pause that a Retry-After header asks for, in seconds or as a date; ok is false when it asks for none.
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
