package jobs

import (
	"context"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/store"
)

// clockSlack is how far a clock may be put back before schedules follow it; within it nothing runs twice.
const clockSlack = time.Minute

// PutForward is when a schedule falls due, where the time on record is later than any that could have been computed now: it was
// computed by a clock that was ahead and has been put back. Nil where it stands.
func PutForward(t Timetable, due string, now time.Time) *string {
	if due <= store.Time(t.Next(now.Add(clockSlack))) {
		return nil
	}
	next := t.Next(now)
	if next.IsZero() {
		return nil
	}
	return new(store.Time(next))
}

// FollowClock is a duty that moves schedules which wait for a time that the clock told before it was put back, so that they go on
// within one period. It calls move once a minute, and when it sees the clock go back.
func FollowClock(move func(context.Context, time.Time) error) Duty {
	var last time.Time
	return Duty{"schedules after the clock was put back", func(ctx context.Context, now time.Time) error {
		now = now.Round(0) // by the clock on the wall
		if !now.Before(last) && now.Sub(last) < time.Minute {
			return nil
		}
		last = now
		return move(ctx, now)
	}}
}
