package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// batchFlags are the flags for runs of several statements.
type batchFlags struct {
	eachRow   string
	how       *cli.ReadFlags
	bindCols  []string
	outDir    string
	jobs      int
	keepGoing bool

	toFiles bool // each result has its own file
}

func (f *batchFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.outDir, "out-dir", "",
		"write each result to its own file in this directory: 1.csv, 2.csv and so on")
	fs.IntVar(&f.jobs, "jobs", 1, "number of statements to run concurrently; results keep their order")
	fs.BoolVar(&f.keepGoing, "keep-going", false,
		"continue after a failed statement; the exit code is 20 plus the number of failures")
}

// registerRows adds the flags for one statement that runs with the values of many rows.
func (f *batchFlags) registerRows(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.eachRow, "each-row", "",
		"run the statement once for each row of this file, whose columns are the values of its ?")
	fs.StringSliceVar(&f.bindCols, "bind-columns", nil,
		"columns of the --each-row file to bind, in the order of the ? (all, by default)")
	f.how = cli.AddReadFlags(c, rowfile.ByFileFlag, false)
}

// check validates the flags for one statement or, possibly, several, and converts --out-dir to an --out with {n}.
func (f *batchFlags) check(e *cli.Env, c *cobra.Command, several, chart bool) error {
	for _, name := range []string{"out-dir", "jobs", "keep-going"} {
		if c.Flags().Changed(name) && !several {
			hint := "give them with -f FILE"
			if c.Flags().Lookup("each-row") != nil { // dig sql has none
				hint += ", or values with --each-row"
			}
			return exitcode.Usagef("--%s is for several statements", name).WithHint("%s", hint)
		}
	}
	if f.jobs < 1 || f.jobs > maxJobs {
		return exitcode.Usagef("--jobs: %d is not between 1 and %d", f.jobs, maxJobs)
	}
	if len(f.bindCols) > 0 && f.eachRow == "" {
		return exitcode.Usagef("--bind-columns requires --each-row")
	}
	if f.how != nil && f.how.Given() != "" && f.eachRow == "" {
		return exitcode.Usagef("--%s is for the file of --each-row", f.how.Given()).
			WithHint("a statement has it behind the file: FROM 'x.csv' WITH (...)")
	}
	out := &e.Run.Flags.Out
	if c.Flags().Changed("out-dir") {
		if *out != "" || f.outDir == "" {
			return exitcode.Usagef("--out-dir requires a directory and cannot be used with --out")
		}
		s, err := e.Settings()
		if err != nil {
			return err
		}
		*out = filepath.Join(f.outDir, "{n}."+endingOf(output.FormatOf(s.Output.Value), s.Output.From == "default" &&
			e.Run.Flags.Jq != "", chart))
	}
	f.toFiles = several && strings.Contains(*out, "{n}")
	return nil
}

// endingOf returns the file name extension of a format.
func endingOf(f output.Format, json, chart bool) string {
	switch {
	case chart:
		return "txt"
	case json:
		return "json"
	case f == output.Table:
		return "txt"
	case f == output.Markdown:
		return "md"
	default:
		return f.String()
	}
}

// outputFiles returns the file names of result n.
func (f *executeFlags) outputFiles(n int) (out, sidecar string) {
	number := strconv.Itoa(n)
	return strings.ReplaceAll(f.out, "{n}", number), strings.ReplaceAll(f.sidecar, "{n}", number)
}

// eachRow yields a statement with the values of each row of a file.
func eachRow(ctx context.Context, e *cli.Env, f *executeFlags, sql string) (next func() (*statement, error),
	stop func() error, err error) {
	o, err := f.how.Options()
	if err != nil {
		return nil, nil, err
	}
	rows, err := rowset.Open(ctx, e.Abs(f.eachRow), f.eachRow, o)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, nil, e.Unread("--each-row", f.eachRow, err)
	}
	if err != nil {
		return nil, nil, unreadRow(err)
	}
	for _, note := range rows.Notes {
		fmt.Fprintln(e.Err, f.eachRow+": "+note)
	}
	pick, err := bindColumns(rows, f.eachRow, f.bindCols)
	if err != nil {
		rows.Close()
		return nil, nil, exitcode.Usagef("--each-row: %v", err)
	}
	n := 0
	return func() (*statement, error) {
		if !rows.Next() {
			if err := rows.Err(); err != nil {
				return nil, unreadRow(err)
			}
			return nil, io.EOF
		}
		n++
		row := rows.Row()
		bind, null := []string(nil), make([]bool, len(pick))
		for i, p := range pick {
			c := row[p.index]
			if null[i] = c.IsNull(); null[i] {
				continue
			}
			text, err := c.AppendText(nil)
			if err != nil {
				return nil, fmt.Errorf("--each-row: %s: row %d, column %q: %w", f.eachRow, n, p.name, err)
			}
			bind = append(bind, string(text))
		}
		st := f.statement(e, sqlstmt.WithNulls(sql, null), bind)
		st.where = fmt.Sprintf("row %d of %s", n, f.eachRow)
		return st, nil
	}, rows.Close, nil
}

// unreadRow is the error of a file whose content is wrong.
func unreadRow(err error) error {
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "failed", Msg: "--each-row: " + err.Error(), Err: err}
}

type bindColumn struct {
	name  string
	index int
}

// bindColumns finds the columns to bind.
func bindColumns(rows api.RowReader, file string, want []string) ([]bindColumn, error) {
	cols, err := rows.Columns()
	if err != nil || len(cols) == 0 { // without columns there are no rows
		return nil, err
	}
	var names []string
	var all, some []bindColumn
	for i, c := range cols {
		names = append(names, c.Name)
		all = append(all, bindColumn{c.Name, i})
	}
	for _, w := range want {
		i := slices.Index(names, w)
		if i < 0 {
			return nil, fmt.Errorf("%s: no column %q; the columns are %s", file, w, strings.Join(names, ", "))
		}
		some = append(some, all[i])
	}
	if len(want) == 0 {
		return all, nil
	}
	return some, nil
}
