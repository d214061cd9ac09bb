// Package cli holds what all commands share: the environment of a run, the runners of commands, output, errors and exit
// codes, prompts, polling, completion, and the resolution of names to ids.
package cli

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
)

// CacheByTable returns the cache of a table, or nil when it has none.
func CacheByTable(ctx context.Context, cl *api.Client, project, catalog, schema, table string) (*api.CacheStatus, error) {
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

func CacheEnded(s string) bool {
	switch JobState(s) {
	case api.StateCompleted, api.StateFailed, api.StateCancelled, api.StateDeleted:
		return true
	}
	return false // also states that are not known yet
}
