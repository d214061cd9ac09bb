package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/uses"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

var columnColumns = []string{"name", "dataType", "displayName", "defaultValue", "isNotNull", "isUnique"}

func newColumnCmd(e *cli.Env, k tableKind) *cobra.Command {
	c := &cobra.Command{Use: "column", Aliases: []string{"columns", "col"}, Short: "The columns of a table"}
	ex := "  " + e.Name + " " + k.noun + " column "
	c.AddCommand(newColumnListCmd(e, k, ex), newColumnAddCmd(e, k, ex), newColumnUpdateCmd(e, k, ex),
		newColumnDeleteCmd(e, k, ex))
	return c
}

func newColumnDeleteCmd(e *cli.Env, k tableKind, ex string) *cobra.Command {
	var named prompt.Naming
	c := &cobra.Command{Use: "delete TABLE COLUMN", Aliases: []string{"rm", "drop"},
		Short: "Delete a column with its values", Example: ex + "delete people age --yes", Args: cobra.ExactArgs(2),
		Long: `Delete a column with its values.

What uses the table is listed, saved queries if they name the column or select all columns; if there is
anything, the name of the column is asked for, or --yes needs --confirm COLUMN. A column that gets
values before the question is answered is not deleted.`}
	named.Register(c, "column")
	return cli.Leaf[cli.Acknowledged](e, k.delColumn, c, e.WithProject(func(ctx context.Context, cl *api.Client,
		p string,
		args []string) (cli.View, error) {
		if args[0] == "" || args[1] == "" {
			return cli.View{}, exitcode.Usagef("a name is required")
		}
		used, err := k.agreed(ctx, e, cl, p, named, []string{args[1], k.stored(args[1])}, args[0], args[1])
		if err != nil {
			return cli.View{}, err
		}
		return cli.Note("deleted column %s%s", args[1], used), k.client(cl).DeleteColumn(ctx, p, args[0], args[1])
	}))
}

func newColumnListCmd(e *cli.Env, k tableKind, ex string) *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "list TABLE", Aliases: []string{"ls"}, Short: "List the columns of a table", Example: ex +
		"list people", Args: cobra.ExactArgs(1),
		Long: "List the columns of a table. The system columns of every table (_id, _version, ... and text) are " +
			"omitted\nunless --all is given. The column text is listed if it contains a value."}
	c.Flags().BoolVar(&all, "all", false, "list system columns too")
	return cli.Leaf[[]api.ColumnDetail](e, k.columns, c, e.WithProject(func(ctx context.Context, cl *api.Client,
		p string,
		args []string) (cli.View, error) {
		cols, err := k.client(cl).Columns(ctx, p, args[0])
		if err != nil || all {
			return cli.List(cols, columnColumns...), err
		}
		own := []api.ColumnDetail{}
		for _, col := range cols {
			used := !rowset.SystemColumn(col.Name)
			if col.Name == rowset.BareText {
				if used, err = textInUse(ctx, cl, p, k.noun, k.stored(args[0])); err != nil {
					return cli.View{}, fmt.Errorf(
						"cannot determine whether column %s is in use (--all lists it without this check): %w",
						rowset.BareText, err)
				}
			}
			if used {
				own = append(own, col)
			}
		}
		return cli.List(own, columnColumns...).PrintValue(), nil
	}))
}

// systemName reports whether a name is that of a system column, in any case, since SQL ignores case.
func systemName(name string) bool { return rowset.SystemColumn(strings.ToLower(name)) }

// checkColumns checks the declarations of new columns before anything is sent. flag is their origin.
func checkColumns(k tableKind, flag string, defs []api.ColumnRequest) error {
	seen := map[string]string{}
	for _, d := range defs {
		stored := k.stored(d.Name)
		at := strings.ToLower(stored)
		was, twice := seen[at]
		switch {
		case d.Name == "":
			return exitcode.Usagef("%s: a column has no name", flag)
		case d.DataType == "":
			return exitcode.Usagef("%s: column %q has no type", flag, d.Name)
		case stored == "" || stored == "." || stored == "..":
			return exitcode.Usagef("%s: a column cannot be called %q", flag, d.Name)
		case systemName(stored):
			return exitcode.Usagef("%s: column %q: every table has a system column of this name", flag, d.Name)
		case !utf8.ValidString(d.Name) || strings.ContainsFunc(d.Name, unicode.IsControl):
			return exitcode.Usagef("%s: the name %q contains invalid UTF-8 or control characters", flag, d.Name)
		case twice:
			return exitcode.Usagef("%s: the columns %q and %q would be the same column", flag, was, d.Name)
		}
		if err := checkColumnTypes(flag, d); err != nil {
			return err
		}
		seen[at] = d.Name
	}
	return nil
}

