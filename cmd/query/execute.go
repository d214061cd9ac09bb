package query

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&queryShape, api.Query{})
	e.Displays(&freshnessShape, freshness{})
	e.Displays(&folderShape, api.QueryFolderItem{}, api.QueryFolderWithContentsResponse{})
	e.Displays(&contentShape, contentLine{})
	e.Displays(&branchShape, branch{})
}

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "query", Aliases: []string{"queries"}, Short: "Run SQL, and saved queries"}
	c.AddCommand(newQueryExecuteCmd(e), newQueryLastCmd(e), newQueryDiffCmd(e))
	c.AddCommand(newQuerySavedCmds(e)...)
	return c
}

// rows is what -o json prints of a statement: the gateway's reply, or rows that dig has changed.
type rows = cli.Either[cli.QueryResult, []map[string]any]

// executeFlags are the flags of `query execute`.
type executeFlags struct {
	renderFlags
	batchFlags
	readingFlags
	pageFlags
	id, name, builder, format        string
	sql, file, bind                  []string
	limit, maxRows                   int64
	maxSize                          string
	noHistory, strict, acceptColumns bool
	friendly                         bool // what is not Trino's SQL is rewritten

	wire     api.Format // --format
	maxBytes int64      // --max-bytes
	limited  bool       // --limit was given
	texts    []sqlText  // of --sql, -f or the argument
	out      string     // --out; {n} is the number of a statement
	sidecar  string     // the file of the manifest
}

// register adds the flags that `query execute` and `sql` have in common.
func (f *executeFlags) register(e *cli.Env, c *cobra.Command) {
	fs := c.Flags()
	fs.StringArrayVar(&f.bind, "bind", nil,
		"value for the next ? of the statement; dig sql also takes NAME=VALUE for :NAME; repeat in order")
	fs.Int64Var(&f.limit, "limit", 0, "request at most this many rows from the gateway")
	fs.Int64Var(&f.maxRows, "max-rows", 0, "stop and fail (exit code 11) when a result has more rows")
	fs.StringVar(&f.maxSize, "max-bytes", "",
		"stop and fail (exit code 12) when a reply is larger than this, such as 100MB")
	fs.BoolVar(&f.noHistory, "no-history", false, "do not store the result for query last")
	fs.BoolVar(&f.acceptColumns, "accept-columns", false,
		"accept the current columns of a saved query when they differ from the previous ones")
	fs.BoolVar(&f.strict, "strict", false,
		"fail (exit code 10) when the hosted zones would leave out rows: a table truncated at 100 "+
			"rows, a cache being filled; when the latest run of a stored result or a cache failed; on zone local, when "+
			"information_schema lacks a catalog because its source is unreachable")
	f.renderFlags.register(e, c)
	f.batchFlags.register(c)
	f.readingFlags.register(c)
}

