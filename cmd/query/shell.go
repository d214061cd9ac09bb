package query

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/repl"
	"github.com/dig-cli/dig/cmd/internal/trust"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/dig-cli/dig/pkg/trinosql/friendly"
	"github.com/spf13/cobra"
)

// NewShell returns the command `shell`.
func NewShell(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "shell", Short: "Type statements and see their results", Args: cobra.NoArgs,
		Long: `Type statements and see their results, one after the other. Statements end with a semicolon and may have
several lines; \? lists the commands.

Keywords, functions, tables and columns are completed with Tab. The history is kept for each project, in
a file that only its owner can read; texts with a secret in them, and those that begin with a blank, are
not kept. Ctrl-C cancels the statement that runs, and Ctrl-D leaves. Where standard input is not a
terminal, its statements run without a prompt, until one fails.`,
		Example: "  " + e.Name + " shell\n  " + e.Name + " shell --project Shop\n  " + e.Name +
			" shell < statements.sql",
	}
	cli.Annotate(c, spec.ExecuteQuery, spec.ListMaterializedStatuses, spec.ListCacheStatuses)
	cli.Prints[cli.Text](e, c)
	c.RunE = func(c *cobra.Command, _ []string) error { return runShell(c.Context(), e) }
	return c
}

// idleShell is how long the shell keeps a project of zone local open after a statement.
const idleShell = 300 * time.Millisecond