func newColumnAddCmd(e *cli.Env, k tableKind, ex string) *cobra.Command {
	var f columnFlags
	var more []string
	c := &cobra.Command{Use: "add TABLE [COLUMN]", Aliases: []string{"create"}, Short: "Add columns to a table",
		Args: cobra.RangeArgs(1, 2),
		Example: ex + "add people age --type bigint --default 0\n" + ex +
			"add people --column email:varchar:unique --column born:date"}
	f.register(e, c)
	c.Flags().StringArrayVar(&more, "column", nil, "a column as NAME:TYPE[:notnull][:unique][:default=VALUE]; repeat")
	return cli.Leaf[[]api.ColumnDetail](e, k.add, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		var defs []api.ColumnRequest
		if err := e.Body(f.body, &defs); err != nil {
			return nil, err
		}
		if len(args) == 2 {
			d := api.ColumnRequest{Name: args[1]}
			f.apply(c, &d)
			if d.DataType == "" {
				return nil, exitcode.Usagef("--type is required")
			}
			defs = append(defs, d)
		}
		for _, text := range more {
			d, err := parseColumn(text)
			if err != nil {
				return nil, err
			}
			defs = append(defs, d)
		}
		if err := checkColumnTypes("--type", defs...); err != nil {
			return nil, err
		}
		if len(defs) == 0 {
			return nil, exitcode.Usagef("no column given").WithHint("give COLUMN --type TYPE, or --column NAME:TYPE")
		}
		if err := errors.Join(checkColumns(k, "--column", defs), checkNarrow(e, "--type", defs...)); err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			v, err := k.client(cl).AddColumns(ctx, p, args[0], defs)
			if err != nil {
				return cli.View{}, err
			}
			now, err := k.client(cl).Columns(ctx, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			return cli.List(v, columnColumns...), stuck(e, k, defs, now)
		}, nil
	}))
}

