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
	var parts []string
	add := func(text string, err error, what string) {
		if err != nil {
			text = what + " that could not be listed"
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	caches, err := cli.CachesOf(ctx, cl, project, id)
	add(cli.Counted(caches, "1 cache", "%d caches"), err, "caches")
	tables, err := cli.ParametricOver(ctx, cl, project, id, "", "")
	add(cli.Counted(tables, "1 parametric table", "%d parametric tables"), err, "parametric tables")
	queries, err := cli.QueriesReading(ctx, cl, project, name, "", "")
	add(cli.Counted(queries, "1 saved query", "%d saved queries"), err, "saved queries")
	dependants = strings.Join(parts, ", ")
	if e.Asked() || dependants != "" {
		n, err := tablesOf(ctx, cl, project, id)
		add(strings.TrimSpace(cli.Plural(n, "1 table", "%d tables")), err, "tables")
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
