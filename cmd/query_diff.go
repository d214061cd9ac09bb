package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

const exitDifferent = 1 // of query diff, after diff(1)

func newQueryDiffCmd(e *Env) *cobra.Command {
	var keys []string
	var noPager, all bool
	var dialect string
	c := &cobra.Command{
		Use: "diff A B", Short: "Compare two results by key", Args: cobra.ExactArgs(2),
		Long: `Compare two results by key and print the rows that only one has, and each value that changed.

A and B are each one of
  FILE           a result in a file: ` + strings.Join(output.Readable(), ", ") + `
  sql:SQL        the rows of a statement; sql:@FILE reads it from a file
  query:QUERY    the rows of a saved query, by name or id
  last           the last result of query execute

Numbers compare by value, everything else by its text; columns are matched by name and rows by --key, in any order.
Without --key the whole row is the key. --columns restricts what is compared. Memory does not grow with the results.

Where one side is all columns of an internal table, system columns (_id, _version, ... and text while it is NULL in
every row) are not compared, unless --key or --columns names them or --all is given.

Exit codes: 0 the results are the same, 1 they differ, 2 they cannot be compared.`,
		Example: strings.ReplaceAll(`  dig query diff yesterday.csv today.csv --key id
  dig query diff last "sql:SELECT * FROM peaka.query.daily_sales" --key day,shop
  dig query diff query:daily_sales sales.parquet --key day -o csv`, "dig ", e.Name+" "),
	}
	c.Flags().StringSliceVar(&keys, "key", nil, "columns that identify a row")
	c.Flags().BoolVar(&noPager, "no-pager", false, "never page")
	c.Flags().BoolVar(&all, "all", false, "compare the system columns of internal tables too")
	e.dialectFlag(c, &dialect)
	annotate(c, spec.ExecuteQuery, spec.ListQueries)
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return []cobra.Completion{"last", "sql:", "query:"}, cobra.ShellCompDirectiveNoSpace
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := e.checkDialect(dialect, strings.HasPrefix(args[0], "sql:") || strings.HasPrefix(args[1], "sql:")); err != nil {
			return err
		}
		same, err := e.diff(c.Context(), args, keys, dialect, !noPager, all)
		switch {
		case errors.Is(err, errDone):
			return err
		case err != nil:
			f := classify(c.Context(), err)
			if f.exit != exitInterrupted {
				f.exit = exitUsage
			}
			return &f
		case !same:
			return errDifferent
		}
		return nil
	}
	return c
}

// errDifferent is an exit code without a message: what differs was printed.
var errDifferent = errors.New("the results differ")

func (e *Env) diff(ctx context.Context, args, keys []string, dialect string, page, all bool) (same bool, err error) {
	o, err := e.outputOptions()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, opKey{}, spec.ExecuteQuery))
	defer cancel()
	var sides [2]api.RowReader
	for i, arg := range args {
		if sides[i], err = e.openSide(ctx, arg, dialect); e.planned(err) {
			continue
		} else if err != nil {
			return false, err
		}
		defer sides[i].Close()
	}
	if e.told() > 0 {
		return false, errDone
	}
	var left []*someColumns
	if !all && len(o.Columns) == 0 {
		if left, err = withoutSystemSides(&sides, keys); err != nil {
			return false, err
		}
	}
	s, err := e.openSink(e.run.flags.out, page, o, cancel)
	if err != nil {
		return false, err
	}
	o.Notes = s.notes
	defer func() {
		for _, f := range left {
			f.warnText(s.notes)
		}
	}()
	if e.ErrTerm {
		for i := range sides {
			sides[i] = s.progress.Rows(sides[i])
		}
	}
	st, err := output.Diff(sides[0], sides[1], keys, s.w, o)
	same = st.Same() && !slices.ContainsFunc(left, func(f *someColumns) bool { return f != nil && f.lost })
	return same, s.finish(err)
}

// openSide opens what an argument of query diff names.
func (e *Env) openSide(ctx context.Context, arg, dialect string) (api.RowReader, error) {
	kind, rest, _ := strings.Cut(arg, ":")
	switch {
	case arg == "last":
		kept, res, err := e.openKept()
		if err != nil {
			return nil, err
		}
		if kept.NotKept != "" {
			res.Close()
			return nil, notKept(kept)
		}
		return res.Rows(), nil
	case kind == "sql":
		sql, err := e.value("sql:", rest)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(string(sql)) == "" {
			return nil, usagef("%s: the statement is empty", arg)
		}
		return e.openStatement(inDialect(ctx, dialect), (&executeFlags{}).statement(e, string(sql), nil))
	case kind == "query":
		cl, err := e.Client()
		if err != nil {
			return nil, err
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return nil, err
		}
		id, err := queryID(ctx, cl, p, rest)
		if err != nil {
			return nil, err
		}
		return e.openStatement(ctx, &statement{form: api.ExecuteByID{ID: id, Timeout: api.ExecuteTimeout(e.timeLimit())}})
	}
	r, err := output.OpenRows(e.abs(arg))
	if errors.Is(err, os.ErrNotExist) {
		return nil, usagef("there is no file %s", arg).withHint("the sides are files, sql:STATEMENT, query:NAME or last")
	}
	return r, err
}

func notKept(k keptInfo) *failure {
	return &failure{exit: exitNotFound, code: "no-last-result", msg: "the last result was not kept: " + k.NotKept,
		hint: "run it again, with --out FILE to have it in a file; DIG_HISTORY sets the size up to which results are kept"}
}

// warnedRows warns when all rows were read.
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

// openStatement runs a statement for its typed rows.
func (e *Env) openStatement(ctx context.Context, st *statement) (api.RowReader, error) {
	q, err := e.newQuerying(ctx, &executeFlags{}, output.Options{})
	if err != nil {
		return nil, err
	}
	if err := e.refuseStatement(st.text); err != nil {
		return nil, err
	}
	look := q.lookBeside(ctx, st.form)
	for {
		res, err := q.cl.Queries.Execute(ctx, q.project, st.form, q.format)
		if err != nil {
			look.end()
			return nil, e.pointAt(st, err)
		}
		rows := res.Rows()
		if ok, err := typed(rows); ok || err != nil || q.format == api.CellTyped {
			warn := sync.OnceFunc(func() { q.warn(ctx, st, -1, look, e.Err) })
			return &warnedRows{rows, warn}, nil // rows says an error again when it is read
		}
		if err := rows.Close(); err != nil {
			return nil, fmt.Errorf("closing a result without types: %w", err)
		}
		q.format = api.CellTyped
	}
}
