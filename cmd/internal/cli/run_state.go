package cli

import (
	"context"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
)

// RunState is the state of the run of a materialized query. Unknown states are not final: a wait must not end on a
// guess.
type RunState int

const (
	runPending RunState = iota
	RunDone
	runFailed
	runCanceled
)

func RunStateOf(status string) RunState {
	switch api.JobState(status) {
	case api.StateCompleted, api.StateSucceeded:
		return RunDone
	case api.StateFailed:
		return runFailed
	case api.StateCancelled:
		return runCanceled
	}
	return runPending
}

// settledAfter reports whether the run that a caller waits for has ended. The state before the trigger is served until
// the new run has started, and a query that never ran reads COMPLETED, so the start time decides which run a state
// belongs to.
func settledAfter(before *api.MaterializedQueryStatus, now api.MaterializedQueryStatus) bool {
	if now.LastExecutionStartTime == nil || RunStateOf(now.Status) == runPending {
		return false
	}
	if before == nil || before.LastExecutionStartTime == nil {
		return true
	}
	return *before.LastExecutionStartTime != *now.LastExecutionStartTime
}

// WaitRun waits until the run has ended. before is the state before the trigger, or nil to wait for the latest run.
func (e *Env) WaitRun(ctx context.Context, cl *api.Client, project, id, name string,
	before *api.MaterializedQueryStatus, limit time.Duration) (s api.MaterializedQueryStatus, err error) {
	w := Waiting{What: "the run of " + name, Limit: limit, Resume: "materialized wait " + shell.Quote(id),
		Cancel: "materialized cancel " + shell.Quote(id)}
	err = e.Wait(ctx, w, func() (string, string, bool, error) {
		var err error
		s, err = cl.Materialized.Status(ctx, project, id)
		return StateWords(s), "", err == nil && settledAfter(before, s), err
	})
	if err == nil {
		err = EndOf(name, s)
	}
	return s, err
}

// EndOf returns nil for a completed run, and an error otherwise.
func EndOf(name string, s api.MaterializedQueryStatus) error {
	switch RunStateOf(s.Status) {
	case runFailed:
		msg := "the run of " + name + " failed"
		if s.Error != nil && *s.Error != "" {
			msg += ": " + api.WithoutInsides(*s.Error)
		}
		return &exitcode.Failure{Exit: exitcode.Job, Code: "job-failed", Msg: msg,
			Hint: "the stored rows, if any, are those of the last run that completed"}
	case runCanceled:
		return &exitcode.Failure{Exit: exitcode.Job, Code: "job-canceled", Msg: "the run of " + name + " was canceled",
			Hint: "the stored rows, if any, are those of the last run that completed"}
	}
	return nil
}

// NeverMaterialized is the state of a query that has not run.
const NeverMaterialized = "never materialized"

// StateWords returns the state to show: "never materialized" for a query that never ran, which the gateway calls
// COMPLETED.
func StateWords(s api.MaterializedQueryStatus) string {
	if s.LastExecutionStartTime == nil && s.LastUpdateTime == nil {
		return NeverMaterialized
	}
	return s.Status
}
