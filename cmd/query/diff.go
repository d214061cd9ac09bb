package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newQueryDiffCmd(e *cli.Env) *cobra.Command {
	var keys []string
	var noPager, all bool
	c := &cobra.Command{
		Use: "diff A B", Short: "Compare two results by key", Args: cobra.ExactArgs(2),
		Long: `Compare two results by key and print the rows that only one of them has, and each changed value.

A and B are each one of
  FILE           a result in a file: ` + strings.Join(rowset.Readable(), ", ") + `
                 and others; it is read as FROM 'FILE' does
  sql:SQL        the rows of a statement; sql:@FILE reads it from a file
  query:QUERY    the rows of a saved query, by name or id
  last           the last result of query execute

Numbers compare by value, everything else by its text; columns are matched by name and rows by --key, in any order.
Without --key the whole row is the key. --columns restricts what is compared. Memory does not grow with the results.

If one side has all columns of an internal table, system columns (_id, _version, ... and text while it is NULL in
every row) are not compared, unless --key or --columns names them or --all is given.

Exit codes: 0 the results are the same, 1 they differ, 2 they cannot be compared.`,
		Example: strings.ReplaceAll(`  dig query diff yesterday.csv today.csv --key id
  dig query diff last "sql:SELECT * FROM peaka.query.daily_sales" --key day,shop
  dig query diff query:daily_sales sales.parquet --key day -o csv`, "dig ", e.Name+" "),
	}
	c.Flags().StringSliceVar(&keys, "key", nil, "columns that identify a row")
	c.Flags().BoolVar(&noPager, "no-pager", false, "do not use a pager")
	c.Flags().BoolVar(&all, "all", false, "compare the system columns of internal tables too")
	how := cli.AddReadFlags(c, rowfile.ByFileFlag, false)
	cli.Prints[[]map[string]any](e, cli.Compares(c))
	cli.Annotate(c, spec.ExecuteQuery, spec.ListQueries)
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return []cobra.Completion{"last", "sql:", "query:"}, cobra.ShellCompDirectiveNoSpace
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := how.Options()
		if err != nil {
			return err
		}
		same, err := diff(c.Context(), e, args, keys, !noPager, all, o)
		return cli.Compared(c.Context(), same, err)
	}
	return c
}

func diff(ctx context.Context, e *cli.Env, args, keys []string, page, all bool, how rowfile.Options) (same bool,
	err error) {
	o, err := e.OutputOptions()
	if err == nil {
		err = e.CheckDrawnFile()
	}
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(cli.OwnRequest(ctx, spec.ExecuteQuery))
	defer cancel()
	var sides [2]api.RowReader
	if how.Given() && !slices.ContainsFunc(args, isSideFile) {
		return false, exitcode.Usagef("%s is for files, and neither side is one", how.First()).
			WithHint("a statement has it behind the file: FROM 'x.csv' WITH (...)")
	}
	for i, arg := range args {
		if sides[i], err = openSide(ctx, e, arg, how); e.Planned(err) {
			continue
		} else if err != nil {
			return false, err
		}
		defer sides[i].Close()
	}
	if e.StepCount() > 0 {
		return false, cli.ErrDone
	}
	var left []*rowset.SomeColumns
	if !all && len(o.Columns) == 0 {
		if left, err = rowset.WithoutSystemSides(&sides, keys); err != nil {
			return false, err
		}
	}
	s, err := e.OpenSink(e.Run.Flags.Out, page, o, cancel)
	if err != nil {
		return false, err
	}
	o.Notes = s.Notes
	defer func() {
		for _, f := range left {
			f.WarnText(s.Notes)
		}
	}()
	if e.Live() {
		for i := range sides {
			sides[i] = s.Progress.Rows(sides[i])
		}
	}
	st, err := writeDiff(s.W, sides, keys, o)
	same = st.Same() && !slices.ContainsFunc(left, func(f *rowset.SomeColumns) bool { return f != nil && f.Lost != "" })
	return same, s.Finish(err)
}