// runShell runs the shell on the streams of the run.
func runShell(ctx context.Context, e *cli.Env) error {
	o, err := e.OutputOptions()
	if err == nil {
		err = e.CheckInteractive()
	}
	if err != nil {
		return err
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{{"--out", e.Run.Flags.Out != ""}, {"--jq", o.JQ != ""}, {"--dry-run and --explain", e.DryRun()}} {
		if f.set {
			return exitcode.Usagef("%s cannot be used with the shell", f.flag)
		}
	}
	if !table(o) && e.InTerm && o.Terminal {
		return exitcode.Usagef("-o %s: the shell shows tables",
			o.Format).WithHint(`\export FILE writes the last result in the format of its extension`)
	}
	e.Run.Idle = idleShell
	return repl.Run(ctx, e, &shellRunner{e: e})
}

// shellRunner runs the statements of the shell like `query execute`.
type shellRunner struct {
	e *cli.Env

	first *querying
}

var _ repl.Runner = (*shellRunner)(nil)

// flags returns the flags and options for displaying a result as a statement requests.
func (r *shellRunner) flags(st repl.Statement, chart output.Chart) (*executeFlags, output.Options, error) {
	f := &executeFlags{renderFlags: renderFlags{vertical: st.Vertical, all: st.All, chart: chart.Kind, x: chart.X,
		y: chart.Y, noPager: true, plan: !st.Vertical}}
	o, err := r.e.OutputOptions()
	if err != nil {
		return nil, o, err
	}
	o.Vertical, o.VerticalUnfit, o.ShowTypes = st.Vertical, st.Unfit, st.Types
	o.FitHeight, o.ShowRest, o.ShowFull = true, `\b or \x`, `\b`
	if st.All {
		o.MaxRows = -1
	}
	if st.Out != "" {
		o.Format, o.Vertical, o.ShowTypes, o.Terminal, o.Color = st.Format, false, false, false, false
	}
	return f, o, output.Check(o)
}

func (r *shellRunner) open(st repl.Statement, o output.Options, cancel func()) (*cli.Sink, error) {
	path := st.Out
	s, err := r.e.OpenSink(path, false, o, cancel)
	if err != nil {
		return nil, err
	}
	if st.Unseen {
		s.W = io.Discard
	}
	if st.Out == "" { // a table shows only some of the rows, but all are read
		s.Progress.Between()
		s.Notes = s.Progress.Output(s.Notes)
	}
	s.Notes = shellNotes{s.Notes}
	return s, nil
}

// shellNotes replaces flags in notes by the corresponding commands of the shell.
type shellNotes struct{ w io.Writer }

func (n shellNotes) Write(p []byte) (int, error) {
	text := strings.NewReplacer("--all shows them", `\b shows them`, "--all includes it",
		`\b shows it`).Replace(string(p))
	if _, err := io.WriteString(n.w, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// querying is newQuerying, except that it determines the project only once.
func (r *shellRunner) querying(ctx context.Context, f *executeFlags, o output.Options) (*querying, error) {
	if r.first == nil {
		q, err := newQuerying(ctx, r.e, f, o)
		if err == nil {
			q.warned, q.stale = map[sqltext.TableRef]bool{}, &trust.Staleness{Cl: q.cl, Project: q.project}
		}
		r.first = q
		return q, err
	}
	return &querying{e: r.e, f: f, o: o, cl: r.first.cl, project: r.first.project, format: r.first.format,
		warned: r.first.warned, stale: r.first.stale}, nil
}

// Run implements repl.Runner.
func (r *shellRunner) Run(ctx context.Context, in repl.Statement) error {
	f, o, err := r.flags(in, output.Chart{})
	if err != nil {
		return err
	}
	q, err := r.querying(ctx, f, o)
	if err != nil {
		return err
	}
	q.kept = in.Keep
	ctx, cancel := context.WithCancel(cli.OwnRequest(ctx, spec.ExecuteQuery))
	defer cancel()
	s, err := r.open(in, o, cancel)
	if err != nil {
		return err
	}
	stmt := f.statement(r.e, sqlstmt.TrimEnd(in.Text), in.Bindings)
	if in.Typed != "" {
		stmt.text, stmt.position = sqlstmt.TrimEnd(in.Typed), in.Position
	}
	_, err = q.run(ctx, stmt, s, o, true)
	return shellHint(s.Finish(err))
}

// shellHint replaces flags in a hint by the corresponding commands of the shell.
func shellHint(err error) error {
	var f *exitcode.Failure
	if !errors.As(err, &f) || !strings.Contains(f.Hint, "--bind ") {
		return err
	}
	out := *f
	out.Hint = strings.TrimSuffix(strings.ReplaceAll(f.Hint, "--bind ", `\bind `), " to `dig sql`") +
		`; \set NAME VALUE keeps one`
	return &out
}

// Bind implements repl.Runner.
func (r *shellRunner) Bind(text string, values []string) (string, []string, error) {
	b, err := bindings(`\bind`, values, []given{{placedPart: placedPart{Part: sqltext.Part{Text: text}}}})
	if err != nil {
		return "", nil, err
	}
	b.hide(r.e)
	text, values = b.of(0)
	return text, values, nil
}

// asking is querying for questions of the shell itself.
func (r *shellRunner) asking(ctx context.Context) (*querying, error) {
	f, o, err := r.flags(repl.Statement{}, output.Chart{})
	if err != nil {
		return nil, err
	}
	return r.querying(ctx, f, o)
}

// Rewrite implements repl.Runner.
func (r *shellRunner) Rewrite(ctx context.Context, typed, bound string, columns repl.Columns) (*sqltext.Text, error) {
	q, err := r.asking(ctx)
	if err != nil {
		return nil, err
	}
	return q.rewritten(ctx, &statement{text: sqlstmt.TrimEnd(typed)}, sqlstmt.TrimEnd(bound), columns)
}

// Columns implements repl.Runner.
func (r *shellRunner) Columns(ctx context.Context, sql string, types bool) ([]friendly.Column, error) {
	q, err := r.asking(ctx)
	if err != nil {
		return nil, err
	}
	return q.askColumns(ctx, sql, types)
}

// Reconnect implements repl.Runner.
func (r *shellRunner) Reconnect() { r.first = nil }

// Show implements repl.Runner.
func (r *shellRunner) Show(_ context.Context, rows api.RowReader, in repl.Statement, chart output.Chart) error {
	f, o, err := r.flags(in, chart)
	if err != nil {
		return err
	}
	s, err := r.open(in, o, func() {})
	if err != nil {
		return err
	}
	o.Notes = s.Notes
	if in.Out != "" && o.Format != output.Table {
		f.all = true
	}
	_, err = f.writeRows(s.W, rows, o)
	return s.Finish(err)
}
