package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newQueryCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "query", Aliases: []string{"queries", "q"}, Short: "Run SQL, and saved queries"}
	c.AddCommand(newQueryExecuteCmd(e))
	c.AddCommand(newQuerySavedCmds(e)...)
	return c
}

// executeFlags are the flags of `query execute`.
type executeFlags struct {
	sql, file, id, name, builder, format string
	bind                                 []string
	limit                                int64
	vertical, raw, all                   bool
	maxRows                              int64
}

func newQueryExecuteCmd(e *Env) *cobra.Command {
	var f executeFlags
	c := &cobra.Command{
		Use:     "execute [SQL]",
		Aliases: []string{"exec", "run"},
		Short:   "Run a statement, a saved query or a query-builder object",
		Long: `Run a statement, a saved query or a query-builder object and print its rows.

Give exactly one of --sql (or the SQL as the argument, - for stdin), -f FILE, --id, --name or --builder.
With -o json the gateway's own bytes are printed, in the shape that --format asks for; every other output
is made from the rows as they arrive, so a result of any size needs little memory.`,
		Example: strings.ReplaceAll(`  dig query execute --sql "SELECT * FROM sample.shop.customers LIMIT 5"
  dig query execute -f report.sql -o csv --out report.csv
  dig query execute --sql "SELECT * FROM peaka.\"table\".people WHERE age > ?" --bind 30
  dig query execute --id 1210890979914023812 -o ndjson
  echo "SELECT 1" | dig query execute -f -`, "dig ", e.Name+" "),
		Args: cobra.MaximumNArgs(1),
	}
	fs := c.Flags()
	fs.StringVar(&f.sql, "sql", "", "the statement; a SELECT")
	fs.StringVarP(&f.file, "file", "f", "", "read the statement from a file, - for stdin")
	fs.StringVar(&f.id, "id", "", "run the saved query with this id")
	fs.StringVar(&f.name, "name", "", "run what a qualified name means: peaka.query.NAME, peaka.mtquery.NAME, catalog.schema.table")
	fs.StringVar(&f.builder, "builder", "", "run the query-builder object in this JSON file, - for stdin")
	fs.StringArrayVar(&f.bind, "bind", nil, "value for the next ? of the statement; repeat in order")
	fs.Int64Var(&f.limit, "limit", 0, "ask for at most this many rows")
	fs.StringVar(&f.format, "format", "", "shape of the rows on the wire: CELL_TYPED, SIMPLE or COMPACT")
	fs.BoolVarP(&f.vertical, "vertical", "x", false, "print one line per value")
	fs.BoolVar(&f.raw, "raw", false, "keep the text of the wire: no numbers made from strings")
	fs.Int64Var(&f.maxRows, "show", 0, "rows a table shows on a terminal; -1 for all")
	fs.BoolVar(&f.all, "all", false, "show the system columns of internal tables in a table too")
	annotate(c, spec.ExecuteQuery)
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"CELL_TYPED", "SIMPLE", "COMPACT"}, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := e.outputOptions()
		if err != nil {
			return err
		}
		o.Vertical, o.Raw, o.MaxRows, o.ShowAll = f.vertical, f.raw, f.maxRows, "--show -1"
		return e.execute(c, &f, args, o)
	}
	return c
}

func (e *Env) execute(c *cobra.Command, f *executeFlags, args []string, o output.Options) error {
	form, err := e.executeForm(c, f, args)
	if err != nil {
		return err
	}
	format, err := wireFormat(f.format, o)
	if err != nil {
		return err
	}
	cl, err := e.Client()
	if err != nil {
		return err
	}
	ctx := context.WithValue(c.Context(), opKey{}, spec.ExecuteQuery)
	project, err := e.projectID(ctx, cl)
	if err != nil {
		return err
	}
	if d := e.timeLimit(); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	res, err := cl.Queries.Execute(ctx, project, form, format)
	if err != nil {
		return e.pointAt(form, err)
	}
	defer res.Close()
	w, commit, abort, err := e.writer()
	if err != nil {
		return err
	}
	if err := writeResult(w, res, o, f.all); err != nil {
		abort()
		return err
	}
	return commit()
}

