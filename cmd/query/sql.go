package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sqlFlags are the flags of `sql`.
type sqlFlags struct {
	executeFlags
	inputs []sqlInput
	forms  map[output.Format]*bool // --json and the other formFlags
	into   intoFlags
	how    *cli.ReadFlags
}

// formFlags are the formats that have a flag of their own, short for -o.
var formFlags = []output.Format{output.JSON, output.NDJSON, output.CSV, output.TSV, output.Markdown}

// NewSQL returns the command `sql`, which runs statements, with the commands for SQL texts.
func NewSQL(e *cli.Env) *cobra.Command {
	f := sqlFlags{forms: map[output.Format]*bool{}}
	c := &cobra.Command{
		Use: "sql [SQL | FILE | QUERY]...", Aliases: []string{"q"},
		Short: "Run SQL: a text, a file, standard input or a saved query",
		Long: `Run SQL and print the rows. An argument is the text of statements, or the name of a file, or of a saved
query: a name that exists as a file or ends in .sql is a file, one without a blank or bracket is a saved
query, everything else is SQL. Of a file with rows, such as x.csv, all rows are selected (zone local).
Without an argument statements are read from standard input, and on a terminal the shell starts (see the
command shell). Several arguments, --sql and -f run in the order given; a text may hold several
statements.

Three words control the result: -o is its form (table, csv, json and others, also as --csv, --json and
so on), --out is the file it goes to, and --format is how the gateway sends it, which only query execute
has. Without -o the ending of --out decides about the form. With json, and for --jq, a result is an
array of objects; --raw leaves it as the gateway sent it.

--into TABLE makes an internal table of the result, with columns of the types that its values have. The table
must not exist; --into-mode append adds the rows to one that does, and replace stores them instead of all its
rows, in one step (zone local).

--bind fills the parameters of a statement: values for each ? in their order, or NAME=VALUE for :NAME.`,
		Example: strings.ReplaceAll(`  dig sql "SELECT 1"
  dig sql report.sql --out report.parquet
  dig sql sales.csv --chart bar
  dig sql "SELECT city, count(*) AS n FROM sample.shop.customers GROUP BY city" --into cities
  dig sql monthly_sales --csv
  cat report.sql | dig sql --json | jq .
  dig sql "SELECT * FROM sample.shop.customers WHERE city = :city" --bind city=Kraków
  dig sql -f schema.sql --sql "SELECT count(*) FROM sample.shop.customers"`, "dig ", e.Name+" "),
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(c *cobra.Command, _ []string, prefix string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			names, _ := e.Completion().Kind("query")(c, nil, prefix)
			return names, cobra.ShellCompDirectiveDefault
		},
	}
	fs := c.Flags()
	fs.VarP(inputFlag{"--sql", fs, &f.inputs}, "sql", "c",
		`statements, or as in psql a command of the shell such as \d; repeat for more`)
	fs.VarP(inputFlag{"-f", fs, &f.inputs}, "file", "f", "read statements from a file, - for stdin; repeat for more")
	for _, form := range formFlags {
		f.forms[form] = fs.Bool(form.String(), false, "short for -o "+form.String())
	}
	f.register(e, c)
	f.into.register(c)
	fs.BoolVar(&f.friendly, "friendly", true,
		"rewrite what Trino's SQL has not, such as FROM without SELECT and x::type")
	f.how = cli.AddReadFlags(c, rowfile.ByFileFlag, true)
	cli.Annotate(c, spec.ExecuteQuery, spec.GetQuery, spec.ListQueries, spec.ListMaterializedStatuses,
		spec.ListCacheStatuses)
	c.AddCommand(newSQLFormat(e), newTranspile(e))
	cli.Prints[rows](e, c)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.inputs = inOrder(f.inputs, args)
		if len(f.inputs) == 0 {
			if e.InTerm && f.how.Given() == "" && !f.into.given(c) {
				return f.shell(e, c)
			}
			f.inputs = []sqlInput{{flag: "-f", value: "-"}}
		}
		if f.into.given(c) {
			return f.intoTable(e, c)
		}
		if slices.ContainsFunc(f.inputs, sqlInput.command) {
			return f.runCommands(e, c)
		}
		return f.run(e, c)
	}
	return c
}

