package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
)

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

// waitRun waits until the run has ended. before is the state ahead of the trigger, nil to wait for the latest run whichever it is.
func (e *Env) waitRun(ctx context.Context, cl *api.Client, project, id, name string, before *api.MaterializedQueryStatus, limit time.Duration) (s api.MaterializedQueryStatus, err error) {
	w := waiting{what: "the run of " + name, limit: limit, resume: "materialized wait " + shell.Quote(id), cancel: "materialized cancel " + shell.Quote(id)}
	err = e.wait(ctx, w, func() (string, string, bool, error) {
		var err error
		s, err = cl.Materialized.Status(ctx, project, id)
		return stateWords(s), "", err == nil && settledAfter(before, s), err
	})
	if err == nil {
		err = endOf(name, s)
	}
	return s, err
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