// writeResult prints a result. `-o json` without a filter copies the gateway's bytes, reading along so that a document that is
// cut short is an error.
func writeResult(w io.Writer, res *api.Result, o output.Options, all bool) error {
	if o.Format == "json" && len(o.Columns) == 0 {
		if o.JQ == "" && !o.Terminal {
			tee := &teeBody{ReadCloser: res.Body, w: w}
			res.Body = tee
			rows := res.Rows()
			for rows.Next() {
			}
			if tee.err != nil {
				return tee.err
			}
			if err := rows.Err(); err != nil {
				return err
			}
			_, err := io.WriteString(w, "\n")
			return err
		}
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			return &api.RowsError{Offset: int64(len(raw)), Err: errors.Join(api.ErrTruncated, err)}
		}
		if !json.Valid(raw) {
			return &api.RowsError{Offset: int64(len(raw)), Err: api.ErrTruncated}
		}
		return output.WriteDoc(w, raw, o)
	}
	var rows api.RowReader = res.Rows()
	if !all && len(o.Columns) == 0 && (o.Format == "" || o.Format == "table") {
		some, hidden, err := withoutSystem(rows)
		if err != nil {
			return err
		}
		if rows = some; hidden > 0 {
			defer fmt.Fprintf(o.Notes, "(%d system columns hidden; --all shows them)\n", hidden)
		}
	}
	_, err := output.WriteRows(w, rows, o)
	return err
}

// teeBody copies what is read.
type teeBody struct {
	io.ReadCloser
	w   io.Writer
	err error
}

func (t *teeBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 && t.err == nil {
		_, t.err = t.w.Write(p[:n])
	}
	if t.err != nil {
		return n, t.err
	}
	return n, err
}

// wireFormat chooses the shape of the rows on the wire: what --format says, else the cheapest that holds what the output needs.
func wireFormat(flag string, o output.Options) (api.Format, error) {
	switch f := api.Format(strings.ToUpper(flag)); f {
	case api.CellTyped, api.Simple, api.Compact:
		return f, nil
	case "":
	default:
		return "", usagef("--format: %q is none of CELL_TYPED, SIMPLE, COMPACT", flag)
	}
	switch output.Canonical(o.Format) {
	case "csv", "tsv":
		return api.Compact, nil
	}
	return api.CellTyped, nil
}

// executeForm reads the flags into one of the four forms of a query.
func (e *Env) executeForm(c *cobra.Command, f *executeFlags, args []string) (api.ExecuteRequest, error) {
	var given []string
	for _, name := range []string{"sql", "file", "id", "name", "builder"} {
		if c.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(args) == 1 && args[0] == "-" {
		given = append(given, "--file")
		f.file = "-"
	} else if len(args) == 1 {
		given = append(given, "the argument")
		f.sql = args[0]
	}
	switch {
	case len(given) == 0:
		return nil, usagef("nothing to run").withHint("give --sql, -f FILE, --id, --name or --builder")
	case len(given) > 1:
		return nil, usagef("%s exclude each other", strings.Join(given, " and "))
	}
	statement := given[0] == "--sql" || given[0] == "--file" || given[0] == "the argument"
	if len(f.bind) > 0 && !statement {
		return nil, usagef("--bind needs a statement, not %s", given[0])
	}
	if c.Flags().Changed("limit") {
		if f.limit < 0 {
			return nil, usagef("--limit: %d is negative", f.limit)
		}
		if given[0] == "--id" {
			return nil, usagef("--limit cannot be sent with --id").withHint("use --name peaka.query.NAME, or LIMIT in the query")
		}
	}
	timeout := api.ExecuteTimeout(e.timeLimit())
	switch given[0] {
	case "--id":
		return api.ExecuteByID{ID: f.id, Timeout: timeout}, nil
	case "--name":
		if c.Flags().Changed("limit") {
			return api.ExecuteByStatement{Statement: fmt.Sprintf("SELECT * FROM %s LIMIT %d", quoteDotted(f.name), f.limit), Timeout: timeout}, nil
		}
		return api.ExecuteByName{QualifiedName: f.name, Timeout: timeout}, nil
	case "--builder":
		var b api.ExecuteByBuilder
		if err := e.bodyOf("--builder", "@"+f.builder, &b); err != nil {
			return nil, err
		}
		if b.Timeout == nil {
			b.Timeout = timeout
		}
		if c.Flags().Changed("limit") && (b.Limit == nil || *b.Limit > f.limit) {
			b.Limit = &f.limit
		}
		return b, nil
	case "--file":
		raw, err := e.readFile("-f", f.file)
		if err != nil {
			return nil, err
		}
		f.sql = string(raw)
	}
	if strings.TrimSpace(f.sql) == "" {
		return nil, usagef("%s: the statement is empty", given[0])
	}
	sql := f.sql
	if c.Flags().Changed("limit") {
		sql = fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT %d", strings.TrimRight(strings.TrimSpace(sql), ";"), f.limit)
	}
	return api.ExecuteByStatement{Statement: sql, Bindings: f.bind, Timeout: timeout}, nil
}

// quoteDotted quotes the parts of catalog.schema.table, unless the name is quoted already.
func quoteDotted(name string) string {
	if strings.Contains(name, `"`) {
		return name
	}
	return `"` + strings.ReplaceAll(name, ".", `"."`) + `"`
}
