package connection

import (
	"context"
	"net/url"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func NewDriver(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "driver", Aliases: []string{"drivers"}, Short: "Connection strings for SQL drivers",
		Long: "Connection strings for SQL drivers.\n\nThey contain the API key in clear text. It is masked here " +
			"unless --reveal is given.",
	}
	ex := "  " + e.Name + " driver "
	leaf := func(op spec.Op, c *cobra.Command, catalog bool, f func(ctx context.Context, cl *api.Client,
		catalog string) (api.SupportedDrivers, error)) *cobra.Command {
		var reveal bool
		var name string
		c.Flags().BoolVar(&reveal, "reveal", false, "show the API key in the strings")
		if catalog {
			c.Flags().StringVar(&name, "catalog", "", "catalog to connect to")
		}
		return cli.Leaf[api.SupportedDrivers](e, op, c, func(ctx context.Context, cl *api.Client, _ []string) (cli.View,
			error) {
			if op.ID == spec.GetSqlAlchemyDriver.ID && name == "" {
				return cli.View{}, exitcode.Usagef("--catalog is required")
			}
			v, err := f(ctx, cl, name)
			if err != nil {
				return cli.View{}, err
			}
			if e.Run.Revealed = reveal; !reveal {
				v.JDBC, v.SQLAlchemy = MaskKey(e, v.JDBC), MaskKey(e, v.SQLAlchemy)
			}
			out := cli.Object(v).PrintValue()
			if op.ID == spec.ListSupportedDrivers.ID {
				all := []sqlDriver{}
				for _, d := range []sqlDriver{{"JDBC", v.JDBC}, {"SQL_ALCHEMY", v.SQLAlchemy}} {
					if d.URL != "" {
						all = append(all, d)
					}
				}
				out = cli.List(all, "driver", "url").PrintValue()
			}
			if v == (api.SupportedDrivers{}) {
				if kind := map[string]string{spec.GetJdbcDriver.ID: "JDBC",
					spec.GetSqlAlchemyDriver.ID: "SQL_ALCHEMY"}[op.ID]; kind != "" {
					return cli.View{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
						Msg: "there is no " + kind + " driver for this gateway: it is accessible over HTTP only"}
				}
				return out.WithNote("this gateway has no SQL drivers: it is accessible over HTTP only"), nil
			}
			return out, nil
		})
	}
	c.AddCommand(
		cli.Prints[[]sqlDriver](e, leaf(spec.ListSupportedDrivers, &cobra.Command{Use: "list", Aliases: []string{"ls"},
			Short: "Show the connection strings of all drivers", Example: ex + "list --catalog sales",
			Args: cobra.NoArgs}, true,
			func(ctx context.Context, cl *api.Client, catalog string) (api.SupportedDrivers, error) {
				return cl.Drivers.List(ctx, catalog)
			})),
		leaf(spec.GetJdbcDriver, &cobra.Command{Use: "jdbc", Short: "Show the connection string for JDBC", Example: ex +
			"jdbc --reveal", Args: cobra.NoArgs}, false,
			func(ctx context.Context, cl *api.Client, _ string) (api.SupportedDrivers, error) {
				return cl.Drivers.JDBC(ctx)
			}),
		leaf(spec.GetSqlAlchemyDriver, &cobra.Command{Use: "sqlalchemy", Aliases: []string{"sql-alchemy"},
			Short: "Show the connection string for SQLAlchemy", Example: ex + "sqlalchemy --catalog sales",
			Args: cobra.NoArgs}, true,
			func(ctx context.Context, cl *api.Client, catalog string) (api.SupportedDrivers, error) {
				return cl.Drivers.SQLAlchemy(ctx, catalog)
			}),
	)
	return c
}

// sqlDriver is a line of driver list.
type sqlDriver struct {
	Driver string `json:"driver"` // JDBC, SQL_ALCHEMY
	URL    string `json:"url"`
}

// keyText matches the form of a key [O].
var keyText = late.Regexp(`\b([A-Za-z0-9]{8})(\.|%2E|%2e)[A-Za-z0-9]{32}\b`)

// MaskKey masks keys in a connection string: the current one, whatever its form, and anything that has the form of a
// key.
func MaskKey(e *cli.Env, s string) string {
	const mask = "********"
	if k := e.Run.Settings.Key; !k.IsZero() {
		for _, form := range []string{k.Reveal(), url.QueryEscape(k.Reveal())} {
			s = strings.ReplaceAll(s, form, mask)
		}
	}
	return keyText().ReplaceAllString(s, mask)
}
