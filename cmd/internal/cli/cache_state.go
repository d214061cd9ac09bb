// Package cli holds what all commands share: the environment of a run, the runners of commands, output, errors and exit
// codes, prompts, polling, completion, and the resolution of names to ids.
package cli

import (
	"context"
	"encoding/json"

	"github.com/dig-cli/dig/pkg/api"
)

// CacheByTable returns the cache of a table, or nil when it has none.
func CacheByTable(ctx context.Context, cl *api.Client, project, catalog, schema,
	table string) (*api.CacheStatus, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	if err != nil {
		return nil, err
	}
	for i, st := range all {
		if st.SchemaName == schema && st.TableName == table && JobState(st.Status) != api.StateDeleted {
			return &all[i], nil
		}
	}
	return nil, nil
}

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
	switch JobState(s) {
	case api.StateCompleted, api.StateFailed, api.StateCancelled, api.StateDeleted:
		return true
	}
	return false // also states that are not known yet
}
