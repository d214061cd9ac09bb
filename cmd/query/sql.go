package query

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sqlInput is one --sql, -f or argument of `sql`.
type sqlInput struct {
	flag  string // "" for an argument
	value string
	after int // how many arguments are before the flag
}

// inputFlag collects the values of several flags in the order in which they were given.
type inputFlag struct {
	name string
	fs   *pflag.FlagSet // whose arguments so far are those before the flag
	to   *[]sqlInput
}

func (f inputFlag) Set(s string) error {
	*f.to = append(*f.to, sqlInput{flag: f.name, value: s, after: f.fs.NArg()})
	return nil
}
func (f inputFlag) Type() string   { return "string" }
func (f inputFlag) String() string { return "" }

// Append, Replace and GetSlice say that the flag may be repeated.
func (f inputFlag) Append(s string) error { return f.Set(s) }

func (f inputFlag) Replace(list []string) error {
	*f.to = slices.DeleteFunc(*f.to, func(in sqlInput) bool { return in.flag == f.name })
	for _, s := range list {
		if err := f.Set(s); err != nil {
			return err
		}
	}
	return nil
}

func (f inputFlag) GetSlice() []string {
	var list []string
	for _, in := range *f.to {
		if in.flag == f.name {
			list = append(list, in.value)
		}
	}
	return list
}

var _ pflag.SliceValue = inputFlag{}

// inOrder puts arguments between the flags, as they were given.
func inOrder(flags []sqlInput, args []string) []sqlInput {
	var out []sqlInput
	n := 0
	before := func(end int) {
		for ; n < end; n++ {
			out = append(out, sqlInput{value: args[n]})
		}
	}
	for _, in := range flags {
		before(min(in.after, len(args)))
		out = append(out, in)
	}
	before(len(args))
	return out
}

// sqlFlags are the flags of `sql`.
type sqlFlags struct {
	executeFlags
	inputs []sqlInput
	forms  map[output.Format]*bool // --json and its like
}

// formFlags are short for -o.
var formFlags = []output.Format{output.JSON, output.NDJSON, output.CSV, output.TSV, output.Markdown}

// NewSQL makes `sql`: the short way to run statements, and the commands for SQL texts.
func NewSQL(e *cli.Env) *cobra.Command {
	f := sqlFlags{forms: map[output.Format]*bool{}}
	c := &cobra.Command{
		Use: "sql [SQL | FILE | QUERY]...", Aliases: []string{"q"}, Short: "Run SQL: a text, a file, standard input or a saved query",
		Long: `Run SQL and print the rows. An argument is the text of statements, or the name of a file, or of a saved query: a name that exists as a
file or ends in .sql is a file, one without a blank or bracket is a saved query, everything else is SQL. Of a file with rows, such as x.csv,
all rows are selected (zone local). Without an argument statements
are read from standard input, and on a terminal the shell starts (see the command shell). Several arguments, --sql and -f run in the order given; a text may hold several statements.

Three words control the result: -o is its form (table, csv, json and others, also as --csv, --json and so on), --out is the file it goes to, and
--format is how the gateway sends it, which only query execute has. Without -o the ending of --out decides about the form.
With json, and for --jq, a result is an array of objects; --raw leaves it as the gateway sent it.

--bind fills the parameters of a statement: values for each ? in their order, or NAME=VALUE for :NAME.`,
		Example: strings.ReplaceAll(`  dig sql "SELECT 1"
  dig sql report.sql --out report.parquet
  dig sql sales.csv --chart bar
  dig sql monthly_sales --csv
  cat report.sql | dig sql --json | jq .
  dig sql "SELECT * FROM sample.shop.customers WHERE city = :city" --bind city=Kraków
  dig sql -f schema.sql --sql "SELECT count(*) FROM sample.shop.customers"`, "dig ", e.Name+" "),
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(c *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
			names, _ := e.Complete("query")(c, nil, prefix)
			return names, cobra.ShellCompDirectiveDefault
		},
	}
	fs := c.Flags()
	fs.Var(inputFlag{"--sql", fs, &f.inputs}, "sql", "statements; repeat for more")
	fs.VarP(inputFlag{"-f", fs, &f.inputs}, "file", "f", "read statements from a file, - for stdin; repeat for more")
	fs.StringArrayVar(&f.bind, "bind", nil, "value for the next ? of the statements, or NAME=VALUE for :NAME; repeat")
	fs.Int64Var(&f.limit, "limit", 0, "request at most this many rows from the gateway")
	fs.Int64Var(&f.maxRows, "max-rows", 0, "stop and fail (exit code 11) when a result has more rows")
	fs.StringVar(&f.maxSize, "max-bytes", "", "stop and fail (exit code 12) when a reply is larger than this, such as 100MB")
	fs.BoolVar(&f.noHistory, "no-history", false, "do not store the result for query last")
	fs.BoolVar(&f.strict, "strict", false, "fail (exit code 10) when the hosted zones would leave out rows; see query execute")
	fs.StringVar(&f.outDir, "out-dir", "", "write each result to its own file in this directory: 1.csv, 2.csv and so on")
	fs.IntVar(&f.jobs, "jobs", 1, "number of statements to run concurrently; results keep their order")
	fs.BoolVar(&f.keepGoing, "keep-going", false, "continue after a failed statement; the exit code is 20 plus the number of failures")
	for _, form := range formFlags {
		f.forms[form] = fs.Bool(form.String(), false, "short for -o "+form.String())
	}
	f.renderFlags.register(e, c)
	f.readingFlags.register(c)
	dialectFlag(e, c, &f.dialect)
	cli.Annotate(c, spec.ExecuteQuery, spec.GetQuery, spec.ListQueries)
	c.AddCommand(newSQLFormat(e), newTranspile(e))
	e.Prints(c, cli.Like([]map[string]any{}, spec.ExecuteQuery))
	c.RunE = func(c *cobra.Command, args []string) error {
		f.inputs = inOrder(f.inputs, args)
		if len(f.inputs) == 0 {
			if e.InTerm {
				if err := f.chooseForm(e, c); err != nil {
					return err
				}
				return runShell(c.Context(), e)
			}
			f.inputs = []sqlInput{{flag: "-f", value: "-"}}
		}
		return f.run(e, c)
	}
	return c
}

