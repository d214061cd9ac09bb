package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// waitLimit is how long commands wait by default: as long as the longest query may take.
const waitLimit = 2 * time.Hour

// WaitFlags are the flags for waiting for work of the gateway. They are the same on every command that has them.
type WaitFlags struct {
	Wait           bool
	Limit, Stalled time.Duration
	c              *cobra.Command
}

// Register adds --wait and the flags of Limits; what names the state that the command waits for.
func (w *WaitFlags) Register(c *cobra.Command, what string) {
	c.Flags().BoolVar(&w.Wait, "wait", false, "wait until "+what)
	w.Limits(c)
}

// Limits adds the flags of a command that always waits.
func (w *WaitFlags) Limits(c *cobra.Command) {
	w.c = c
	DurationVar(c.Flags(), &w.Limit, "wait-timeout", waitLimit,
		"longest wait, such as 10m; then exit with code 8 while the work continues; 0 for no limit")
}

// Signs adds the flag for work that reports progress.
func (w *WaitFlags) Signs(c *cobra.Command) {
	DurationVar(c.Flags(), &w.Stalled, "stalled-after", 15*time.Minute,
		"give up a refresh that shows no progress for this long; 0 for never")
}

// Check rejects flags that would have no effect. waits means that the command waits for another reason than --wait.
func (w *WaitFlags) Check(waits bool) error {
	if w.c.Flags().Changed("wait-timeout") && !w.Wait && !waits {
		if w.c.Flags().Lookup("download") != nil {
			return exitcode.Usagef("--wait-timeout requires --wait or --download")
		}
		return exitcode.Usagef("--wait-timeout requires --wait")
	}
	return nil
}

// Waiting describes how a command waits for work of the gateway.
type Waiting struct {
	What    string        // for messages: "export 1f.."
	Limit   time.Duration // 0: none
	Resume  string        // the command that waits again or shows the state, without the program's name
	Cancel  string        // the command that cancels the work
	Stalled time.Duration // how long nothing may change; 0 for no limit
}

// Wait calls look with growing intervals until it reports done. state and mark describe the work; a new state is shown
// on a terminal, and work whose state and mark stay the same for w.stalled is considered stalled (exit code 7). At the
// limit the wait ends with exit code 8. A gateway that is unreachable for a while does not end the wait: the work may
// still be running.
func (e *Env) Wait(ctx context.Context, w Waiting, look func() (state, mark string, done bool, err error)) (err error) {
	defer func() { err = e.left(ctx, err, w.What, w.Resume, w.Cancel) }()
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
			if !unanswered(err) || e.Now().Sub(silent) > patience || w.Limit > 0 && e.Now().Sub(start)+pause > w.Limit {
				return err
			}
			state = "unreachable (" + err.Error() + ")"
		} else if silent = (time.Time{}); done {
			return nil
		}
		if now := state + "\x00" + mark; now != last {
			if e.Live() {
				fmt.Fprintf(e.Err, "%s: %s (%v)\n", w.What, state, e.Now().Sub(start).Round(time.Second))
			}
			last, moved = now, e.Now()
		}
		if w.Stalled > 0 && e.Now().Sub(moved) >= w.Stalled {
			return &exitcode.Failure{Exit: exitcode.Job, Code: "stalled",
				Msg:  fmt.Sprintf("%s is %s but nothing has changed for %v", w.What, state, w.Stalled),
				Hint: "cancel it and start it again"}
		}
		if w.Limit > 0 && e.Now().Sub(start)+pause > w.Limit {
			f := &exitcode.Failure{Exit: exitcode.Pending, Code: "pending", Msg: fmt.Sprintf("%s is still %s after %v",
				w.What, state, w.Limit.Round(time.Millisecond)), Hint: "wait again with `dig " + w.Resume + "`"}
			if strings.HasPrefix(w.Resume, "metadata status") { // no command waits for work that was started earlier
				f.Hint = "it continues; `dig " + w.Resume + "` shows how it ends"
			}
			if w.Cancel != "" {
				f.Hint += ", or end it with `dig " + w.Cancel + "`"
			}
			return f
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(pause*3/2, 3*time.Second)
	}
}

// patience is how long a wait continues without an answer from the gateway.
const patience = 30 * time.Second

// unanswered reports whether the gateway could not report the state of the work.
func unanswered(err error) bool {
	var ae *api.Error
	return !errors.Is(err, ErrDone) && errors.As(err, &ae) && (ae.Kind == api.KindUnavailable ||
		ae.Kind == api.KindTimeout)
}
