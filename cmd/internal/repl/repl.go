// Package repl is the interactive shell: it reads statements and commands, has the statements run, and shows their
// results.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/lineedit"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/suggest"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/trinosql/friendly"
	xterm "golang.org/x/term"
)

// Statement is one statement to run, and how its result is shown.
type Statement struct {
	Text     string
	Typed    string                         // the text as typed, for errors
	Position func(line, col int) (int, int) // of a 1-based place in Text, the one in Typed
	Bindings []string
	Vertical bool   // one line per value
	Unfit    bool   // the same where the columns do not fit
	Unseen   bool   // the result is only kept
	Types    bool   // the types of the columns under the header
	All      bool   // all rows
	Out      string // file; "" for the screen
	Format   output.Format
	// Keep sees the reply while it is read.
	Keep func(body io.ReadCloser, format api.Format) io.ReadCloser
}

// Runner sends statements to the gateway.
type Runner interface {
	// Run runs a statement and shows its result. Errors have a caret under the position that they refer to.
	Run(ctx context.Context, st Statement) error
	// Bind returns a statement with ? in place of each :NAME, at the same columns, and its values in order.
	Bind(text string, values []string) (string, []string, error)
	// Rewrite rewrites a statement to Trino's SQL if it is not; nil if it stays as it is. bound is the typed text as
	// Bind returns it.
	Rewrite(ctx context.Context, typed, bound string, columns Columns) (*sqltext.Text, error)
	// Columns returns the columns of a query of which no rows are read.
	Columns(ctx context.Context, sql string, types bool) ([]friendly.Column, error)
	// Reconnect makes the runner work with the current settings of the run.
	Reconnect()
	// Show shows rows that were already received, as Run does.
	Show(ctx context.Context, rows api.RowReader, st Statement, chart output.Chart) error
}

// Columns is the function of friendly.Options.
type Columns = func(ctx context.Context, sql string, types bool) ([]friendly.Column, error)

// shell is one session.
type shell struct {
	e       *cli.Env
	run     Runner
	cl      *api.Client
	project string

	editor  *lineedit.Editor // nil if there is no terminal: plain lines are read
	quiet   *term.Quiet      // nil without an editor
	lines   *lineReader
	history *history
	known   atomic.Pointer[suggest.Known]
	filling sync.WaitGroup            // reads the names in the background
	fill    func(since time.Duration) // refresh; nil if nothing is completed
	filled  context.Context           // of the reading in the background

	// The file for the names, "" for none. It is found before the reading in the background begins: \c changes the
	// settings while that continues.
	namesPath string

	fromFiles fileColumns

	namesRead atomic.Pointer[time.Time]
	reading   atomic.Bool

	here     suggest.Namespace
	expanded bool
	timing   bool
	types    bool
	unfit    bool              // one line per value where the columns do not fit
	vars     map[string]string // values of parameters
	failed   *failed           // the last error; nil before the first
	leave    func() error      // ends what the session before \c has opened
	appends  bool              // results are appended to the file, which was emptied
	appended bool              // the file has a result
	unseen   bool              // results are not shown
	out      string            // file that results are written to
	written  int               // results in numbered files so far
	format   output.Format
	binds    []string // for the next statement with parameters
	used     []string // by the last statement
	last     *kept
	lastText string
	lastSent string // the last statement as it was sent
	friendly bool   // what is not Trino's SQL is rewritten
	mended   string // the last statement with the correction that its error suggests
	begun    string // an incomplete statement below which a command was typed
	depth    int    // nesting depth of the files that are being read

	scratch     engine.Project // for statements over the last result; nil before the first
	scratchDone func() error
}

// Run reads and runs statements until the end of the input.
func Run(ctx context.Context, e *cli.Env, run Runner) error {
	s := &shell{e: e, run: run, friendly: e.Run.Settings.RewritesSQL()}
	if !s.interactive() {
		s.lines = &lineReader{r: e.In}
	}
	for {
		err := s.session(ctx)
		if !errors.Is(err, errConnect) {
			return err
		}
		run.Reconnect()
		s.namesRead.Store(nil)
		s.here, s.last, s.scratch, s.scratchDone = suggest.Namespace{}, nil, nil, nil
		if !s.interactive() {
			fmt.Fprintln(e.Err, s.where())
		}
	}
}

// interactive reports whether lines are edited on a terminal.
func (s *shell) interactive() bool {
	e := s.e
	return e.InTerm && e.OutTerm && cli.TerminalOf(e.In) != nil && cli.FileOf(e.Out) != nil &&
		e.Getenv("TERM") != "dumb"
}

