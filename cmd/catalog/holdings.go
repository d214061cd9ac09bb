package catalog

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// catalogHoldings describes what is deleted with a catalog: caches, parametric tables, and the number of tables that
// become unreadable. What cannot be listed is named as such.
func catalogHoldings(ctx context.Context, cl *api.Client, project, id string) string {
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
	ps, err := cl.ParametricTables.List(ctx, project, id)
	if cli.NoRoute(err) {
		ps, err = nil, nil
	}
	var names []string
	for _, t := range ps {
		names = append(names, t.ToSchema+"."+t.ToTable)
	}
	add(cli.Counted(names, "1 parametric table", "%d parametric tables"), err, "parametric tables")
	n, err := tablesOf(ctx, cl, project, id)
	text := ""
	if n > 0 {
		text = strings.TrimSpace(cli.Plural(n, "1 table", "%d tables"))
	}
	add(text, err, "tables")
	return strings.Join(parts, ", ")
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
