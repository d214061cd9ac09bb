package metadata

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// lineageLine is one column and one of the columns it is computed from.
type lineageLine struct {
	Column      string  `json:"column"`
	Expression  string  `json:"expression"`
	From        string  `json:"from"` // joined by ", "
	Description *string `json:"description"`
}

func newMetadataLineageCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "lineage CATALOG.SCHEMA.TABLE", Short: "Show how the columns of a query or table are computed",
		Args: cobra.ExactArgs(1),
		Long: `Show how the columns of a query or table are computed: the expression, and the columns it reads.

Zone local derives it from the SQL of saved, materialized, semantic and parametric tables, one level deep: to follow a
saved query that reads another one, ask for the other one. A table with its own rows has no lineage.`,
		Example: "  " + e.Name + " metadata lineage peaka.query.revenue",
	}
	return cli.Leaf[[]lineageLine](e, spec.GetProjectMetadata, c, e.WithProject(func(ctx context.Context,
		cl *api.Client, p string,
		args []string) (cli.View, error) {
		parts := strings.Split(args[0], ".")
		if len(parts) != 3 {
			return cli.View{}, exitcode.Usagef("%q is not of the form CATALOG.SCHEMA.TABLE", args[0])
		}
		id, err := resolve.TableCatalogID(ctx, cl, p, parts[0], parts[1])
		if err != nil {
			return cli.View{}, err
		}
		m, err := described(ctx, cl, p, id, parts[1], parts[2])
		if err != nil {
			return cli.View{}, err
		}
		lines := []lineageLine{}
		for _, col := range m.Columns {
			for _, l := range col.Lineage {
				from := make([]string, len(l.Tables))
				for i, t := range l.Tables {
					from[i] = t + "." + l.Column
				}
				lines = append(lines, lineageLine{col.ColumnName, l.Expression, strings.Join(from, ", "),
					l.ColumnDescription})
			}
		}
		return cli.List(lines, "column", "expression", "from").PrintValue(), nil
	}))
}
