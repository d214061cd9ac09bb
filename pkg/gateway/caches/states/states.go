// Package states is the state machine of a cache: the states of its refreshes, the transitions between them, and which
// table the cache has after each. The store applies a transition in one transaction with its table.
//
//	start ──> Running ──> Completed   the stored table becomes the current one; the former one is free
//	             │
//	             ├──────> Failed      the cache keeps its table; the stored one is free
//	             └──────> Cancelled   likewise
//
// A cache has at most one running refresh. A run of a process that has ended is Failed.
package states

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
)

// States of a refresh.
const (
	Running   = api.StateRunning
	Completed = api.StateCompleted
	Failed    = api.StateFailed
	Cancelled = api.StateCancelled
)

// Modes of a refresh, as the API spells them.
const (
	Full        = "FULL_REFRESH"
	Incremental = "INCREMENTAL"
)

// Replaces reports whether the start of a refresh cancels a running one. A full refresh includes an incremental one;
// any other pair is a conflict.
func Replaces(starting, running string) bool { return starting == Full && running == Incremental }

// End checks that a running refresh can end in a state, and reports whether the table that it stored becomes the
// current one of its cache.
func End(state string) (current bool, err error) {
	switch state {
	case Completed:
		return true, nil
	case Failed, Cancelled:
		return false, nil
	}
	return false, fmt.Errorf("a refresh cannot end as %q", state)
}
