package table

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// newTableDescribe shows the columns of any table that SQL can name.
func newTableDescribe(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "describe TABLE", Aliases: []string{"desc"}, Short: "Show the columns of an internal table, or of CATALOG.SCHEMA.TABLE",
		Example: "  " + e.Name + " table describe people\n  " + e.Name + " table describe sample.shop.orders", Args: cobra.ExactArgs(1)}
	return e.Leaf(spec.ListColumns, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		t, err := named(args[0])
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			id, err := cli.TableCatalogID(ctx, cl, p, t.Catalog, t.Schema)
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Catalogs.Columns(ctx, p, id, t.Schema, t.Table)
			return cli.List(v, "name", "dataType", "displayName", "desc"), err
		}, nil
	}))
}

// named reads the name of a table: that of an internal table, or of three parts, in double quotes where they have other characters.
func named(name string) (sqltext.TableRef, error) {
	t := sqltext.TableRef{Catalog: "peaka", Schema: "table", Table: name}
	if !strings.ContainsAny(name, `."`) {
		return t, nil
	}
	if found := sqltext.TablesIn(name); len(found) == 1 {
		return found[0], nil
	}
	if unquoted := strings.TrimSuffix(strings.TrimPrefix(name, `"`), `"`); unquoted != "" && name == sqltext.Quote(unquoted) {
		t.Table = unquoted
		return t, nil
	}
	return t, cli.Usagef("TABLE: %q is neither the name of an internal table nor CATALOG.SCHEMA.TABLE", name)
}