// writeDiff compares the columns of o, and writes the differences and a note that sums them up.
func writeDiff(w io.Writer, sides [2]api.RowReader, keys []string, o output.Options) (st rowset.DiffStats, err error) {
	d, err := rowset.Diff(sides[0], sides[1], keys, o.Columns)
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	plain := o
	plain.Columns, plain.DefaultColumns, plain.Notes = nil, nil, nil
	if _, err = output.WriteRows(w, d, plain); err != nil {
		return st, err
	}
	if st = d.Stats(); o.Notes != nil {
		fmt.Fprintln(o.Notes, st.Summary())
	}
	return st, nil
}

// isSideFile reports whether a side of a comparison is a file.
func isSideFile(arg string) bool {
	kind, _, _ := strings.Cut(arg, ":")
	return arg != "last" && kind != "sql" && kind != "query"
}

// openSide opens one of the two results to compare.
func openSide(ctx context.Context, e *cli.Env, arg string, how rowfile.Options) (api.RowReader, error) {
	kind, rest, _ := strings.Cut(arg, ":")
	switch {
	case arg == "last":
		kept, res, err := openKept(e)
		if err != nil {
			return nil, err
		}
		if kept.NotKept != "" {
			res.Close()
			return nil, notKept(kept)
		}
		return res.Rows(), nil
	case kind == "sql":
		sql, err := e.Value("sql:", rest)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(string(sql)) == "" {
			return nil, exitcode.Usagef("%s: the statement is empty", arg)
		}
		return openStatement(ctx, e, (&executeFlags{}).statement(e, string(sql), nil))
	case kind == "query":
		cl, err := e.Client()
		if err != nil {
			return nil, err
		}
		p, err := e.Target().ProjectID(ctx, cl)
		if err != nil {
			return nil, err
		}
		id, err := resolve.QueryID(ctx, cl, p, rest)
		if err != nil {
			return nil, err
		}
		return openStatement(ctx, e, &statement{form: api.ExecuteByID{ID: id,
			Timeout: api.ExecuteTimeout(e.TimeLimit())}})
	}
	r, err := rowset.Open(ctx, e.Abs(arg), arg, how)
	if errors.Is(err, os.ErrNotExist) {
		return nil, exitcode.Usagef("there is no file %s",
			arg).WithHint("each side is a file, sql:STATEMENT, query:NAME or last")
	}
	if err != nil {
		return nil, err
	}
	for _, note := range r.Notes {
		fmt.Fprintln(e.Err, arg+": "+note)
	}
	return r, nil
}

func notKept(k keptInfo) *exitcode.Failure {
	return &exitcode.Failure{Exit: exitcode.NotFound, Code: "no-last-result", Msg: "the last result was not stored: " +
		k.NotKept,
		Hint: "run it again, with --out FILE to write it to a file; DIG_HISTORY sets the maximum size of stored results"}
}

// warnedRows warns after all rows were read.
type warnedRows struct {
	api.RowReader
	warn func()
}

func (r *warnedRows) Next() bool {
	if r.RowReader.Next() {
		return true
	}
	if r.Err() == nil {
		r.warn()
	}
	return false
}

// openStatement runs a statement and returns its typed rows.
func openStatement(ctx context.Context, e *cli.Env, st *statement) (api.RowReader, error) {
	q, err := newQuerying(ctx, e, &executeFlags{}, output.Options{})
	if err != nil {
		return nil, err
	}
	if err := refuseStatement(e, st.text); err != nil {
		return nil, err
	}
	look, stale := q.startTableCheck(ctx, st.form), q.lookStale(ctx, st.form)
	for {
		res, err := q.cl.Queries.Execute(q.withFiles(ctx, st), q.project, st.form, q.options(q.format))
		if err != nil {
			look.end()
			stale.end()
			return nil, pointAt(e, st, err)
		}
		st.files.print(e.Err)
		rows := res.Rows()
		if ok, err := typed(rows); ok || err != nil || q.format == api.CellTyped {
			warn := sync.OnceFunc(func() {
				q.warn(ctx, st, -1, look, e.Err)
				stale.note(ctx, e.Err)
			})
			return &warnedRows{rows, warn}, nil // rows returns the error again when it is read
		}
		if err := rows.Close(); err != nil {
			return nil, fmt.Errorf("closing a result without types: %w", err)
		}
		q.format = api.CellTyped
	}
}