// command reports whether an input is a command of the shell.
func (in sqlInput) command() bool {
	return in.flag == "--sql" && strings.HasPrefix(strings.TrimSpace(in.value), `\`)
}

// runCommands runs inputs of which some are commands of the shell, as the shell does.
func (f *sqlFlags) runCommands(e *cli.Env, c *cobra.Command) error {
	var script strings.Builder
	for _, in := range f.inputs {
		switch {
		case in.command():
			script.WriteString(strings.TrimSpace(in.value) + "\n")
		case in.flag == "--sql":
			script.WriteString(in.value + "\n;\n")
		case in.flag == "-f" && in.value != "-":
			script.WriteString(`\i ` + sqltext.Literal(in.value) + "\n")
		default:
			return exitcode.Usagef("%s does not go with a command of the shell", cmp.Or(in.flag, in.value)).
				WithHint("give statements with -c, and files with -f")
		}
	}
	e.In, e.InTerm = strings.NewReader(script.String()), false
	return f.shell(e, c)
}

// shell runs the shell, which has a part of the flags.
func (f *sqlFlags) shell(e *cli.Env, c *cobra.Command) error {
	if err := f.chooseForm(e, c); err != nil {
		return err
	}
	var err error
	c.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		_, form := f.forms[output.Format(flag.Name)]
		if flag.Changed && !form && flag.Name != "sql" && flag.Name != "file" && flag.Name != "no-pager" {
			err = exitcode.Usagef("--%s cannot be used with the shell", flag.Name)
		}
	})
	if err != nil {
		return err
	}
	return runShell(c.Context(), e)
}

// run runs the inputs.
func (f *sqlFlags) run(e *cli.Env, c *cobra.Command) error {
	if err := f.chooseForm(e, c); err != nil {
		return err
	}
	if !c.Flags().Changed("friendly") {
		f.friendly = rewrites(e)
	}
	given, err := f.read(e)
	if err != nil {
		return err
	}
	several := len(given) > 1
	o, err := f.check(e, c, several)
	if err != nil {
		return err
	}
	if o.Format == output.JSON && !f.raw {
		f.typed, o.Typed = true, true
	}
	if f.limited && f.limit < 0 {
		return exitcode.Usagef("--limit: %d is negative", f.limit)
	}
	if f.strict {
		e.Run.Refuse = trust.RefuseOmission
	}
	binds, err := bindings("--bind", f.bind, given)
	if err != nil {
		return err
	}
	binds.hide(e)
	for _, g := range given {
		if g.data == "" {
			continue
		}
		if served, err := e.Served(); err != nil {
			return err
		} else if served {
			return exitcode.Usagef("%s: a gateway serves the data directory of zone local, and it reads no files of a "+
				"command", g.data).WithHint("`dig table import NAME %s --create` makes a table of it; with "+
				"DIG_DATA_DIR set to another directory the file is read, without the tables of this one",
				shell.Quote(g.data))
		}
		if e.MayDropRows() {
			return exitcode.Usagef("%s: only zone local reads a file as a table",
				g.data).WithHint("`dig table import NAME %s --create` makes a table of it", shell.Quote(g.data))
		}
	}
	q, err := newQuerying(c.Context(), e, &f.executeFlags, o)
	if err != nil {
		return err
	}
	saved, err := f.noteShadowed(c.Context(), e, q, given)
	if err != nil {
		return err
	}
	n := 0
	next := func() (*statement, error) {
		if n == len(given) {
			return nil, io.EOF
		}
		g := given[n]
		n++
		var st *statement
		if g.saved == "" {
			text, values := binds.of(n - 1)
			st = f.statement(e, text, values)
			st.data = g.data != ""
			st.text, st.line, st.col, st.where = g.Text, g.Line, g.Col, g.where
		} else {
			if saved == nil {
				list, err := q.cl.Queries.List(c.Context(), q.project)
				if err != nil {
					return nil, err
				}
				saved = list
			}
			var err error
			if st, err = f.savedStatement(e, saved, g.saved); err != nil {
				return nil, err
			}
		}
		return st, f.readingFlags.check(e, st)
	}
	if several {
		return q.several(c.Context(), next)
	}
	st, err := next()
	if err != nil {
		return err
	}
	return q.single(c.Context(), st)
}

// tellShadowed tells of files whose names saved queries have too: files come first. It returns the saved queries if it
// has listed them.
func (f *sqlFlags) noteShadowed(ctx context.Context, e *cli.Env, q *querying,
	list []given) (saved []api.Query, err error) {
	noted := map[string]bool{}
	for _, g := range list {
		if g.file == "" || noted[g.file] {
			continue
		}
		noted[g.file] = true
		if saved == nil {
			if saved, err = q.cl.Queries.List(ctx, q.project); err != nil {
				return nil, err
			}
		}
		for _, s := range saved {
			if s.Name == g.file || s.DisplayName == g.file {
				fmt.Fprintf(e.Err, "note: the file %[1]s is run, not the saved query of that name; `%[2]s sql "+
					"peaka.query.%[3]s` runs the query\n", g.file, e.Name, s.Name)
				break
			}
		}
	}
	return saved, nil
}

