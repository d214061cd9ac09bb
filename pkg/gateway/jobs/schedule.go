package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// crashRest is how long a schedule waits after the start of a run that ended with its process: if the run caused the
// crash, a gateway that is restarted repeatedly can still serve in between.
const crashRest = 10 * time.Minute

// Resting reports whether a schedule waits because the last run, according to its start and the reason of its failure,
// ended with its process. A run that a gateway ended itself, because it was stopped, does not count.
func Resting(started, reason string, now time.Time) bool {
	at, err := time.Parse(time.RFC3339, started)
	return reason == Crashed && err == nil && !now.Before(at) && now.Sub(at) < crashRest
}

// EndEvery is how often a serving gateway looks for runs of processes that have ended.
const EndEvery = 5 * time.Second

// Duty is scheduled work. It looks up what is due, starts it in the background and returns.
type Duty struct {
	Name  string
	Every time.Duration // the least time between two runs, by the wall clock, unless that was put back
	Ends  bool          // it also runs after a scheduled run has ended
	Run   func(ctx context.Context, now time.Time) error

	last  time.Time // when it ran
	fault string    // why it failed then, "" if it did not
}

// lookAgain is the least pause between two looks at what is due.
const lookAgain = 50 * time.Millisecond

// StartSchedules runs the duties every second, and after a scheduled run has ended, until stop is called. Only a
// serving gateway does so: the process of a single command only runs that command.
func (s *Service) StartSchedules() (stop func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	safely.Go(func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for all := true; ; {
			s.runDuties(ctx, all)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				all = true
			case <-s.turns.ended:
				if all = false; retry.Sleep(ctx, lookAgain) != nil {
					return
				}
			}
		}
	})
	return func() { cancel(); <-done }
}

// RunDuties runs all duties once.
func (s *Service) RunDuties(ctx context.Context) { s.runDuties(ctx, true) }

func (s *Service) runDuties(ctx context.Context, all bool) {
	for i := range s.duties {
		d, now := &s.duties[i], s.now().Round(0)
		if !all && !d.Ends || !now.Before(d.last) && now.Sub(d.last) < d.Every {
			continue
		}
		d.last = now
		err := Caught(func() error { return d.Run(ctx, now) })
		if ctx.Err() != nil {
			return
		}
		s.tell(d, err)
	}
}

// tell logs that a duty fails for another reason than the last time, or no longer fails: it runs every second.
func (s *Service) tell(d *Duty, err error) {
	was := d.fault
	switch {
	case err == nil:
		d.fault = ""
	case errors.Is(err, store.ErrAway): // the text may have the port of the attempt
		d.fault = store.ErrAway.Error()
	default:
		d.fault = err.Error()
	}
	switch {
	case d.fault == was:
	case err != nil:
		s.log.Error("scheduled work failed", "duty", d.Name, "error", err)
	default:
		s.log.Info("scheduled work continues", "duty", d.Name)
	}
}
