package cmd

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newCatalogCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "catalog", Aliases: []string{"catalogs"}, Short: "Catalogs: the schemas and tables that SQL can name"}
	ex := "  " + e.Name + " catalog "
	// in runs f with the project and the id of the catalog named by the first argument.
	in := func(f func(ctx context.Context, cl *api.Client, project, catalog string, rest []string) (view, error)) func(context.Context, *api.Client, []string) (view, error) {
		return e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			id, err := tableCatalogID(ctx, cl, p, args[0], append(args, "")[1])
			if err != nil {
				return view{}, err
			}
			return f(ctx, cl, p, id, args[1:])
		})
	}
	c.AddCommand(
		e.leaf(spec.ListCatalogs, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the catalogs of the project", Example: ex + "list", Args: cobra.NoArgs},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				v, err := cl.Catalogs.List(ctx, p)
				return list(v, "id", "name", "displayName", "catalogType", "connectionId"), err
			})),
		e.leaf(spec.GetCatalog, &cobra.Command{Use: "get CATALOG", Aliases: []string{"show"}, Short: "Show one catalog, by id or name", Example: ex + "get sample", Args: cobra.ExactArgs(1)},
			in(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
				v, err := cl.Catalogs.Get(ctx, p, id)
				return object(v), err
			})),
		e.leaf(spec.ListSchemas, &cobra.Command{Use: "schemas CATALOG", Short: "List the schemas of a catalog", Example: ex + "schemas sample", Args: cobra.ExactArgs(1)},
			in(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (view, error) {
				v, err := cl.Catalogs.Schemas(ctx, p, id)
				return list(v, "schemaName", "catalogName", "catalogId"), err
			})),
		e.leaf(spec.ListTables, &cobra.Command{Use: "tables CATALOG SCHEMA", Short: "List the tables of a schema", Example: ex + "tables sample shop", Args: cobra.ExactArgs(2)},
			in(func(ctx context.Context, cl *api.Client, p, id string, rest []string) (view, error) {
				v, err := cl.Catalogs.Tables(ctx, p, id, rest[0])
				return list(v, "tableName", "schemaName", "isCacheable", "isCached", "isDynamicTable"), err
			})),
		e.leaf(spec.ListColumns, &cobra.Command{Use: "columns CATALOG SCHEMA TABLE", Short: "List the columns of a table", Example: ex + "columns sample shop orders", Args: cobra.ExactArgs(3)},
			in(func(ctx context.Context, cl *api.Client, p, id string, rest []string) (view, error) {
				v, err := cl.Catalogs.Columns(ctx, p, id, rest[0], rest[1])
				return list(v, "name", "dataType", "displayName", "desc"), err
			})),
		e.leaf(spec.GetTableCacheState, &cobra.Command{Use: "cached CATALOG SCHEMA TABLE", Short: "Show whether a table reads from a cache", Example: ex + "cached sample shop orders", Args: cobra.ExactArgs(3)},
			in(func(ctx context.Context, cl *api.Client, p, id string, rest []string) (view, error) {
				v, err := cl.Catalogs.CacheState(ctx, p, id, rest[0], rest[1])
				return object(v), err
			})),
		newCatalogCreateCmd(e), newCatalogDeleteCmd(e), newCatalogShareCmd(e), newCatalogStatisticsCmd(e), newCatalogSearchCmd(e),
	)
	return c
}
