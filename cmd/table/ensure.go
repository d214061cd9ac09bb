package table

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

func newTableEnsureCmd(e *cli.Env, k tableKind) *cobra.Command {
	var columns []string
	c := &cobra.Command{Use: "ensure TABLE", Short: "Create a table unless it exists; add the columns that it lacks",
		Args: cobra.ExactArgs(1),
		Long: `Create a table unless it exists, and add the columns that it lacks. Other columns of an existing table
stay; a column of another type, or that differs otherwise, is an error, before anything is changed;
"column update" changes it.`,
		Example: "  " + e.Name + " " + k.noun + " ensure people --column name:varchar:notnull --column age:bigint"}
	c.Flags().StringArrayVar(&columns, "column", nil,
		"a column as NAME:TYPE[:notnull][:unique][:default=VALUE]; repeat")
	cli.Annotate(c, k.add, k.columns, k.list, k.del)
	return cli.Leaf[api.Table](e, k.create, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		defs, err := declared(e, k, columns)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			return ensureTable(ctx, e, k, cl, p, args[0], defs)
		}, nil
	}))
}

func ensureTable(ctx context.Context, e *cli.Env, k tableKind, cl *api.Client, p, name string,
	defs []api.ColumnRequest) (cli.View, error) {
	m, err := newTableCreation(e, k, cl, p, name, defs)
	if err != nil {
		return cli.View{}, err
	}
	find := func() (api.Table, bool, error) { return m.standing(ctx) }
	t, made, err := cli.Ensured(e, find, func() (api.Table, error) {
		if len(defs) == 0 {
			return k.client(cl).Create(ctx, p, name)
		}
		return m.create(ctx)
	})
	if err != nil {
		return cli.View{}, err
	}
	what := k.noun + " " + t.TableName
	if made && len(defs) == 0 {
		return cli.EnsuredView(t, what, true, ""), nil
	}
	changed, added := "", defs
	if !made {
		lacking, err := m.lacking(ctx, t.TableName)
		if err != nil {
			return cli.View{}, err
		}
		added = lacking
		if len(lacking) > 0 {
			if _, err := k.client(cl).AddColumns(ctx, p, t.TableName, lacking); err != nil {
				return cli.View{}, err
			}
			names := make([]string, len(lacking))
			for i, d := range lacking {
				names[i] = d.Name
			}
			changed = "added the columns " + strings.Join(names, ", ")
		}
		if err := m.forget(); err != nil {
			return cli.View{}, err
		}
	}
	if len(added) == 0 {
		return cli.EnsuredView(t, what, made, changed), nil
	}
	now, err := k.client(cl).Columns(ctx, p, t.TableName)
	if err != nil {
		return cli.View{}, err
	}
	return cli.EnsuredView(t, what, made, changed), stuck(e, k, added, now)
}

// lacking are the requested columns that a table does not have. A column of another type is an error.
func (m *tableCreation) lacking(ctx context.Context, table string) ([]api.ColumnRequest, error) {
	own, err := m.columns(ctx, table)
	if err != nil {
		return nil, err
	}
	have := map[string]api.ColumnDetail{}
	for _, c := range own {
		have[strings.ToLower(c.Name)] = c
	}
	var out []api.ColumnRequest
	for _, d := range m.defs {
		c, ok := have[strings.ToLower(m.k.stored(d.Name))]
		if !ok {
			c, ok = have[strings.ToLower(d.Name)]
		}
		if !ok {
			out = append(out, d)
			continue
		}
		if how := differs(c, d); how != "" {
			return nil, cli.Differs(fmt.Sprintf("column %s of %s %s", c.Name, m.k.noun, table), how,
				fmt.Sprintf("`dig %s column update %s %s` changes it", m.k.noun, shell.Quote(table),
					shell.Quote(c.Name)))
		}
	}
	return out, nil
}

// differs describes how a column differs from the request; properties that the request omits are not compared.
func differs(c api.ColumnDetail, d api.ColumnRequest) string {
	switch {
	case !api.SameColumnType(c.DataType, d.DataType):
		return "its type is " + c.DataType + ", not " + strings.ToLower(d.DataType)
	case d.IsNotNull != nil && *d.IsNotNull && !c.IsNotNull:
		return "it allows NULL"
	case d.IsUnique != nil && *d.IsUnique && !c.IsUnique:
		return "it is not unique"
	case d.DefaultValue != nil && c.DefaultValue == nil:
		return "it has no default"
	case d.DefaultValue != nil && *c.DefaultValue != *d.DefaultValue:
		return fmt.Sprintf("its default is %s, not %s", *c.DefaultValue, *d.DefaultValue)
	}
	return ""
}
