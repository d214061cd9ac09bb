package table

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
)

// rowCount is a number of rows for a sentence.
func rowCount(n int64) string { return fmt.Sprintf("%d %s", n, english.PluralWord(int(n), "row", "")) }

func newTruncateCmd(e *cli.Env, k tableKind) *cobra.Command {
	c := &cobra.Command{Use: "truncate TABLE", Short: "Delete all rows of a table (zone local)",
		Args:    cobra.ExactArgs(1),
		Long:    "Delete all rows of a table, in one step. Its columns stay.\n\nHosted zones cannot delete rows.",
		Example: "  " + e.Name + " " + k.noun + " truncate people"}
	return cli.Leaf[api.ChangedTable](e, spec.DeleteRows, c, e.CheckThenProject(func(args []string) (cli.ProjectRun,
		error) {
		if !e.Local() {
			return nil, onlyLocal(e, k.noun+" truncate").WithHint("`dig %s delete` and `dig %s create` replace the "+
				"table by an empty one", k.noun, k.noun)
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			table := k.stored(args[0])
			look := func() (q prompt.Holds, err error) {
				now, err := contents.Of(cli.LookUp(ctx), cl, p, k.noun, table, "")
				q.Text, q.Mark = fmt.Sprintf("delete all rows of %s %s%s?", k.noun, table, now.Count()), now.Mark()
				return q, err
			}
			q, err := look()
			if err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().Confirm("%s", q.Text); err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().Recheck(k.noun+" "+table, q, look); err != nil {
				return cli.View{}, err
			}
			out, err := cl.DeleteRows(ctx, p, k.noun, args[0], api.RowDeletion{All: true})
			if err != nil {
				return cli.View{}, err
			}
			emptied(e, p, k, out.TableName)
			return cli.Object(out).WithNote("deleted %s of %s %s", rowCount(out.Rows), k.noun, out.TableName), nil
		}, nil
	}))
}

// emptied removes the records of what was imported into a table that has no rows any more. Records that remain are
// harmless: an empty table accepts any document.
func emptied(e *cli.Env, project string, k tableKind, table string) {
	if l, err := imports(e, project); err == nil && !e.DryRun() {
		_ = l.ForgetSettled(k.noun, table)
	}
}

func newRowsCmd(e *cli.Env, k tableKind) *cobra.Command {
	c := &cobra.Command{Use: "rows", Short: "Delete rows of a table"}
	c.AddCommand(newRowsDeleteCmd(e, k))
	return c
}

func newRowsDeleteCmd(e *cli.Env, k tableKind) *cobra.Command {
	var where string
	var named prompt.Naming
	c := &cobra.Command{Use: "delete TABLE", Aliases: []string{"rm"},
		Short: "Delete the rows that meet a condition (zone local)", Args: cobra.ExactArgs(1),
		Long: `Delete the rows of a table that meet a condition, which is what follows WHERE in Trino's SQL.

The rows are counted first, and with --dry-run only counted. The name of the table is asked for, or --yes needs
--confirm TABLE. Nothing is deleted if the number of rows has changed by then, and either all rows are deleted
or none.

Hosted zones cannot delete rows.`,
		Example: "  " + e.Name + " " + k.noun + ` rows delete orders --where "created < DATE '2024-01-01'" --dry-run`}
	c.Flags().StringVar(&where, "where", "", "the condition, in SQL")
	named.RegisterAlways(c, "table")
	cli.Annotate(c, spec.ExecuteQuery)
	return cli.Leaf[api.ChangedTable](e, spec.DeleteRows, c, e.CheckThenProject(func(args []string) (cli.ProjectRun,
		error) {
		switch {
		case where == "":
			return nil, exitcode.Usagef("--where is required").WithHint("`dig %s truncate` deletes all rows", k.noun)
		case !sqltext.Enclosed(where, false):
			return nil, exitcode.Usagef("--where %q is not a condition: its parentheses or quotes are not closed, or "+
				"it has a semicolon", where)
		case !e.Local():
			return nil, onlyLocal(e, k.noun+" rows delete")
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			if err := e.Permit(); err != nil {
				return cli.View{}, err
			}
			table := k.stored(args[0])
			n, all, err := contents.Meeting(cli.LookUp(ctx), cl, p, k.noun, table, where)
			if err != nil {
				return cli.View{}, err
			}
			if e.DryRun() {
				fmt.Fprintf(e.Err, "%d of the %s of %s %s meet the condition\n", n, rowCount(all), k.noun, table)
			}
			if n == 0 && !e.DryRun() {
				return cli.Object(api.ChangedTable{TableName: table}).WithNote(
					"no row of %s %s meets the condition; nothing was deleted", k.noun, table), nil
			}
			if err := e.Ask().ConfirmNamed(named, []string{args[0], table}, "",
				"delete %d of the %s of %s %s, where %s?", n, rowCount(all), k.noun, table, where); err != nil {
				return cli.View{}, err
			}
			out, err := cl.DeleteRows(ctx, p, k.noun, args[0], api.RowDeletion{Where: where, Expect: &n})
			if err != nil {
				return cli.View{}, err
			}
			if n == all {
				emptied(e, p, k, out.TableName)
			}
			return cli.Object(out).WithNote("deleted %s of %s %s", rowCount(out.Rows), k.noun, out.TableName), nil
		}, nil
	}))
}

