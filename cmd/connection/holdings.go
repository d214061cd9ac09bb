package connection

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// connectionHoldings lists the dependants of a connection: its catalogs, with the caches, parametric tables and saved
// queries of each; "" if there are none.
func connectionHoldings(ctx context.Context, cl *api.Client, project, id string) (string, error) {
	all, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return "", err
	}
	var over []string
	for _, k := range all {
		if k.ConnectionID == nil || *k.ConnectionID != id {
			continue
		}
		var with []string
		add := func(names []string, err error, what, one, many string) {
			if err != nil {
				with = append(with, what+" that could not be listed")
			} else if len(names) > 0 {
				with = append(with, cli.Counted(names, one, many))
			}
		}
		caches, err := cli.CachesOf(ctx, cl, project, k.ID)
		add(caches, err, "caches", "1 cache", "%d caches")
		tables, err := cli.ParametricOver(ctx, cl, project, k.ID, "", "")
		add(tables, err, "parametric tables", "1 parametric table", "%d parametric tables")
		queries, err := cli.QueriesReading(ctx, cl, project, k.Name, "", "")
		add(queries, err, "saved queries", "1 saved query", "%d saved queries")
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