// chooseForm sets -o from --json and the other formFlags, or from the extension of --out.
func (f *sqlFlags) chooseForm(e *cli.Env, c *cobra.Command) error {
	chosen := ""
	for _, form := range formFlags {
		switch {
		case !*f.forms[form]:
		case chosen != "" || c.Flags().Changed("output"):
			return exitcode.Usagef("--%s: the output format is given twice", form)
		default:
			chosen = form.String()
		}
	}
	if path := e.Run.Flags.Out; chosen == "" && !c.Flags().Changed("output") && f.chart == "" &&
		filepath.Ext(path) != "" && !device(path) {
		form, err := cli.FormOfPath(path)
		if err != nil && e.Getenv("DIG_OUTPUT") == "" && e.Run.Flags.Jq == "" {
			return exitcode.Usagef("--out %v", err).WithHint("%s; or give the format with -o",
				cli.Classify(c.Context(), err).Hint)
		} else if err == nil {
			chosen = form.String()
		}
	}
	if chosen == "" {
		return nil
	}
	return c.Flags().Set("output", chosen)
}

// device reports whether a path is in /dev or /proc, where the name does not determine a format.
func device(path string) bool {
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

// savedStatement runs a saved query by its name, or selects from a table with a name of three parts.
func (f *sqlFlags) savedStatement(e *cli.Env, saved []api.Query, name string) (*statement, error) {
	timeout := api.ExecuteTimeout(e.TimeLimit())
	if strings.Count(name, ".") == 2 {
		if f.limited {
			return f.statement(e, "SELECT * FROM "+sqltext.QuoteDotted(name), nil), nil
		}
		return &statement{form: api.ExecuteByName{QualifiedName: name, Timeout: timeout}}, nil
	}
	id, err := resolve.QueryAmong(saved, name)
	if err != nil {
		return nil, unknownName(e, err, name)
	}
	if !f.limited {
		return &statement{form: api.ExecuteByID{ID: id, Timeout: timeout}}, nil
	}
	for _, q := range saved {
		if q.ID == id {
			return f.statement(e, "SELECT * FROM "+resolve.QueryTable(q.Name).Quoted(), nil), nil
		}
	}
	return nil, exitcode.Usagef("--limit cannot be sent with the id of a query").WithHint("give its name")
}

// unknownName adds to an error how the argument was interpreted.
func unknownName(e *cli.Env, err error, name string) error {
	var fail *exitcode.Failure
	if !errors.As(err, &fail) {
		return err
	}
	out := *fail
	if rowfile.Ending(name) != "" {
		out.Msg, out.Hint = fmt.Sprintf("there is no file %s, and no query of that name", name), ""
		return &out
	}
	if out.Hint == "" {
		out.Hint = "there is no file " + name + " either; give SQL that is a single word with --sql"
		if info, err := os.Stat(e.Abs(name)); err == nil && info.IsDir() {
			out.Hint = name + " is a directory; the rows of its files are read by a pattern, such as '" +
				filepath.ToSlash(filepath.Join(name, "*.csv")) + "'"
		}
	}
	return &out
}