func newQueryExecuteCmd(e *cli.Env) *cobra.Command {
	var f executeFlags
	c := &cobra.Command{
		Use:     "execute [SQL]",
		Aliases: []string{"exec", "run"},
		Short:   "Run a statement, a saved query or a query-builder object",
		Long: `Run a statement, a saved query or a query-builder object and print its rows.

Give exactly one of --sql (or the SQL as the argument, - for stdin), -f FILE, --id, --name or --builder.
With -o json the gateway's own bytes are printed, in the wire format set by --format; every other output
is produced from the rows as they arrive, so a result of any size needs little memory.

A file may hold several statements, and -f and --sql may be repeated: all run, in the order given. Their
results follow each other, or go to separate files with --out-dir, or --out with {n} in the name. The
first failure ends the run; with --keep-going the others run too, and only complete results are printed.
--each-row runs one statement with the values of each row of a file.

--page-by fetches the rows of each statement in pages by a unique key, for replies that would be
truncated because of their size. The key is verified and the rows are counted first; a truncated page is
requested again in smaller pages.`,
		Example: strings.ReplaceAll(`  dig query execute --sql "SELECT * FROM sample.shop.customers LIMIT 5"
  dig query execute -f report.sql -o csv --out report.csv
  dig query execute --sql "SELECT * FROM peaka.\"table\".people WHERE age > ?" --bind 30
  dig query execute --id 1210890979914023812 -o ndjson
  dig query execute -f nightly.sql --out-dir results -o parquet --jobs 4 --keep-going
  dig query execute --sql "SELECT * FROM sample.shop.order_items" --page-by id -o csv --out items.csv
  dig query execute --sql "SELECT count(*) FROM sample.shop.customers WHERE city = ?" --each-row cities.csv -o csv
  echo "SELECT 1" | dig query execute -f -`, "dig ", e.Name+" "),
		Args: cobra.MaximumNArgs(1),
	}
	fs := c.Flags()
	fs.StringArrayVar(&f.sql, "sql", nil, "the statement; a SELECT; repeat for several")
	fs.StringArrayVarP(&f.file, "file", "f", nil,
		"read the statement from a file, or several separated by semicolons; - for stdin; repeat for several files")
	fs.StringVar(&f.id, "id", "", "run the saved query with this id")
	fs.StringVar(&f.name, "name", "",
		"run what a qualified name refers to: peaka.query.NAME, peaka.mtquery.NAME, catalog.schema.table")
	fs.StringVar(&f.builder, "builder", "", "run the query-builder object in this JSON file, - for stdin")
	fs.StringVar(&f.format, "format", "", "wire format of the rows: CELL_TYPED, SIMPLE or COMPACT (by default the "+
		"cheapest that is sufficient for the output)")
	f.register(e, c)
	f.batchFlags.registerRows(c)
	f.pageFlags.register(c)
	cli.Annotate(c, spec.ExecuteQuery, spec.GetQuery, spec.ListMaterializedStatuses, spec.ListCacheStatuses)
	complete.Names(c, "id", complete.QueryIDs)
	complete.Values(c, "format", string(api.CellTyped), string(api.Simple), string(api.Compact))
	cli.Prints[rows](e, c)
	fs.BoolVar(&f.friendly, "friendly", false,
		"rewrite what Trino's SQL has not, such as FROM without SELECT and x::type")
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := f.check(e, c, c.Flags().Changed("file") || len(f.sql) > 1 || f.eachRow != "")
		if err != nil {
			return err
		}
		if f.strict {
			e.Run.Refuse = trust.RefuseOmission
		}
		st, err := executeForm(e, c, &f, args)
		if err != nil {
			return err
		}
		if err := f.readingFlags.check(e, st); err != nil {
			return err
		}
		q, err := newQuerying(c.Context(), e, &f, o)
		if err != nil {
			return err
		}
		switch {
		case f.eachRow != "":
			next, stop, err := eachRow(c.Context(), e, &f, st.text)
			if err != nil {
				return err
			}
			return errors.Join(q.several(c.Context(), next), stop())
		default:
			if parts := split(f.texts); len(parts) > 1 || len(parts) == 1 && len(f.texts) > 1 {
				return q.several(c.Context(), partsOf(e, &f, parts))
			}
		}
		return q.single(c.Context(), st)
	}
	return c
}

// check validates the flags as a set.
func (f *executeFlags) check(e *cli.Env, c *cobra.Command, several bool) (output.Options, error) {
	if err := f.batchFlags.check(e, c, several, f.chart != ""); err != nil {
		return output.Options{}, err
	}
	f.out, f.limited = e.Run.Flags.Out, c.Flags().Changed("limit")
	o, err := f.renderFlags.options(e, c)
	if err != nil {
		return o, err
	}
	switch f.wire = api.Format(strings.ToUpper(f.format)); f.wire {
	case api.CellTyped, api.Simple, api.Compact, "":
	default:
		return o, exitcode.Usagef("--format: %q is not one of CELL_TYPED, SIMPLE, COMPACT", f.format)
	}
	if c.Flags().Changed("max-rows") && f.maxRows <= 0 {
		return o, exitcode.Usagef("--max-rows: %d is not a number of rows", f.maxRows)
	}
	if c.Flags().Changed("max-bytes") {
		if f.maxBytes, err = config.ParseSize(f.maxSize); err != nil || f.maxBytes == 0 {
			return o, exitcode.Usagef("--max-bytes: %q is not a size such as 100MB", f.maxSize)
		}
	}
	if err := f.checkPages(c, o); err != nil {
		return o, err
	}
	f.sidecar, err = manifestName(f.manifest, f.out)
	if err == nil && f.toFiles && f.sidecar != "" && !strings.Contains(f.sidecar, "{n}") {
		err = exitcode.Usagef("--manifest names one file for several results").
			WithHint("put {n}, the number of the statement, into the name")
	}
	return o, err
}

