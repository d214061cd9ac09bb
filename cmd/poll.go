package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dig-cli/dig/pkg/api"
)

// waiting is how a command waits for work of the gateway.
type waiting struct {
	what    string        // for messages: "export 1f.."
	limit   time.Duration // 0: none
	resume  string        // the command that goes on waiting, without the program's name
	stalled time.Duration // 0: never; else how long nothing may change
}

// wait calls look, ever less often, until it answers done. state and mark describe the work; a state is shown on a terminal when
// it changes, and work whose state and mark stay the same for w.stalled is given up as stalled (exit 7). At the limit it ends
// with exit 8. A gateway that cannot be asked for a while does not end the wait: the work may well go on.
func (e *Env) wait(ctx context.Context, w waiting, look func() (state, mark string, done bool, err error)) error {
	start, moved := e.Now(), e.Now()
	var silent time.Time // since when the gateway has not answered
	pause := 50 * time.Millisecond
	var last string
	for {
		state, mark, done, err := look()
		if err != nil {
			if silent.IsZero() {
				silent = e.Now()
			}
			if !unanswered(err) || e.Now().Sub(silent) > patience || w.limit > 0 && e.Now().Sub(start)+pause > w.limit {
				return err
			}
			state = "out of sight (" + err.Error() + ")"
		} else if silent = (time.Time{}); done {
			return nil
		}
		if now := state + "\x00" + mark; now != last {
			if e.ErrTerm {
				fmt.Fprintf(e.Err, "%s: %s (%v)\n", w.what, state, e.Now().Sub(start).Round(time.Second))
			}
			last, moved = now, e.Now()
		}
		if w.stalled > 0 && e.Now().Sub(moved) >= w.stalled {
			return &failure{exit: exitJob, code: "stalled", msg: fmt.Sprintf("%s is %s but nothing has changed for %v", w.what, state, w.stalled), hint: "cancel it and start it again"}
		}
		if w.limit > 0 && e.Now().Sub(start)+pause > w.limit {
			return &failure{exit: exitPending, code: "pending", msg: fmt.Sprintf("%s is still %s after %v", w.what, state, w.limit), hint: "go on waiting with `dig " + w.resume + "`"}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(pause*3/2, 3*time.Second)
	}
}

// patience is how long a wait goes on without an answer.
const patience = 30 * time.Second

// unanswered reports whether the gateway could not say how the work stands.
func unanswered(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && (ae.Kind == api.KindUnavailable || ae.Kind == api.KindTimeout)
}
