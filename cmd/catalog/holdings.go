package catalog

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// catalogHoldings describes what is deleted with a catalog or breaks: caches, parametric tables, saved queries, and, if
// it is asked for, the number of tables that become unreadable. What cannot be listed is named as such. dependants is all but the last.
func catalogHoldings(ctx context.Context, e *cli.Env, cl *api.Client, project, id, name string) (all, dependants string) {
	queries, err := cl.Queries.List(ctx, project)
	parts := cli.CatalogDependants(ctx, cl, project, id, name, queries, err)
	dependants = strings.Join(parts, ", ")
	if e.Asked() || dependants != "" {
		switch n, err := tablesOf(ctx, cl, project, id); {
		case err != nil:
			parts = append(parts, "tables that could not be listed")
		case n > 0:
			parts = append(parts, strings.TrimSpace(cli.Plural(n, "1 table", "%d tables")))
		}
	}
	return strings.Join(parts, ", "), dependants
}

func tablesOf(ctx context.Context, cl *api.Client, project, catalog string) (int, error) {
	schemas, err := cl.Catalogs.Schemas(ctx, project, catalog)
	n := 0
	for _, s := range schemas {
		tables, terr := cl.Catalogs.Tables(ctx, project, catalog, s.SchemaName)
		if terr != nil {
			return 0, terr
		}
		n += len(tables)
	}
	return n, err
}
