package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

const macroHelp = `
A value may be a date macro: @today @yesterday @now @sow @eow @som @eom @soq @eoq @soy @eoy (start or end of week,
month, quarter, year; weeks start on Monday), followed by offsets such as -7d in the units d, w, M (month), q,
y, h and m (minute). The gateway evaluates it whenever the table is read; its current value is printed.`

func NewParametric(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "parametric-table", Aliases: []string{"parametric-tables", "parametric"},
		Short: "Tables that read another table with fixed values for some columns"}
	ex := "  " + e.Name + " parametric-table "
	del := &cobra.Command{Use: "delete CATALOG SCHEMA.TABLE", Aliases: []string{"rm"},
		Short: "Delete a parametric table", Example: ex + "delete shop daily.orders --yes", Args: cobra.ExactArgs(2),
		Long: "Delete a parametric table.\n\nSaved queries that read it, also through others, break; if there are " +
			"any, they are listed, and its name is asked for, or --yes needs\n--confirm SCHEMA.TABLE."}
	var named prompt.Naming
	named.Register(del, "table")
	cli.Annotate(del, uses.Operations()...)
	c.AddCommand(
		cli.Leaf[[]api.ParametricTable](e, spec.ListParametricTables, &cobra.Command{Use: "list CATALOG",
			Aliases: []string{"ls"},
			Short:   "List the parametric tables of a catalog", Example: ex + "list shop", Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				id, err := resolve.CatalogID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				v, err := cl.ParametricTables.List(ctx, p, id)
				if err == nil {
					for _, t := range v {
						printMacros(e, t)
					}
				}
				return cli.List(v, "toSchema", "toTable", "fromSchema", "fromTable", "paramValues"), err
			})),
		newParametricCreateCmd(e),
		cli.Leaf[cli.Acknowledged](e, spec.DeleteParametricTable, del,
			e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
				schema, table, err := resolve.TwoPart("SCHEMA.TABLE", args[1])
				if err != nil {
					return nil, err
				}
				return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
					k, err := catalogOf(ctx, cl, p, args[0])
					if err != nil {
						return cli.View{}, err
					}
					if err := agreeTable(ctx, e, cl, p, named, []string{args[1]}, k, schema, table,
						fmt.Sprintf("delete parametric table %s of catalog %s", args[1], args[0])); err != nil {
						return cli.View{}, err
					}
					return cli.Note("deleted parametric table %s", args[1]), cl.ParametricTables.Delete(ctx, p,
						k.ID, schema, table)
				}, nil
			})),
	)
	return c
}

func newParametricCreateCmd(e *cli.Env) *cobra.Command {
	var from, to, body string
	var params []string
	c := &cobra.Command{Use: "create CATALOG", Short: "Create a parametric table", Args: cobra.ExactArgs(1),
		Long: "Create a parametric table.\n" + macroHelp,
		Example: "  " + e.Name +
			" parametric-table create shop --from public.orders --to daily.orders --param day=@yesterday"}
	c.Flags().StringVar(&from, "from", "", "table to read, SCHEMA.TABLE of the catalog")
	c.Flags().StringVar(&to, "to", "", "name of the new table, SCHEMA.TABLE; the schema need not exist")
	c.Flags().StringArrayVar(&params, "param", nil,
		"COLUMN=VALUE; VALUE is text, or JSON after := as in COLUMN:=[1,2]; may be repeated")
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.ParametricTable](e, spec.CreateParametricTable, c,
		e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
			var req api.ParametricTable
			if err := e.Body(body, &req); err != nil {
				return nil, err
			}
			var err error
			if from != "" {
				if req.FromSchema, req.FromTable, err = resolve.TwoPart("--from", from); err != nil {
					return nil, err
				}
			}
			if to != "" {
				if req.ToSchema, req.ToTable, err = resolve.TwoPart("--to", to); err != nil {
					return nil, err
				}
			}
			for _, p := range params {
				v, err := paramValue(p)
				if err != nil {
					return nil, err
				}
				req.ParamValues = append(req.ParamValues, v)
			}
			switch {
			case req.FromTable == "" || req.FromSchema == "":
				return nil, exitcode.Usagef("--from is required")
			case req.ToTable == "" || req.ToSchema == "":
				return nil, exitcode.Usagef("--to is required")
			case len(req.ParamValues) == 0:
				return nil, exitcode.Usagef("at least one --param is required")
			}
			for _, v := range req.ParamValues {
				for _, s := range stringsIn(v.Value) {
					if _, _, err := api.ResolveMacro(s, e.Now()); err != nil {
						return nil, exitcode.Usagef("--param %s: %v", v.Key, err)
					}
				}
			}
			return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
				id, err := resolve.CatalogID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				printMacros(e, req)
				v, err := cl.ParametricTables.Create(ctx, p, id, req)
				return cli.Object(v), err
			}, nil
		}))
}

func paramValue(arg string) (api.ParametricTableColumn, error) {
	i := strings.IndexAny(arg, "=")
	if i < 1 {
		return api.ParametricTableColumn{}, exitcode.Usagef("--param: %q is not of the form COLUMN=VALUE", arg)
	}
	key, text := arg[:i], arg[i+1:]
	if strings.HasSuffix(key, ":") {
		key = strings.TrimSuffix(key, ":")
		if !json.Valid([]byte(text)) {
			return api.ParametricTableColumn{}, exitcode.Usagef("--param %s: %q is not JSON", key, text)
		}
		return api.ParametricTableColumn{Key: key, Value: json.RawMessage(text)}, nil
	}
	raw, err := api.Marshal(text)
	return api.ParametricTableColumn{Key: key, Value: bytes.TrimSpace(raw)}, err
}

// stringsIn returns the strings of a value that is a string or a list.
func stringsIn(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []any
	_ = json.Unmarshal(raw, &many) // a number, null, true or false contains no string
	var out []string
	for _, v := range many {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// printMacros prints on stderr the current values of the date macros of a table.
func printMacros(e *cli.Env, t api.ParametricTable) {
	for _, p := range t.ParamValues {
		for _, s := range stringsIn(p.Value) {
			m, ok, err := api.ResolveMacro(s, e.Now())
			if !ok || err != nil {
				continue
			}
			fmt.Fprintf(e.Err, "%s.%s: %s = %s, now %s\n", t.ToSchema, t.ToTable, p.Key, s, m.Text)
			if m.Minutes {
				fmt.Fprintf(e.Err, "note: m counts minutes in %s; months are M\n", s)
			}
		}
	}
}