func newRenameCmd(e *cli.Env, k tableKind) *cobra.Command {
	var named prompt.Naming
	c := &cobra.Command{Use: "rename TABLE NAME", Aliases: []string{"mv"}, Short: "Rename a table (zone local)",
		Args: cobra.ExactArgs(2),
		Long: `Rename a table. Its rows, columns and metadata stay.

Saved queries that read it by the old name break; if there are any, they are listed, and the name of the table
is asked for, or --yes needs --confirm TABLE.

Hosted zones cannot rename tables.`,
		Example: "  " + e.Name + " " + k.noun + " rename people persons"}
	named.Register(c, "table")
	return cli.Leaf[api.ChangedTable](e, spec.RenameTable, c, e.CheckThenProject(func(args []string) (cli.ProjectRun,
		error) {
		if args[0] == "" || args[1] == "" {
			return nil, exitcode.Usagef("a name is required")
		}
		if !e.Local() {
			return nil, onlyLocal(e, k.noun+" rename")
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			old := k.stored(args[0])
			used, err := k.broken(ctx, cl, p, old, "")
			if err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().ConfirmBreaking(named, []string{args[0], old}, used, "rename %s %s to %s%s?", k.noun,
				old, k.stored(args[1]), used); err != nil {
				return cli.View{}, err
			}
			out, err := cl.RenameTable(ctx, p, k.noun, args[0], args[1])
			if err != nil {
				return cli.View{}, err
			}
			say := fmt.Sprintf("renamed %s %s to %s%s", k.noun, old, out.TableName, used)
			l, err := imports(e, p)
			if err == nil {
				err = l.Rename(k.noun, old, out.TableName)
			}
			if err != nil {
				say += "\nwhat was imported into it is not known any more: " + err.Error()
			}
			return cli.Object(out).WithNote("%s", say), nil
		}, nil
	}))
}

func newCopyCmd(e *cli.Env, k tableKind) *cobra.Command {
	c := &cobra.Command{Use: "copy TABLE NAME", Aliases: []string{"cp"},
		Short: "Copy a table with its columns and rows (zone local)", Args: cobra.ExactArgs(2),
		Long: `Create a table with the columns and the rows of another, all or nothing. The rows of the copy are
new: they have ids and times of creation of their own.

On hosted zones, ` + "`dig sql \"SELECT ...\" --into NAME`" + ` copies rows to an internal table.`,
		Example: "  " + e.Name + " " + k.noun + " copy people people_backup"}
	return cli.Leaf[api.ChangedTable](e, spec.CopyTable, c, e.CheckThenProject(func(args []string) (cli.ProjectRun,
		error) {
		if args[0] == "" || args[1] == "" {
			return nil, exitcode.Usagef("a name is required")
		}
		if !e.Local() {
			return nil, exitcode.Usagef("%s copy is possible on zone local only: the API of %s has no such operation",
				k.noun, e.Run.Settings.Where()).
				WithHint("`dig sql \"SELECT ...\" --into %s` copies rows to an internal table", args[1])
		}
		return func(ctx context.Context, cl *api.Client, p string) (cli.View, error) {
			out, err := cl.CopyTable(ctx, p, k.noun, args[0], args[1])
			if err != nil {
				return cli.View{}, err
			}
			return cli.Object(out).WithNote("copied %s of %s %s to %s", rowCount(out.Rows), k.noun, k.stored(args[0]),
				out.TableName), nil
		}, nil
	}))
}

var changedShape = cli.Shape{ID: "tableName", Fields: []cli.Field{
	{Path: "tableName", Heading: "table", Key: true},
	{Path: "rows", Key: true},
}}