// session reads and runs statements in one project.
func (s *shell) session(ctx context.Context) (err error) {
	e := s.e
	if s.cl, err = e.Client(); err != nil {
		return err
	}
	if s.project, err = e.Target().ProjectID(ctx, s.cl); err != nil {
		return err
	}
	s.history = openHistory(e, s.project)
	s.known.Store(suggest.New(nil))
	s.namesPath, _ = namesPath(e, s.project) // without it the names are not stored
	defer func() {
		if s.scratchDone != nil {
			err = errors.Join(err, s.scratchDone())
		}
		err = errors.Join(err, s.last.close())
		if s.leave != nil {
			err = errors.Join(err, s.leave())
			s.leave = nil
		}
	}()
	if s.interactive() {
		in, out := cli.TerminalOf(e.In), cli.FileOf(e.Out)
		s.quiet = term.NewQuiet(in)
		defer s.quiet.End()
		if e.AtOnce != nil {
			end := s.quiet.End
			e.AtOnce.Store(&end)
		}
		s.editor = lineedit.New(lineedit.Options{In: in, Out: out, Quiet: s.quiet, Env: os.Environ(),
			Color:    e.Colors(true),
			Complete: s.choices, Highlight: highlight, Done: done, History: s.history})
		fill, stop := context.WithCancel(ctx)
		defer s.filling.Wait()
		defer stop()
		s.known.Store(readKnown(s.namesPath))
		s.filled, s.fill = fill, func(since time.Duration) { s.refresh(fill, since) }
		fmt.Fprintln(e.Err, output.Fold(fmt.Sprintf(`%s %s, %s. Statements end with ; and \? lists the commands.`,
			e.Name, cli.BuildVersion(), s.where()), e.Width))
	}
	return s.loop(ctx)
}

// where describes the zone and the project.
func (s *shell) where() string {
	set := s.e.Run.Settings
	out := "zone " + set.Zone.Value
	if set.Project.Value != "" {
		out += ", project " + set.Project.Value
	}
	return out
}

func (s *shell) prompt() (first, more string) {
	first = s.e.Name + " " + s.e.Run.Settings.Zone.Value
	if s.here.Schema != "" {
		first += ":" + suggest.Name(s.here.Catalog) + "." + suggest.Name(s.here.Schema)
	}
	first += "> "
	return first, strings.Repeat(" ", max(len(first)-3, 0)) + "-> "
}

// errQuit ends the session.
var errQuit = errors.New("quit")

