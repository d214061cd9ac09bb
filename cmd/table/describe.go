package table

import (
	"context"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// newTableDescribe shows the columns of any table that SQL can name.
func newTableDescribe(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "describe TABLE", Aliases: []string{"desc", "get", "show"},
		Short:   "Show the columns of an internal table, or of CATALOG.SCHEMA.TABLE",
		Example: "  " + e.Name + " table describe people\n  " + e.Name + " table describe sample.shop.orders",
		Args:    cobra.ExactArgs(1)}
	return cli.Leaf[[]api.ColumnDetail](e, spec.ListColumns, c, e.CheckThenProject(func(args []string) (cli.ProjectRun,
		error) {
		t, err := named(args[0])
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			id, err := resolve.TableCatalogID(ctx, cl, p, t.Catalog, t.Schema)
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Catalogs.Columns(ctx, p, id, t.Schema, t.Table)
			return cli.List(v, "name", "dataType", "displayName", "desc"), err
		}, nil
	}))
}

// named parses the name of an internal table, or CATALOG.SCHEMA.TABLE.
func named(name string) (sqltext.TableRef, error) {
	parts, err := resolve.NameParts(name)
	switch {
	case err != nil:
		return sqltext.TableRef{}, err
	case len(parts) == 1:
		return sqltext.TableRef{Catalog: api.InternalCatalogName, Schema: api.SchemaTable, Table: parts[0]}, nil
	case len(parts) == 3:
		return sqltext.TableRef{Catalog: parts[0], Schema: parts[1], Table: parts[2]}, nil
	}
	return sqltext.TableRef{}, exitcode.Usagef("TABLE: %q is neither the name of an internal table nor "+
		"CATALOG.SCHEMA.TABLE", name)
}
