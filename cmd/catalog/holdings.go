package catalog

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
)

// catalogHoldings describes what a deletion of a catalog deletes or breaks: caches, parametric tables, saved queries
// and, where a prompt needs it, the number of tables that become unreadable. Kinds that cannot be listed are named as
// such. dependants is the same without the tables.
func catalogHoldings(ctx context.Context, e *cli.Env, cl *api.Client, project string,
	of api.Catalog) (all, dependants string) {
	queries, err := cl.Queries.List(ctx, project)
	parts := resolve.CatalogDependants(ctx, cl, project, of, queries, err)
	dependants = strings.Join(parts, ", ")
	if e.Ask().NeedsConfirmation() || dependants != "" {
		switch n, err := tablesOf(ctx, cl, project, of.ID); {
		case err != nil:
			parts = append(parts, "tables that could not be listed")
		case n > 0:
			parts = append(parts, strings.TrimSpace(resolve.Plural(n, "1 table", "%d tables")))
		}
	}
	return strings.Join(parts, ", "), dependants
}

// agreeTable asks for confirmation before a table of a catalog is deleted, and lists the saved queries that read it.
// names are the names by which the user may confirm the table.
func agreeTable(ctx context.Context, e *cli.Env, cl *api.Client, p string, named prompt.Naming, names []string, catalog,
	schema, table, question string) error {
	look := func() (string, error) {
		all, err := cl.Catalogs.List(ctx, p)
		if err != nil {
			return "", err
		}
		queries, err := cl.Queries.List(ctx, p)
		if err != nil {
			return "", err
		}
		for _, k := range all {
			if k.ID == catalog {
				if used := resolve.QueriesReading(queries, k.Name, table, schema); len(used) > 0 {
					return "; saved queries that refer to it break: " + strings.Join(used, ", "), nil
				}
			}
		}
		return "", nil
	}
	used, err := look()
	if err != nil {
		return err
	}
	if err := e.Ask().ConfirmNamed(named, names, used, "%s%s?", question, used); err != nil {
		return err
	}
	return e.Ask().RecheckText("table "+names[0], used, look)
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
