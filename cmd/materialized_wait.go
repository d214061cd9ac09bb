package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// waitFlags ask to wait for a run.
type waitFlags struct {
	wait  bool
	limit time.Duration
}

func (w *waitFlags) register(c *cobra.Command, what string) {
	c.Flags().BoolVar(&w.wait, "wait", false, "wait until "+what+" has ended")
	w.registerLimit(c)
}

func (w *waitFlags) registerLimit(c *cobra.Command) {
	c.Flags().DurationVar(&w.limit, "wait-timeout", 30*time.Minute, "give up waiting after this long; the run goes on")
}

// check refuses flags that would have no effect.
func (w *waitFlags) check(c *cobra.Command, runs bool) error {
	switch {
	case w.wait && !runs:
		return usagef("--wait needs a materialized query: there is nothing to wait for")
	case c.Flags().Changed("wait-timeout") && !w.wait:
		return usagef("--wait-timeout needs --wait")
	case w.limit <= 0:
		return usagef("--wait-timeout: %v is not a time to wait", w.limit)
	}
	return nil
}

// runState is the one spelling of a state that dig uses. States it does not know are not final: a wait must not end on a guess.
type runState int

const (
	runPending runState = iota
	runDone
	runFailed
	runCanceled
)

func runStateOf(status string) runState {
	switch strings.ToUpper(status) {
	case "COMPLETED", "SUCCEEDED":
		return runDone
	case "FAILED":
		return runFailed
	case "CANCELED", "CANCELLED":
		return runCanceled
	}
	return runPending
}

// settledAfter tells whether the run that a caller waits for has ended. The state before the trigger is served until the new run
// has started, and a query that never ran reads COMPLETED, so the start time decides which run a state belongs to.
func settledAfter(before *api.MaterializedQueryStatus, now api.MaterializedQueryStatus) bool {
	if now.LastExecutionStartTime == nil || runStateOf(now.Status) == runPending {
		return false
	}
	if before == nil || before.LastExecutionStartTime == nil {
		return true
	}
	return *before.LastExecutionStartTime != *now.LastExecutionStartTime
}

// waitRun polls until the run has ended. before is the state ahead of the trigger, nil to wait for the latest run whichever it
// is.
func (e *Env) waitRun(ctx context.Context, cl *api.Client, project, id, name string, before *api.MaterializedQueryStatus, limit time.Duration) (api.MaterializedQueryStatus, error) {
	begun := time.Now()
	pause, told := 50*time.Millisecond, false
	for {
		s, err := cl.Materialized.Status(ctx, project, id)
		if err != nil {
			return s, err
		}
		if settledAfter(before, s) {
			return s, endOf(name, s)
		}
		waited := time.Since(begun)
		if waited >= limit {
			return s, &failure{exit: exitPending, code: "pending", msg: fmt.Sprintf("%s is still %s after %v", name, stateWords(s), limit),
				hint: "the run goes on; `dig materialized wait` waits for it, `dig materialized cancel` ends it"}
		}
		if e.ErrTerm && !told && waited > 2*time.Second {
			fmt.Fprintf(e.Err, "waiting for the run of %s\n", name)
			told = true
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(min(pause, limit-waited)):
		}
		pause = min(pause*3/2, 2*time.Second)
	}
}

// endOf is nil for a run that completed.
func endOf(name string, s api.MaterializedQueryStatus) error {
	switch runStateOf(s.Status) {
	case runFailed:
		msg := "the run of " + name + " failed"
		if s.Error != nil && *s.Error != "" {
			msg += ": " + *s.Error
		}
		return &failure{exit: exitJob, code: "job-failed", msg: msg, hint: "the stored rows, if any, are those of the last run that completed"}
	case runCanceled:
		return &failure{exit: exitJob, code: "job-canceled", msg: "the run of " + name + " was canceled", hint: "the stored rows, if any, are those of the last run that completed"}
	}
	return nil
}
