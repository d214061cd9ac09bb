// Package catalog holds the commands for catalogs, semantic catalogs and parametric tables.
package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&catalogShape, api.Catalog{}, namedCatalog{})
	e.Displays(&schemaShape, api.Schema{})
	e.Displays(&tableShape, api.Table{})
	e.Displays(&columnShape, api.ColumnDetail{})
	e.Displays(&parametricShape, api.ParametricTable{})
	e.Displays(&semanticShape, api.SemanticTable{})
}

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "catalog", Aliases: []string{"catalogs"},
		Short: "Catalogs: the schemas and tables that SQL can refer to"}
	ex := "  " + e.Name + " catalog "
	// in runs f with the ids of the project and of the catalog named by the first argument.
	in := func(f func(ctx context.Context, cl *api.Client, project, catalog string, rest []string) (cli.View,
		error)) func(context.Context, *api.Client, []string) (cli.View, error) {
		return e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			id, err := resolve.TableCatalogID(ctx, cl, p, args[0], append(args, "")[1])
			if err != nil {
				return cli.View{}, err
			}
			return f(ctx, cl, p, id, args[1:])
		})
	}
	tables := &cobra.Command{Use: "tables CATALOG [SCHEMA]",
		Short:   "List the tables of a schema, or of all schemas of a catalog",
		Example: ex + "tables sample shop", Args: cobra.RangeArgs(1, 2)}
	cli.Annotate(tables, spec.ListSchemas)
	c.AddCommand(
		cli.Leaf[[]api.Catalog](e, spec.ListCatalogs, cli.Annotate(&cobra.Command{Use: "list", Aliases: []string{"ls"},
			Short: "List the catalogs of the project", Example: ex + "list", Args: cobra.NoArgs}, spec.ListConnections),
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Catalogs.List(ctx, p)
				columns := []string{"id", "name", "displayName", "catalogType", "connectionId"}
				if err != nil || !e.HumanOutput() {
					return cli.List(v, columns...), err
				}
				return cli.List(overConnections(ctx, e, cl, p, v), columns...).PrintValue(), nil
			})),
		cli.Leaf[api.Catalog](e, spec.GetCatalog, cli.Annotate(&cobra.Command{Use: "get CATALOG",
			Aliases: []string{"show"},
			Short:   "Show one catalog, by id or name", Example: ex + "get sample", Args: cobra.ExactArgs(1)},
			spec.ListConnections),
			in(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				v, err := cl.Catalogs.Get(ctx, p, id)
				if err != nil || !e.HumanOutput() {
					return cli.Object(v), err
				}
				return cli.Object(overConnections(ctx, e, cl, p, []api.Catalog{v})[0]).PrintValue(), nil
			})),
		cli.Leaf[[]api.Schema](e, spec.ListSchemas, &cobra.Command{Use: "schemas CATALOG",
			Short:   "List the schemas of a catalog",
			Example: ex + "schemas sample", Args: cobra.ExactArgs(1)},
			in(func(ctx context.Context, cl *api.Client, p, id string, _ []string) (cli.View, error) {
				v, err := cl.Catalogs.Schemas(ctx, p, id)
				return cli.List(v, "schemaName", "catalogName", "catalogId"), err
			})),
		cli.Leaf[[]api.Table](e, spec.ListTables, tables, in(listTables)),
		cli.Leaf[[]api.ColumnDetail](e, spec.ListColumns, &cobra.Command{Use: "columns CATALOG SCHEMA TABLE",
			Short: "List the columns of a table", Example: ex + "columns sample shop orders", Args: cobra.ExactArgs(3)},
			in(func(ctx context.Context, cl *api.Client, p, id string, rest []string) (cli.View, error) {
				v, err := cl.Catalogs.Columns(ctx, p, id, rest[0], rest[1])
				return cli.List(v, "name", "dataType", "displayName", "desc"), err
			})),
		cli.Leaf[api.TableCacheResult](e, spec.GetTableCacheState, &cobra.Command{Use: "cached CATALOG SCHEMA TABLE",
			Short: "Show whether a table reads from a cache", Example: ex + "cached sample shop orders",
			Args: cobra.ExactArgs(3)},
			in(func(ctx context.Context, cl *api.Client, p, id string, rest []string) (cli.View, error) {
				v, err := cl.Catalogs.CacheState(ctx, p, id, rest[0], rest[1])
				return cli.Object(v), err
			})),
		newCatalogCreateCmd(e), newCatalogEnsureCmd(e), newCatalogDeleteCmd(e), newCatalogShareCmd(e),
		newCatalogStatisticsCmd(e), newCatalogSearchCmd(e),
	)
	return c
}

// namedCatalog is a catalog for display, with the name of its connection.
type namedCatalog struct {
	api.Catalog
	ConnectionName string `json:"connectionName,omitempty"`
}

// overConnections adds the names of connections to catalogs.
func overConnections(ctx context.Context, e *cli.Env, cl *api.Client, project string,
	all []api.Catalog) []namedCatalog {
	out, names := make([]namedCatalog, len(all)), map[string]string{}
	if slices.ContainsFunc(all, func(c api.Catalog) bool { return c.ConnectionID != nil }) {
		connections, err := cl.Connections.List(ctx, project)
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(e.Err, "note: connections are shown by id because they could not be listed: %v\n", err)
		}
		for _, c := range connections {
			names[c.ID] = c.Name
		}
	}
	for i, c := range all {
		if out[i].Catalog = c; c.ConnectionID != nil {
			out[i].ConnectionName = names[*c.ConnectionID]
		}
	}
	return out
}

func listTables(ctx context.Context, cl *api.Client, p, id string, rest []string) (cli.View, error) {
	columns := []string{"tableName", "schemaName", "isCacheable", "isCached", "isDynamicTable"}
	if len(rest) == 1 {
		v, err := cl.Catalogs.Tables(ctx, p, id, rest[0])
		return cli.List(v, columns...), err
	}
	schemas, err := cl.Catalogs.Schemas(ctx, p, id)
	if err != nil {
		return cli.View{}, err
	}
	all := []api.Table{}
	for _, s := range schemas {
		v, err := cl.Catalogs.Tables(ctx, p, id, s.SchemaName)
		if err != nil {
			return cli.View{}, err
		}
		all = append(all, v...)
	}
	return cli.List(all, columns...).PrintValue(), nil
}