// executeForm turns the flags into one of the four forms of a query.
func executeForm(e *cli.Env, c *cobra.Command, f *executeFlags, args []string) (*statement, error) {
	var given []string
	for _, name := range []string{"sql", "file", "id", "name", "builder"} {
		if c.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(args) == 1 && args[0] == "-" {
		given = append(given, "--file")
		f.file = []string{"-"}
	} else if len(args) == 1 {
		given = append(given, "the argument")
		f.sql = args
	}
	switch {
	case len(given) == 0:
		return nil, exitcode.Usagef("nothing to run").WithHint("give --sql, -f FILE, --id, --name or --builder")
	case len(given) > 1:
		return nil, exitcode.Usagef("%s are mutually exclusive", strings.Join(given, " and "))
	}
	text := given[0] == "--sql" || given[0] == "--file" || given[0] == "the argument"
	if len(f.bind) > 0 && !text {
		return nil, exitcode.Usagef("--bind needs a statement, not %s", given[0])
	}
	if f.eachRow != "" {
		switch {
		case !text:
			return nil, exitcode.Usagef("--each-row needs a statement, not %s", given[0])
		case len(f.bind) > 0:
			return nil, exitcode.Usagef("--bind and --each-row are mutually exclusive")
		}
	}
	if f.limited {
		if f.limit < 0 {
			return nil, exitcode.Usagef("--limit: %d is negative", f.limit)
		}
		if given[0] == "--id" {
			return nil, exitcode.Usagef("--limit cannot be sent with --id").
				WithHint("use --name peaka.query.NAME, or LIMIT in the query")
		}
	}
	timeout := api.ExecuteTimeout(e.TimeLimit())
	switch given[0] {
	case "--id":
		return &statement{form: api.ExecuteByID{ID: f.id, Timeout: timeout}}, nil
	case "--name":
		if !strings.Contains(f.name, ".") {
			return nil, exitcode.Usagef("--name %s: a qualified name is catalog.schema.table", f.name).WithHint(
				"%[1]s.%[2]s.%[4]s runs a saved query, %[1]s.%[3]s.%[4]s reads its stored rows; `dig sql %[4]s` "+
					"finds it by its name", api.InternalCatalogName, api.SchemaQuery, api.SchemaMtQuery, f.name)
		}
		if f.limited {
			sql := fmt.Sprintf("SELECT * FROM %s LIMIT %d", sqltext.QuoteDotted(f.name), f.limit)
			return &statement{form: api.ExecuteByStatement{Statement: sql, Timeout: timeout}, text: sql, sql: sql,
				limit: f.limit}, nil
		}
		return &statement{form: api.ExecuteByName{QualifiedName: f.name, Timeout: timeout}}, nil
	case "--builder":
		var b api.ExecuteByBuilder
		if err := e.BodyOf("--builder", "@"+f.builder, &b); err != nil {
			return nil, err
		}
		if b.Timeout == nil {
			b.Timeout = timeout
		}
		if f.limited && (b.Limit == nil || *b.Limit > f.limit) {
			b.Limit = &f.limit
		}
		return &statement{form: b, limit: f.limit}, nil
	}
	if err := f.readTexts(e, given[0]); err != nil {
		return nil, err
	}
	if n := len(split(f.texts)); f.eachRow != "" && n > 1 {
		return nil, exitcode.Usagef("--each-row runs one statement, %s contains %d", given[0], n)
	}
	return f.statement(e, f.texts[0].sql, f.bind), nil
}

// statement builds the request for one SQL statement.
func (f *executeFlags) statement(e *cli.Env, sql string, bind []string) *statement {
	st := &statement{text: sql}
	f.send(e, st, sqlstmt.TrimEnd(sql), bind)
	return st
}

// send sets the SQL that is sent for a statement.
func (f *executeFlags) send(e *cli.Env, st *statement, sql string, bind []string) {
	st.sql = sql
	if f.limited {
		st.limit = f.limit
		sql, st.wrapped = sqlstmt.Limit(sql, f.limit)
	}
	st.form = api.ExecuteByStatement{Statement: sql, Bindings: bind, Timeout: api.ExecuteTimeout(e.TimeLimit())}
}
