package jobs

import (
	"context"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/schedule"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// clockSlack is how far a clock may be set back before schedules are moved. With smaller changes nothing runs twice.
const clockSlack = time.Minute

// PutForward returns when a schedule is due if the recorded time is later than any that could be computed now: it was
// computed by a clock that was ahead and has been set back. It returns nil if the recorded time is plausible.
func PutForward(t schedule.Timetable, due string, now time.Time) *string {
	if due <= store.Time(t.Next(now.Add(clockSlack))) {
		return nil
	}
	next := t.Next(now)
	if next.IsZero() {
		return nil
	}
	return new(store.Time(next))
}

// FollowClock is a duty that moves schedules after the clock was set back, so that they run within one period.
func FollowClock(move func(context.Context, time.Time) error) Duty {
	return Duty{Name: "schedules after the clock was put back", Every: time.Minute, Run: move}
}