// run runs what the inputs name.
func (f *sqlFlags) run(e *cli.Env, c *cobra.Command) error {
	if err := f.chooseForm(e, c); err != nil {
		return err
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
		return cli.Usagef("--limit: %d is negative", f.limit)
	}
	if f.strict {
		e.Run.Refuse = trust.RefuseOmission
	}
	binds, err := bindings("--bind", f.bind, given)
	if err != nil {
		return err
	}
	for _, g := range given {
		if g.data != "" && e.Guarded() {
			return cli.Usagef("%s: only zone local reads a file as a table", g.data).WithHint("`dig table import NAME %s --create` makes a table of it", g.data)
		}
	}
	q, err := newQuerying(c.Context(), e, &f.executeFlags, o)
	if err != nil {
		return err
	}
	var saved []api.Query
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

// chooseForm sets -o by --json and its like, or by the ending of --out.
func (f *sqlFlags) chooseForm(e *cli.Env, c *cobra.Command) error {
	chosen := ""
	for _, form := range formFlags {
		switch {
		case !*f.forms[form]:
		case chosen != "" || c.Flags().Changed("output"):
			return cli.Usagef("--%s: the form of the result is given twice", form)
		default:
			chosen = form.String()
		}
	}
	if ending := strings.TrimPrefix(filepath.Ext(e.Run.Flags.Out), "."); chosen == "" && !c.Flags().Changed("output") && f.chart == "" {
		if form := output.FormatOf(ending); form.Known() && ending != "" {
			chosen = form.String()
		}
	}
	if chosen == "" {
		return nil
	}
	return c.Flags().Set("output", chosen)
}

// given is a statement or a saved query to run.
type given struct {
	placedPart
	saved string // the name of a query; the rest is empty then
	data  string // the file whose rows are selected
}

// read reads the texts of the inputs.
func (f *sqlFlags) read(e *cli.Env) ([]given, error) {
	var list []given
	stdin := 0
	for _, in := range f.inputs {
		if in.value == "-" && in.flag != "--sql" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, cli.Usagef("standard input can be read only once")
	}
	for _, in := range f.inputs {
		name, text := in.flag, in.value
		kind := kindOf(e, in)
		switch kind {
		case "query":
			list = append(list, given{saved: in.value})
			continue
		case "data":
			text = "SELECT * FROM " + sqltext.Literal(in.value)
		case "file":
			raw, err := e.ReadFile(cmp.Or(in.flag, "FILE"), in.value)
			if err != nil {
				return nil, err
			}
			name, text = in.value, string(raw)
			if name == "-" {
				name = "stdin"
			}
		}
		name = cmp.Or(name, "the statement")
		parts := split(f.language(), []sqlText{{name, text, true}})
		if len(parts) == 0 {
			return nil, cli.Usagef("%s: there is no statement", name)
		}
		for _, p := range parts {
			if len(parts) == 1 {
				p.where = name
			}
			g := given{placedPart: p}
			if kind == "data" {
				g.data = in.value
			}
			list = append(list, g)
		}
	}
	return list, nil
}

// dataEndings are those of files with rows instead of SQL.
var dataEndings = []string{".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"}

// kindOf tells whether an input is "sql", a "file" of statements, one with "data", or a saved "query".
func kindOf(e *cli.Env, in sqlInput) string {
	switch s := in.value; {
	case in.flag == "--sql":
		return "sql"
	case in.flag == "-f" || s == "-":
		return "file"
	case isFile(e.Abs(s)) && in.flag == "" && slices.ContainsFunc(dataEndings, func(ending string) bool {
		return strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(s), ".gz"), ".zst"), ending)
	}):
		return "data"
	case isFile(e.Abs(s)) || strings.HasSuffix(s, ".sql") && !strings.ContainsAny(s, "\n;("):
		return "file"
	case s != "" && !strings.ContainsAny(s, " \t\r\n;()*'"):
		return "query"
	}
	return "sql"
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// savedStatement runs a saved query by its name, or what a name of three parts refers to.
func (f *sqlFlags) savedStatement(e *cli.Env, saved []api.Query, name string) (*statement, error) {
	timeout := api.ExecuteTimeout(e.TimeLimit())
	if strings.Count(name, ".") == 2 {
		if f.limited {
			return f.statement(e, "SELECT * FROM "+sqltext.QuoteDotted(name), nil), nil
		}
		return &statement{form: api.ExecuteByName{QualifiedName: name, Timeout: timeout}}, nil
	}
	id, err := cli.QueryAmong(saved, name)
	if err != nil {
		return nil, unknownName(err, name)
	}
	if !f.limited {
		return &statement{form: api.ExecuteByID{ID: id, Timeout: timeout}}, nil
	}
	for _, q := range saved {
		if q.ID == id {
			return f.statement(e, "SELECT * FROM "+sqltext.TableRef{Catalog: "peaka", Schema: "query", Table: q.Name}.Quoted(), nil), nil
		}
	}
	return nil, cli.Usagef("--limit cannot be sent with the id of a query").WithHint("give its name")
}

