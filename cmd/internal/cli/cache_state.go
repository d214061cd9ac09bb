// Package cli is the frame that every command stands on: the environment of a run, the runners of commands, output, errors and exit
// codes, questions, waiting, completion, and what finds objects by name.
package cli

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
)

// CacheByTable is the cache of a table, nil when it has none.
func CacheByTable(ctx context.Context, cl *api.Client, project, catalog, schema, table string) (*api.CacheStatus, error) {
	all, err := cl.Cache.CatalogStatuses(ctx, project, catalog)
	if err != nil {
		return nil, err
	}
	for i, st := range all {
		if st.SchemaName == schema && st.TableName == table && st.Status != "DELETED" {
			return &all[i], nil
		}
	}
	return nil, nil
}

// CacheState is a state in the one spelling used here.
func CacheState(s string) string {
	if s = strings.ToUpper(s); s == "CANCELED" {
		return "CANCELLED"
	}
	return s
}

func CacheEnded(s string) bool {
	switch CacheState(s) {
	case "COMPLETED", "FAILED", "CANCELLED", "DELETED":
		return true
	}
	return false // also states not known yet
}
