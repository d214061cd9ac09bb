// Package cli holds what all commands share: the environment of a run, the runners of commands, output, errors and
// polling. What needs none of it is in packages of its own.
package cli

import (
	"encoding/json"

	"github.com/dig-cli/dig/pkg/api"
)

// CacheError returns why a refresh failed, "" if the gateway does not tell.
func CacheError(run *api.CacheExecutionInfo) string {
	var text string
	if json.Unmarshal(run.Error["message"], &text) == nil && text != "" || len(run.Error) == 0 {
		return api.WithoutInsides(text)
	}
	raw, _ := json.Marshal(run.Error)
	return api.WithoutInsides(string(raw))
}

func CacheEnded(s string) bool {
	switch api.JobState(s) {
	case api.StateCompleted, api.StateFailed, api.StateCancelled, api.StateDeleted:
		return true
	}
	return false // also states that are not known yet
}