// stuck compares the requested column properties with those of a later list call, and returns an error if some are
// missing: the hosted zones silently drop some [L].
func stuck(e *cli.Env, k tableKind, wanted []api.ColumnRequest, now []api.ColumnDetail) error {
	have := map[string]api.ColumnDetail{}
	for _, c := range now {
		have[c.Name] = c
	}
	var lost []string
	for _, a := range wanted {
		c, ok := have[a.Name]
		if !ok {
			if c, ok = have[k.stored(a.Name)]; !ok {
				lost = append(lost, a.Name+" (the whole column)")
				continue
			}
		}
		if a.IsNotNull != nil && *a.IsNotNull != c.IsNotNull {
			lost = append(lost, a.Name+".isNotNull")
		}
		if a.IsUnique != nil && *a.IsUnique != c.IsUnique {
			lost = append(lost, a.Name+".isUnique")
		}
		if a.Desc != nil && (c.Desc == nil || *c.Desc != *a.Desc) {
			lost = append(lost, a.Name+".desc")
		}
		if a.DisplayName != "" && c.DisplayName != a.DisplayName && k.stored(a.DisplayName) != c.Name {
			lost = append(lost, a.Name+".displayName")
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "not-stored",
		Msg:  "the gateway accepted the column but did not store: " + strings.Join(lost, ", "),
		Hint: "the hosted zones silently drop these; zone local stores them"}
}

// columnChanges are the flags that change a column.
var columnChanges = []string{"name", "type", "display-name", "default", "not-null", "unique", "desc"}

func newColumnUpdateCmd(e *cli.Env, k tableKind, ex string) *cobra.Command {
	var f columnFlags
	var name string
	var named prompt.Naming
	c := &cobra.Command{Use: "update TABLE COLUMN", Short: "Rename, retype or change a column; its values are kept",
		Args: cobra.ExactArgs(2),
		Long: "Rename, retype or change a column; its values are kept.\n\nAfter a rename, saved queries that use " +
			"the former name break; if there are any, they are listed, and the name of the column is asked for, or " +
			"--yes needs --confirm COLUMN.\n\nThe gateway requires the whole column: dig reads it first and changes " +
			"only what the flags set.",
		Example: ex + "update people age --type varchar\n" + ex + "update people age --name years"}
	f.register(e, c)
	named.Register(c, "column")
	c.Flags().StringVar(&name, "name", "", "new name")
	cli.Annotate(c, append(uses.Operations(), k.columns)...)
	return cli.Leaf[[]api.ColumnDetail](e, k.update, c, e.CheckThenProject(func(args []string) (cli.ProjectRun, error) {
		var d api.ColumnRequest
		if err := e.Body(f.body, &d); err != nil {
			return nil, err
		}
		if c.Flags().Changed("name") && systemName(name) {
			return nil, exitcode.Usagef("--name: every table has a system column called %q", name)
		}
		if f.body == "" && !slices.ContainsFunc(columnChanges, c.Flags().Changed) {
			return nil, exitcode.Usagef("nothing to change: give --%s", strings.Join(columnChanges, ", --"))
		}
		if err := checkColumnTypes("--type", d, api.ColumnRequest{DataType: f.typ}); err != nil {
			return nil, err
		}
		if err := checkNarrow(e, "--type", d, api.ColumnRequest{DataType: f.typ}); err != nil {
			return nil, err
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			if f.body == "" {
				cols, err := k.client(cl).Columns(ctx, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				found := false
				for _, col := range cols {
					if col.Name == args[1] || col.Name == k.stored(args[1]) {
						found = true
						d = api.ColumnRequest{Name: col.Name, DataType: strings.ToUpper(col.DataType),
							DisplayName: col.DisplayName, DefaultValue: col.DefaultValue,
							IsNotNull: &col.IsNotNull, IsUnique: &col.IsUnique, Desc: col.Desc}
						if col.Widens { // a member that hosted zones do not know
							d.Widens = &col.Widens
						}
					}
				}
				if !found {
					return cli.View{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found", Msg: "table " +
						args[0] + " has no column " + args[1]}
				}
			}
			f.apply(c, &d)
			if c.Flags().Changed("name") {
				if d.DisplayName == d.Name && !c.Flags().Changed("display-name") {
					d.DisplayName = name
				}
				d.Name = name
			}
			used := ""
			if was := k.stored(args[1]); d.Name != "" && !strings.EqualFold(k.stored(d.Name), was) {
				var err error
				if used, err = k.broken(ctx, cl, p, k.stored(args[0]), was); err != nil {
					return cli.View{}, err
				}
				if err := e.Ask().ConfirmBreaking(named, []string{args[1], was}, used,
					"rename column %s of %s %s to %s%s?", was, k.noun, args[0], k.stored(d.Name), used); err != nil {
					return cli.View{}, err
				}
			}
			v, err := k.client(cl).UpdateColumn(ctx, p, args[0], args[1], d)
			if err != nil {
				return cli.View{}, err
			}
			if used != "" {
				fmt.Fprintf(e.Err, "warning: column %s is called %s now%s\n", args[1], d.Name, used)
			}
			now, err := k.client(cl).Columns(ctx, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			return cli.List(v, columnColumns...), stuck(e, k, []api.ColumnRequest{d}, now)
		}, nil
	}))
}

// Closed sets of words that a gateway rejects, or silently accepts, when they are misspelt.

// checkColumnTypes rejects types that no column can have, before anything is sent. A definition without a type is left
// to the caller.
func checkColumnTypes(flag string, defs ...api.ColumnRequest) error {
	for _, d := range defs {
		if d.DataType == "" {
			continue
		}
		if _, ok := api.ColumnType(d.DataType); ok {
			continue
		}
		if strings.HasPrefix(strings.ToLower(d.DataType), "decimal") {
			return exitcode.Usagef("%s: %q is not DECIMAL or DECIMAL(PRECISION,SCALE), with at most %d digits", flag,
				d.DataType, api.MaxPrecision)
		}
		if _, err := cli.Word(flag, d.DataType, api.ColumnTypes()); err != nil {
			return err
		}
	}
	return nil
}

// checkNarrow rejects decimals with a precision where a zone has only those of 38 digits.
func checkNarrow(e *cli.Env, flag string, defs ...api.ColumnRequest) error {
	if e.Local() {
		return nil
	}
	for _, d := range defs {
		if typ, ok := api.ColumnType(d.DataType); ok && strings.HasPrefix(typ, "decimal(") {
			return exitcode.Usagef("%s: %s on %s: a DECIMAL has %d digits there, %d of them after the point", flag, typ,
				e.Run.Settings.Where(), api.DecimalPrecision, api.DecimalScale).WithHint("give the type as DECIMAL")
		}
	}
	return nil
}