func (s *shell) loop(ctx context.Context) error {
	for {
		if s.fill != nil {
			s.fill(s.namesFresh())
		}
		text, err := s.read(ctx)
		switch {
		case errors.Is(err, lineedit.ErrInterrupted):
			continue
		case errors.Is(err, lineedit.ErrEOF), errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch err := s.perform(ctx, text); {
		case errors.Is(err, errQuit):
			return nil
		case errors.Is(err, errConnect):
			return err
		case ctx.Err() != nil:
			return err
		case err != nil && s.editor == nil && !s.e.InTerm:
			return err
		case err != nil:
			s.complain(ctx, err)
		}
	}
}

// perform runs statements or a command, until one fails.
func (s *shell) perform(ctx context.Context, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.trap(cancel)()
	defer func(was context.Context) { s.e.Run.Ctx = was }(s.e.Run.Ctx)
	s.e.Run.Ctx = ctx
	s.size()
	if s.e.InTerm { // the lines of a script do not belong in the history
		s.history.add(text)
	}
	err := interrupted(ctx, s.performIn(ctx, text))
	if err != nil && !errors.Is(err, errQuit) && !errors.Is(err, errConnect) && (s.failed == nil ||
		!errors.Is(err, s.failed.err)) { // not of a statement
		s.failed = &failed{err: err}
	}
	return err
}

// performIn runs statements and commands.
func (s *shell) performIn(ctx context.Context, text string) error {
	// no command: the statements of a batch are split once
	if !strings.Contains(text, `\`) && !strings.HasPrefix(strings.TrimSpace(text), ".") &&
		!strings.Contains(text, "\n.") {
		return s.performPiece(ctx, text)
	}
	var connect error
	for _, piece := range pieces(text) {
		if connect != nil { // what was pasted below \c waits until it is seen where it would run
			s.begun += piece
			continue
		}
		if err := s.performPiece(ctx, piece); errors.Is(err, errConnect) {
			connect = err
		} else if err != nil {
			return err
		}
	}
	return connect
}

func (s *shell) performPiece(ctx context.Context, text string) error {
	if name, args, ok := commandOf(text); ok {
		return s.command(ctx, name, args)
	}
	if at := commandAfter(text); at > 0 {
		return s.commandIn(ctx, text[:at], text[at:])
	}
	for _, part := range sqlstmt.Split(text) {
		run := s.statement
		if name, args, ok := commandOf(part.Text); ok { // pasted after a statement
			run = func(ctx context.Context, _ string) error { return s.command(ctx, name, args) }
		}
		if err := run(ctx, part.Text); err != nil {
			return err
		}
	}
	return nil
}

// commandIn runs a command that was typed below an incomplete statement: those of goes run it; after others its editing
// continues.
func (s *shell) commandIn(ctx context.Context, text, command string) error {
	name, args, _ := commandOf(command)
	run := func() error { return s.performIn(ctx, text) }
	switch name {
	case "g", "go":
		return s.going(args, run)
	case "gx":
		if len(args) > 0 {
			return exitcode.Usagef(`\gx takes no arguments`)
		}
		return s.vertically(run)
	case "watch":
		return s.watching(ctx, args, run)
	case "crosstabview":
		s.unseen = true // it shows the result in another way
		err := run()
		if s.unseen = false; err != nil {
			return err
		}
	default:
		s.begun = text
	}
	return s.command(ctx, name, args)
}

// trap makes Ctrl-C cancel the running statement instead of ending the program.
func (s *shell) trap(cancel func()) (undo func()) {
	if s.e.Trap == nil || !s.e.InTerm {
		return func() {}
	}
	was := s.e.Trap.Swap(&cancel)
	return func() { s.e.Trap.Store(was) }
}

func interrupted(ctx context.Context, err error) error {
	var rows *api.RowsError // for a canceled result the gateway reports that the client has disconnected
	if err != nil && ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.As(err, &rows)) {
		return &exitcode.Failure{Exit: exitcode.Interrupted, Code: "interrupted", Msg: "canceled", Err: err}
	}
	return err
}

// complain prints an error. The session continues.
func (s *shell) complain(ctx context.Context, err error) {
	if errors.Is(err, cli.ErrDone) {
		return
	}
	f := cli.Classify(ctx, err)
	if s.mended = f.Mended; s.mended != "" && s.editor != nil {
		f.Hint += `  (\y runs it so)`
	}
	s.e.Complain(s.e.Err, &f, err)
}

// size reads the size of the terminal, which may have changed.
func (s *shell) size() {
	if f := cli.FileOf(s.e.Out); f != nil && s.e.OutTerm {
		if w, h, err := xterm.GetSize(int(f.Fd())); err == nil && w > 0 {
			s.e.Width, s.e.Height = w, h
		}
	}
}

// statement runs one statement.
func (s *shell) statement(ctx context.Context, text string) error {
	s.lastText, s.lastSent, s.used, s.mended = text, "", nil, ""
	began := time.Now()
	err := s.query(ctx, text)
	if err != nil {
		s.failed = &failed{err, s.lastText, s.lastSent}
	}
	if s.timing {
		fmt.Fprintf(s.e.Err, "Time: %.3f ms\n", float64(time.Since(began).Microseconds())/1000)
	}
	return err
}

func (s *shell) query(ctx context.Context, text string) error {
	bound, values := text, []string(nil)
	if p := sqlstmt.ParamsOf(text); p.Placeholders > 0 || len(p.Names) > 0 {
		var err error
		if bound, values, err = s.run.Bind(text, s.withVars(p)); err != nil {
			return err
		}
		s.used = s.binds
	}
	sent := sqltext.NewText(bound)
	if s.friendly {
		rewritten, err := s.run.Rewrite(ctx, text, bound, s.columns)
		if err != nil {
			return err
		}
		if rewritten != nil {
			sent = rewritten
		}
	}
	s.lastSent = sent.String()
	found, describesLast := tables(s.lastSent)
	if describesLast {
		return s.describeLast(ctx)
	}
	if readsLast(found) {
		return s.queryLast(ctx, text, sent, values, found)
	}
	k := newKept()
	qualified := sent.Edit(s.qualified(found)...)
	s.lastSent = qualified.String()
	st := s.shown(Statement{Text: s.lastSent, Typed: text, Bindings: values, Out: s.outFile(), Format: s.format,
		Keep: k.keep, Position: qualified.Position})
	err := s.deliver(st, func(st Statement) error { return s.nearHere(s.run.Run(ctx, st), text, sent, found) })
	if err != nil || !k.some() {
		return errors.Join(err, k.close())
	}
	s.spent()
	s.wrote()
	return s.keep(k, text)
}

// columns returns the columns of a query of which no rows are read, for friendly.Rewrite.
func (s *shell) columns(ctx context.Context, sql string, types bool) ([]friendly.Column, error) {
	text := sqltext.NewText(sql)
	found, _ := tables(sql)
	if !readsLast(found) {
		return s.run.Columns(ctx, text.Edit(s.qualified(found)...).String(), types)
	}
	res, _, err := s.openLast(ctx, text, nil, found)
	if err != nil {
		return nil, err
	}
	var list []friendly.Column
	for _, c := range res.Columns() {
		list = append(list, friendly.Column{Name: c.Name, Type: c.DataType})
	}
	return list, res.Close()
}

// spent drops bound values after a statement that used them has succeeded. After a failure they are kept for another
// attempt.
func (s *shell) spent() {
	if s.used != nil {
		s.binds = nil
	}
}
