package cmd

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newDriverCmd(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "driver", Aliases: []string{"drivers"}, Short: "Connection strings for SQL drivers",
		Long: "Connection strings for SQL drivers.\n\nThe gateway puts the API key into them in clear text. It is masked here unless --reveal is given.",
	}
	ex := "  " + e.Name + " driver "
	leaf := func(op spec.Op, c *cobra.Command, catalog bool, f func(ctx context.Context, cl *api.Client, catalog string) (api.SupportedDrivers, error)) *cobra.Command {
		var reveal bool
		var name string
		c.Flags().BoolVar(&reveal, "reveal", false, "show the API key in the strings")
		if catalog {
			c.Flags().StringVar(&name, "catalog", "", "catalog to connect to")
		}
		return e.leaf(op, c, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
			if op.ID == spec.GetSqlAlchemyDriver.ID && name == "" {
				return view{}, usagef("--catalog is required")
			}
			v, err := f(ctx, cl, name)
			if err != nil {
				return view{}, err
			}
			if reveal { // what hides the key in all that is printed is asked not to, on stdout alone
				e.Out = streamOf(e.Out)
				return object(v), nil
			}
			v.JDBC, v.SQLAlchemy = e.maskKey(v.JDBC), e.maskKey(v.SQLAlchemy)
			out := object(v).mine()
			if v == (api.SupportedDrivers{}) {
				return out.withNote("this gateway has no SQL drivers: it is reached over HTTP only"), nil
			}
			return out, nil
		})
	}
	c.AddCommand(
		leaf(spec.ListSupportedDrivers, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "Show the connection strings of all drivers", Example: ex + "list --catalog sales", Args: cobra.NoArgs}, true,
			func(ctx context.Context, cl *api.Client, catalog string) (api.SupportedDrivers, error) {
				return cl.Drivers.List(ctx, catalog)
			}),
		leaf(spec.GetJdbcDriver, &cobra.Command{Use: "jdbc", Short: "Show the connection string for JDBC", Example: ex + "jdbc --reveal", Args: cobra.NoArgs}, false,
			func(ctx context.Context, cl *api.Client, _ string) (api.SupportedDrivers, error) {
				return cl.Drivers.JDBC(ctx)
			}),
		leaf(spec.GetSqlAlchemyDriver, &cobra.Command{Use: "sqlalchemy", Aliases: []string{"sql-alchemy"}, Short: "Show the connection string for SQLAlchemy", Example: ex + "sqlalchemy --catalog sales", Args: cobra.NoArgs}, true,
			func(ctx context.Context, cl *api.Client, catalog string) (api.SupportedDrivers, error) {
				return cl.Drivers.SQLAlchemy(ctx, catalog)
			}),
	)
	return c
}

// keyText is the form of a key [O].
var keyText = late.Regexp(`\b([A-Za-z0-9]{8})(\.|%2E|%2e)[A-Za-z0-9]{32}\b`)

// maskKey hides keys in a connection string: the one in force, whatever its form, and anything that has a key's form.
func (e *Env) maskKey(s string) string {
	const mask = "********"
	if k := e.run.settings.Key; !k.IsZero() {
		for _, form := range []string{k.Reveal(), url.QueryEscape(k.Reveal())} {
			s = strings.ReplaceAll(s, form, mask)
		}
	}
	return keyText().ReplaceAllString(s, mask)
}

func newSQLCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "sql", Short: "SQL texts"}
	var dialect, body string
	t := &cobra.Command{
		Use: "transpile [SQL]", Short: "Write a statement in another SQL dialect", Args: cobra.MaximumNArgs(1),
		Long: `Write a statement in another SQL dialect, Trino's if none is named. SQL may be @FILE or - for stdin.

Zone local writes trino, which leaves a statement as it is, and duckdb: the text that it would run, for a DuckDB whose tables
have the same three-part names. What only the gateway can compute is refused by name.`,
		Example: "  " + e.Name + " sql transpile --dialect trino @report.sql\n  " + e.Name + " sql transpile --dialect duckdb \"SELECT 7/2, date_trunc('month', now())\"",
	}
	t.Flags().StringVar(&dialect, "dialect", dialectTrino, "dialect to write")
	e.fixed(t, "dialect", dialectTrino, dialectDuck)
	bodyFlag(t, &body)
	c.AddCommand(e.leaf(spec.TranspileSql, t, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.TranspileRequest
		err := e.body(body, &req)
		if err != nil {
			return view{}, err
		}
		if len(args) == 1 {
			raw, err := e.value("SQL", args[0])
			if err != nil {
				return view{}, err
			}
			req.Query = string(raw)
		}
		if strings.TrimSpace(req.Query) == "" {
			return view{}, usagef("a statement is required")
		}
		project := ""
		if strings.EqualFold(dialect, dialectDuck) && e.onlyLocal("") == nil {
			if project, err = e.projectID(ctx, cl); err != nil {
				return view{}, err
			}
		}
		v, err := cl.SQL.Transpile(ctx, dialect, project, req)
		if err != nil || e.run.flags.output != "" && e.run.flags.output != output.Table {
			return object(v), err
		}
		w, commit, abort, err := e.writer()
		if err != nil {
			return view{}, err
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(v.Query, "\n")); err != nil {
			abort()
			return view{}, err
		}
		return view{printed: true}, commit()
	}))
	return c
}
