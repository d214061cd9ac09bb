// Package table holds the commands for internal tables and BI tables: columns and imports.
package table

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// tableKind holds the differences between internal tables and BI tables.
type tableKind struct {
	noun, what                                         string
	list, create, del, columns, add, update, delColumn spec.Op
	client                                             func(*api.Client) cli.TableService
	stored                                             func(name string) string // how a name is stored
}

// bi reports whether the tables are BI tables.
func (k tableKind) bi() bool { return k.create.ID == spec.CreateBiTable.ID }

// sameName returns the stored form of the name of an internal table, which is the name itself.
func sameName(name string) string { return name }

// withoutUnderscores returns the stored form of the name of a BI table [L].
func withoutUnderscores(name string) string { return strings.ReplaceAll(name, "_", "") }

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&changedShape, api.ChangedTable{})
}

func New(e *cli.Env) *cobra.Command {
	k := tableKind{"table", "internal tables, addressed in SQL as peaka.\"table\".NAME",
		spec.ListInternalTables, spec.CreateInternalTable, spec.DeleteInternalTable, spec.ListInternalColumns,
		spec.AddInternalColumns,
		spec.UpdateInternalColumn, spec.DeleteInternalColumn,
		func(cl *api.Client) cli.TableService { return cl.Tables }, sameName}
	c := newTableKindCmd(e, k)
	c.AddCommand(newTableImportCmd(e, k), newTableSampleCmd(e), newTableDescribe(e))
	return c
}

func NewBI(e *cli.Env) *cobra.Command {
	k := tableKind{"bitable",
		"BI tables, addressed in SQL as peaka.bitable.NAME; underscores are dropped from their names",
		spec.ListBiTables, spec.CreateBiTable, spec.DeleteBiTable, spec.ListBiColumns, spec.AddBiColumns,
		spec.UpdateBiColumn, spec.DeleteBiColumn, func(cl *api.Client) cli.TableService { return cl.BITables },
		withoutUnderscores}
	c := newTableKindCmd(e, k)
	c.AddCommand(newTableImportCmd(e, k))
	return c
}

func newTableKindCmd(e *cli.Env, k tableKind) *cobra.Command {
	c := &cobra.Command{Use: k.noun, Aliases: []string{k.noun + "s"}, Short: "Manage " + k.what}
	ex := "  " + e.Name + " " + k.noun + " "
	c.AddCommand(
		cli.Leaf[[]api.Table](e, k.list, &cobra.Command{Use: "list", Aliases: []string{"ls"},
			Short:   "List the tables of the project",
			Example: ex + "list", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := k.client(cl).List(ctx, p)
				if err != nil {
					return cli.View{}, err
				}
				return noteAbandoned(ctx, e, cl, p, k.noun, v, cli.List(v, "tableName", "schemaName", "catalogName",
					"isCached")), nil
			})),
		newTableCreateCmd(e, k), newTableEnsureCmd(e, k),
		newTableDeleteCmd(e, k, ex),
		newColumnCmd(e, k),
		newTruncateCmd(e, k), newRowsCmd(e, k), newRenameCmd(e, k), newCopyCmd(e, k),
	)
	return c
}

func newTableDeleteCmd(e *cli.Env, k tableKind, ex string) *cobra.Command {
	var named prompt.Naming
	c := &cobra.Command{Use: "delete TABLE", Aliases: []string{"rm", "drop"}, Short: "Delete a table with its rows",
		Args: cobra.ExactArgs(1),
		Long: "Delete a table with its rows.\n\nWhat uses it, also through others, is listed; if there is anything, " +
			"the name of the table is asked for,\nor --yes needs --confirm TABLE. A table that changes before the " +
			"question is answered is not deleted.",
		Example: ex + "delete people --yes"}
	named.Register(c, "table")
	cli.Annotate(c, uses.Operations()...)
	return cli.Leaf[cli.Acknowledged](e, k.del, c, e.WithProject(func(ctx context.Context, cl *api.Client, p string,
		args []string) (cli.View,
		error) {
		if args[0] == "" {
			return cli.View{}, exitcode.Usagef("a name is required")
		}
		used, err := k.agreed(ctx, e, cl, p, named, []string{args[0], k.stored(args[0])}, args[0], "")
		if err != nil {
			return cli.View{}, err
		}
		if err := k.client(cl).Delete(ctx, p, args[0]); err != nil {
			return cli.View{}, err
		}
		forgetImports(e, p, k.noun, k.stored(args[0]))
		return cli.Note("deleted %s %s%s", k.noun, args[0], used), nil
	}))
}

