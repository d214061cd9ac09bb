// Package retry decides which failed calls are repeated, how often, and after which pause.
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

	// MostLosses is how many replies may be lost in a row to a change that can safely be sent again.
	MostLosses = 5

	settleLooks = 4 // after the first one
)

// Failure describes a failed call.
type Failure struct {
	Status int         // of the reply; 0 without one
	Header http.Header // of the reply
	Coded  bool        // the reply has an error code, so that it came from the gateway itself
	// the request was sent, and the connection ended before a whole reply, other than by a time limit
	Lost    bool
	Changes bool // the call may change something
}

// Do calls try until it succeeds, fails permanently (nil), or was repeated as often as allowed. A call that changes
// something is sent once, as it is unknown whether the change was made; only 429 guarantees that it was not. If the
// next attempt would be after the deadline of ctx, or the reply requests more than the longest pause, Do returns at
// once.
func Do(ctx context.Context, repeats int, try func() *Failure) {
	for n := 0; ; n++ {
		f := try()
		if f == nil || n >= repeats || !f.Transient() || f.Changes && f.Status != http.StatusTooManyRequests {
			return
		}
		pause := Pause(n, Longest)
		if asked, ok := Requested(f.Header, time.Now()); ok {
			if pause = asked; pause > Longest {
				return
			}
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
			return
		}
		if Sleep(ctx, pause) != nil {
			return
		}
	}
}

// Transient reports whether the same call may succeed when repeated: the gateway is overloaded or starting up, or the
// connection broke. A 500 is not included: the service answers some calls with it permanently [L].
func (f *Failure) Transient() bool {
	switch f.Status {
	// with a code it is about a source, which the gateway has retried already, as configured in the connection
	case http.StatusBadGateway:
		return !f.Coded
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case 0:
		return f.Lost
	}
	return false
}

// Pause returns the time to wait after failure n, counted from 0: doubled each time, at most longest, and randomized
// between half and one and a half of that, so that many clients do not return at the same time.
func Pause(n int, longest time.Duration) time.Duration {
	mean := Doubled(First, longest, n)
	return min(time.Duration(float64(mean)*(0.5+rand.Float64())), longest)
}

// Doubled returns first, doubled n times, at most longest.
func Doubled(first, longest time.Duration, n int) time.Duration {
	for ; n > 0 && first < longest; n-- {
		first *= 2
	}
	return min(first, longest)
}

// Settle calls look until it reports done, with growing pauses of a few seconds in all, and returns its last answer: a
// hosted zone may show a change some time after it was accepted [L].
func Settle(ctx context.Context, look func() (done bool, err error)) (bool, error) {
	for n := 0; ; n++ {
		done, err := look()
		if done || err != nil || n == settleLooks {
			return done, err
		}
		if err := Sleep(ctx, Doubled(First/2, 4*First, n)); err != nil {
			return false, err
		}
	}
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
