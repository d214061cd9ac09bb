package catalog

import (
	"context"
	"slices"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
)

// catalogHoldings describes what a deletion of a catalog breaks and, where a prompt needs it, the number of tables that
// become unreadable. broken is the same without the tables.
func catalogHoldings(ctx context.Context, e *cli.Env, cl *api.Client, project string,
	of api.Catalog) (all, broken string, err error) {
	g, err := uses.Read(ctx, cl, project)
	if err != nil {
		return "", "", err
	}
	broken = g.Users(nil, g.Catalog(of.Name)).Breaks()
	with := ""
	if e.Ask().NeedsConfirmation() || broken != "" {
		switch n, err := tablesOf(ctx, cl, project, of.ID); {
		case err != nil:
			with = " with tables that could not be listed"
		case n > 0:
			with = " with its " + phrase.Plural(n, "1 table", "%d tables")
		}
	}
	return with + broken, broken, nil
}

// agreeTable asks for confirmation before a table of a catalog is deleted, and lists what this breaks. names are the
// names by which the user may confirm the table.
func agreeTable(ctx context.Context, e *cli.Env, cl *api.Client, p string, named prompt.Naming, names []string,
	catalog api.Catalog, schema, table, question string) error {
	look := func() (string, error) {
		if catalog.Name == "" {
			return "", nil
		}
		g, err := uses.Read(ctx, cl, p)
		if err != nil {
			return "", err
		}
		return g.Users(nil, g.Table(catalog.Name, schema, table)).Breaks(), nil
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

// catalogOf finds a catalog by id or name. An id that is not listed is returned without a name.
func catalogOf(ctx context.Context, cl *api.Client, project, set string) (api.Catalog, error) {
	all, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return api.Catalog{}, err
	}
	id, err := resolve.PickCatalog(all, set)
	if i := slices.IndexFunc(all, func(k api.Catalog) bool { return k.ID == id }); i >= 0 {
		return all[i], err
	}
	return api.Catalog{ID: id}, err
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
