package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// trino is the dialect of the gateway.
const trino = "trino"

func newTranspile(e *cli.Env) *cobra.Command {
	var dialect, body string
	t := &cobra.Command{
		Use: "transpile [SQL]", Short: "Translate a statement to another SQL dialect", Args: cobra.MaximumNArgs(1),
		Long: `Translate a statement to another SQL dialect, by default Trino's. SQL may be @FILE or - for stdin.

Zone local writes Trino's SQL for postgresql, mysql and bigquery, with full names of tables, and leaves
it unchanged for trino. What a dialect does not have, or computes in another way, is rejected by name
and position.`,
		Example: "  " + e.Name + " sql transpile --dialect trino @report.sql\n  " + e.Name +
			" sql transpile --dialect postgresql \"SELECT 7/2, date_trunc('month', now())\"",
	}
	t.Flags().StringVar(&dialect, "dialect", trino, "target dialect")
	complete.Values(t, "dialect", trino, "postgresql", "mysql", "bigquery")
	cli.BodyFlag(t, &body)
	cli.OwnFile(t)
	return cli.Leaf[api.TranspileResult](e, spec.TranspileSql, t, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		var req api.TranspileRequest
		err := e.Body(body, &req)
		if err != nil {
			return cli.View{}, err
		}
		if len(args) == 1 {
			raw, err := e.Value("SQL", args[0])
			if err != nil {
				return cli.View{}, err
			}
			req.Query = string(raw)
		}
		if strings.TrimSpace(req.Query) == "" {
			return cli.View{}, exitcode.Usagef("a statement is required")
		}
		project := ""
		if !strings.EqualFold(dialect, trino) && e.Local() {
			if project, err = e.Target().ProjectID(ctx, cl); err != nil {
				return cli.View{}, err
			}
		}
		v, err := cl.SQL.Transpile(ctx, dialect, project, req)
		if err != nil {
			return cli.View{}, pointAt(e, &statement{text: req.Query}, err)
		}
		if e.Run.Flags.Output != "" && e.Run.Flags.Output != output.Table {
			return cli.Object(v), nil
		}
		w, commit, abort, err := e.Writer()
		if err != nil {
			return cli.View{}, err
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(v.Query, "\n")); err != nil {
			abort()
			return cli.View{}, err
		}
		return cli.View{Printed: true}, commit()
	})
}
