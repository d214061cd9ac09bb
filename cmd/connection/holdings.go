package connection

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
)

// connectionHoldings lists the dependants of a connection: its catalogs, with the caches, parametric tables and saved
// queries of each; "" if there are none.
func connectionHoldings(ctx context.Context, cl *api.Client, project, id string) (string, error) {
	all, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return "", err
	}
	queries, listed := cl.Queries.List(ctx, project)
	var over []string
	for _, k := range all {
		if k.ConnectionID == nil || *k.ConnectionID != id {
			continue
		}
		with := resolve.CatalogDependants(ctx, cl, project, k, queries, listed)
		if with != nil {
			over = append(over, k.Name+" with "+strings.Join(with, ", "))
		} else {
			over = append(over, k.Name)
		}
	}
	if over == nil {
		return "", nil
	}
	return "these catalogs stop resolving: " + strings.Join(over, "; "), nil
}
