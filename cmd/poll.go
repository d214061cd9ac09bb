package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// waitLimit is how long commands wait by default: as long as the longest query may take.
const waitLimit = 2 * time.Hour

// waitFlags ask to wait for work of the gateway. They are the same on every command that has them.
type waitFlags struct {
	wait           bool
	limit, stalled time.Duration
	c              *cobra.Command
}

// register adds all of them; what is what the command waits for.
func (w *waitFlags) register(c *cobra.Command, what string) {
	c.Flags().BoolVar(&w.wait, "wait", false, "wait until "+what)
	w.limits(c)
}

// limits adds those of a command that waits in any case.
func (w *waitFlags) limits(c *cobra.Command) {
	w.c = c
	c.Flags().DurationVar(&w.limit, "wait-timeout", waitLimit, "longest wait, such as 10m; what was waited for goes on, with exit code 8; 0 for no limit")
}

// signs adds the one for work that shows signs of life.
func (w *waitFlags) signs(c *cobra.Command) {
	c.Flags().DurationVar(&w.stalled, "stalled-after", 15*time.Minute, "give up a refresh that shows no sign of life for so long; 0 for never")
}

// check refuses flags that would have no effect. waits says that the command waits for another reason than --wait.
func (w *waitFlags) check(waits bool) error {
	switch {
	case w.limit < 0:
		return usagef("--wait-timeout: %v is negative", w.limit)
	case w.stalled < 0:
		return usagef("--stalled-after: %v is negative", w.stalled)
	case w.c.Flags().Changed("wait-timeout") && !w.wait && !waits:
		if w.c.Flags().Lookup("download") != nil {
			return usagef("--wait-timeout needs --wait or --download")
		}
		return usagef("--wait-timeout needs --wait")
	}
	return nil
}

// waiting is how a command waits for work of the gateway.
type waiting struct {
	what    string        // for messages: "export 1f.."
	limit   time.Duration // 0: none
	resume  string        // the command that goes on waiting, or looks, without the program's name
	cancel  string        // the one that cancels the work
	stalled time.Duration // 0: never; else how long nothing may change
}

// wait calls look, ever less often, until it answers done. state and mark describe the work; a state is shown on a terminal when
// it changes, and work whose state and mark stay the same for w.stalled is given up as stalled (exit 7). At the limit it ends
// with exit 8. A gateway that cannot be asked for a while does not end the wait: the work may well go on.
func (e *Env) wait(ctx context.Context, w waiting, look func() (state, mark string, done bool, err error)) (err error) {
	defer func() { err = e.left(ctx, err, w.what, w.resume, w.cancel) }()
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
			f := &failure{exit: exitPending, code: "pending", msg: fmt.Sprintf("%s is still %s after %v", w.what, state, w.limit), hint: "go on waiting with `dig " + w.resume + "`"}
			if strings.HasPrefix(w.resume, "metadata status") { // there is no command that waits for one begun before
				f.hint = "it goes on; `dig " + w.resume + "` tells how it ends"
			}
			if w.cancel != "" {
				f.hint += ", or end it with `dig " + w.cancel + "`"
			}
			return f
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(pause*3/2, 3*time.Second)
	}
}

// patience is how long a wait goes on without an answer.
const patience = 30 * time.Second

// unanswered reports whether the gateway could not say how the work stands.
func unanswered(err error) bool {
	var ae *api.Error
	return !errors.Is(err, errDone) && errors.As(err, &ae) && (ae.Kind == api.KindUnavailable || ae.Kind == api.KindTimeout)
}