func newTableCreateCmd(e *cli.Env, k tableKind) *cobra.Command {
	var columns []string
	c := &cobra.Command{
		Use: "create TABLE", Short: "Create a table, optionally with columns", Args: cobra.ExactArgs(1),
		Long: `Create a table, optionally with columns.

A column is NAME:TYPE with optional words after it: notnull, unique, default=VALUE.
Types: VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE, UUID. A DECIMAL has 38 digits, 10 of them after the
point; on zone local also others, as DECIMAL(15,2).`,
		Example: "  " + e.Name + " " + k.noun +
			` create people --column name:varchar:notnull --column age:bigint:default=0`,
	}
	c.Flags().StringArrayVar(&columns, "column", nil,
		"a column as NAME:TYPE[:notnull][:unique][:default=VALUE]; repeat")
	cli.Annotate(c, k.add, k.columns, k.list, k.del)
	return cli.Leaf[api.Table](e, k.create, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		defs, err := declared(e, k, columns)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			var t api.Table
			var err error
			if len(defs) == 0 {
				t, err = createBare(ctx, e, k, cl, p, args[0])
			} else {
				t, err = createWhole(ctx, e, k, cl, p, args[0], defs)
			}
			if err != nil {
				return cli.View{}, err
			}
			v := cli.Object(t)
			if t.TableName != args[0] {
				v = v.WithNote("note: the table is stored as %q", t.TableName)
			}
			if len(defs) == 0 {
				return v, nil
			}
			now, err := k.client(cl).Columns(ctx, p, t.TableName)
			if err != nil {
				return cli.View{}, err
			}
			return v, stuck(e, k, defs, now)
		}, nil
	}))
}

// createBare creates a table without columns.
func createBare(ctx context.Context, e *cli.Env, k tableKind, cl *api.Client, project, name string) (api.Table, error) {
	m, err := newTableCreation(e, k, cl, project, name, nil)
	if err != nil {
		return api.Table{}, err
	}
	if k.bi() { // the gateway would answer with the existing table
		if t, ok, err := m.standing(ctx); err != nil {
			return t, err
		} else if ok {
			return t, &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict", Msg: "a BI table is stored as " +
				t.TableName + " already; underscores do not count in their names"}
		}
	}
	return k.client(cl).Create(ctx, project, name)
}

// createWhole creates a table with columns, or completes one that an earlier run of the same command has started.
func createWhole(ctx context.Context, e *cli.Env, k tableKind, cl *api.Client, project, name string,
	defs []api.ColumnRequest) (api.Table, error) {
	m, err := newTableCreation(e, k, cl, project, name, defs)
	if err != nil {
		return api.Table{}, err
	}
	t, ok, err := m.standing(ctx)
	if err != nil {
		return t, err
	}
	if !ok {
		return m.create(ctx)
	}
	begun, err := m.begun()
	if err != nil {
		return t, err
	}
	if !begun {
		return t, m.exists(t)
	}
	return t, m.finish(ctx, t)
}

func usageWrap(err error, also string) error {
	f := cli.Classify(context.Background(), err)
	f.Hint = also
	return &f
}

// declared reads the columns of a new table, from --column.
func declared(e *cli.Env, k tableKind, columns []string) ([]api.ColumnRequest, error) {
	defs := make([]api.ColumnRequest, len(columns))
	for i, text := range columns {
		d, err := parseColumn(text)
		if err != nil {
			return nil, err
		}
		defs[i] = d
	}
	return defs, errors.Join(checkColumns(k, "--column", defs), checkNarrow(e, "--column", defs...))
}

// parseColumn parses NAME:TYPE[:notnull][:unique][:default=VALUE]. The default is last, since a value may contain
// colons.
func parseColumn(text string) (api.ColumnRequest, error) {
	var d api.ColumnRequest
	head, def, hasDefault := strings.Cut(text, ":default=")
	if hasDefault {
		d.DefaultValue = &def
	}
	parts := strings.Split(head, ":")
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return d, exitcode.Usagef("--column %q is not NAME:TYPE", text)
	}
	d.Name, d.DataType = parts[0], strings.ToUpper(parts[1])
	if err := checkColumnTypes("--column "+d.Name, d); err != nil {
		return d, err
	}
	yes := true
	for _, word := range parts[2:] {
		switch strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(word, "-", ""), " ", "")) {
		case "notnull":
			d.IsNotNull = &yes
		case "unique":
			d.IsUnique = &yes
		default:
			return d, exitcode.Usagef("--column %q: %q is not one of notnull, unique, default=VALUE", text, word)
		}
	}
	return d, nil
}

// columnFlags are the fields of a column as flags.
type columnFlags struct {
	typ, display, def, desc, body string
	notNull, unique               bool
}

func (f *columnFlags) register(e *cli.Env, c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.typ, "type", "", "VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE or UUID; DECIMAL(15,2) "+
		"on zone local")
	fs.StringVar(&f.display, "display-name", "", "display name")
	fs.StringVar(&f.def, "default", "", "default value for new rows")
	fs.BoolVar(&f.notNull, "not-null", false, "refuse NULL")
	fs.BoolVar(&f.unique, "unique", false, "reject duplicate values")
	fs.StringVar(&f.desc, "desc", "", "description")
	complete.Values(c, "type", api.ColumnTypes()...)
	cli.BodyFlag(c, &f.body)
}

func (f *columnFlags) apply(c *cobra.Command, d *api.ColumnRequest) {
	if c.Flags().Changed("type") {
		d.DataType = strings.ToUpper(f.typ)
		if d.Widens != nil {
			d.Widens = new(bool)
		}
	}
	if c.Flags().Changed("display-name") {
		d.DisplayName = f.display
	}
	cli.SetIf(c, "default", &d.DefaultValue, f.def)
	cli.SetIf(c, "not-null", &d.IsNotNull, f.notNull)
	cli.SetIf(c, "unique", &d.IsUnique, f.unique)
	cli.SetIf(c, "desc", &d.Desc, f.desc)
}