// unknownName says how an argument was understood.
func unknownName(err error, name string) error {
	var fail *cli.Failure
	if !errors.As(err, &fail) {
		return err
	}
	out := *fail
	if out.Hint == "" {
		out.Hint = "there is no file " + name + " either; SQL of one word is given with --sql"
	}
	return &out
}

// bound are the texts of the statements as they are sent, with the values of each.
type bound struct {
	texts  []string
	values [][]string
}

func (b *bound) of(i int) (string, []string) { return b.texts[i], b.values[i] }

// bindings distributes values over the statements. flag is what gives them, for messages: --bind or \bind.
func bindings(flag string, bind []string, list []given) (*bound, error) {
	b := &bound{}
	params := make([]sqlstmt.Params, len(list))
	named, placed := false, false
	for i, g := range list {
		params[i] = sqlstmt.ParamsOf(g.Text)
		named = named || len(params[i].Names) > 0
		placed = placed || params[i].Places > 0
	}
	byName := len(bind) > 0 && named && !placed
	if len(bind) > 0 && named && placed {
		return nil, cli.Usagef("%s: the statements have both ? and :NAME", flag).WithHint("use one of them")
	}
	values, used := map[string]string{}, map[string]bool{}
	if byName {
		for _, v := range bind {
			name, value, ok := strings.Cut(v, "=")
			switch _, twice := values[name]; {
			case !ok:
				return nil, cli.Usagef("%s: %q is not NAME=VALUE, and the statement has :%s", flag, v, firstName(params))
			case twice:
				return nil, cli.Usagef("%s: %s is given twice", flag, name)
			}
			values[name] = value
		}
	}
	rest := bind
	for i, g := range list {
		text, own := g.Text, []string(nil)
		switch {
		case byName:
			for _, name := range params[i].Names {
				value, ok := values[name]
				if !ok {
					return nil, cli.Usagef("%s: there is no value for :%s", flag, name).WithHint("add %s %s=VALUE", flag, name)
				}
				used[name] = true
				own = append(own, value)
			}
			text = params[i].Text
		case len(list) == 1:
			own = bind
		default:
			n := min(params[i].Places, len(rest))
			own, rest = rest[:n], rest[n:]
		}
		b.texts, b.values = append(b.texts, text), append(b.values, own)
	}
	for _, v := range bind {
		if name, _, _ := strings.Cut(v, "="); byName && !used[name] {
			return nil, cli.Usagef("%s: no statement has :%s", flag, name)
		}
	}
	if !byName && len(list) > 1 && len(rest) > 0 {
		return nil, cli.Usagef("%s: there are %d values more than ? in the statements", flag, len(rest))
	}
	return b, nil
}

func firstName(params []sqlstmt.Params) string {
	for _, p := range params {
		if len(p.Names) > 0 {
			return p.Names[0]
		}
	}
	return ""
}
