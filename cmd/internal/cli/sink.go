package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// Sink is the destination of one result and of the notes about it. Finish must be called exactly once.
type Sink struct {
	W        io.Writer
	Notes    io.Writer
	Path     string // of the file, "" for stdout
	Progress *term.Progress
	Shared   bool // the progress continues after this result
	// Columns, if any, may change how the rows are written once their columns are known.
	Columns func(api.RowReader, output.Options) (output.Options, error)

	instead func() error // in a dry run, prints that the file would be written

	pager  *term.Pager
	held   bytes.Buffer // notes that are held back while the pager runs
	File   *output.File
	Stderr io.Writer
}

// OpenSink opens the file named by path, else stdout, through a pager if that is a terminal and paging is enabled.
// cancel is called when the user quits the pager.
func (e *Env) OpenSink(path string, page bool, o output.Options, cancel func()) (*Sink, error) {
	s := &Sink{W: e.Out, Notes: e.Err, Stderr: e.Err}
	s.Progress = e.Progress()
	if path != "" && path != "-" && e.DryRun() {
		s.W, s.Path, s.instead = io.Discard, path, func() error { return e.DryRunStep("write %s", path) }
		return s, nil
	}
	if path != "" && path != "-" {
		f, err := output.CreateContext(e.context(), e.Abs(path))
		if err != nil {
			s.Progress.Stop()
			return nil, e.Named("--out", err)
		}
		s.W, s.File, s.Path = f, f, path
		return s, nil
	}
	if page && o.Terminal && e.pages() {
		s.pager = e.newPager(cancel)
		s.W = s.pager
		if e.ErrTerm {
			s.Notes = term.NewScreen(&s.held)
		}
	}
	if e.ErrTerm && !RegularFile(e.Out) { // the output may go to the same screen, directly or through a pipe
		s.W = s.Progress.Output(s.W)
	}
	return s, nil
}

// pages reports whether a person looks at the terminal, so that what is longer than the screen is paged.
func (e *Env) pages() bool { return e.Run.unattended == "" && e.Getenv("TERM") != "dumb" }

func (e *Env) newPager(cancel func()) *term.Pager {
	p := term.NewPager(term.PagerOptions{Command: e.pagerCommand(), Env: ProgramEnv(), Out: StreamOf(e.Out),
		Err: StreamOf(e.Run.Terminal), Width: e.Width, Height: e.Height, Cancel: cancel})
	if ctx := e.Run.Ctx; ctx != nil {
		context.AfterFunc(ctx, func() {
			if errors.Is(context.Cause(ctx), ErrTerminated) {
				p.Terminate()
			}
		})
	}
	return p
}

// WriteHelp writes a help text, on a terminal through the pager if it is longer than the screen.
func (e *Env) WriteHelp(to io.Writer, text string) error {
	if !e.OutTerm || !e.pages() {
		_, err := io.WriteString(to, text)
		return err
	}
	p := e.newPager(nil)
	_, err := io.WriteString(p, text)
	return errors.Join(err, p.Close())
}

// Progress starts the measurement. Progress is shown only on a terminal, and only if a person runs the command.
func (e *Env) Progress() *term.Progress {
	if !e.Live() {
		return term.NewProgress(nil)
	}
	return term.NewProgress(e.Run.Terminal)
}

func (e *Env) pagerCommand() string {
	for _, name := range []string{"DIG_PAGER", "PAGER"} {
		if p := e.Getenv(name); p != "" {
			return p
		}
		if p, set := os.LookupEnv(name); set && p == "" { // turns paging off, as for git and man
			return "cat"
		}
	}
	return ""
}

// StreamOf returns the stream behind the masking writer: a pager must be able to detect that it is a terminal.
func StreamOf(w io.Writer) io.Writer {
	if m, ok := w.(*term.MaskWriter); ok {
		return m.Unwrap()
	}
	return w
}

// FileOf returns the file behind a stream of the run, nil if there is none.
func FileOf(w io.Writer) *os.File {
	f, _ := unwrapped(w).(*os.File)
	return f
}

// TerminalOf returns the file behind the input of the run, nil if there is none.
func TerminalOf(r io.Reader) *os.File {
	if s, ok := r.(*prompt.Stdin); ok {
		r = s.In
	}
	f, _ := r.(*os.File)
	return f
}

// OnScreen returns stdout for text that dig does not format: on a terminal, control characters are made visible.
func (e *Env) OnScreen() io.Writer {
	if e.OutTerm {
		return term.NewScreen(e.Out)
	}
	return e.Out
}

func flush(w io.Writer) error {
	if s, ok := w.(*term.Screen); ok {
		return s.Flush()
	}
	return nil
}

func RegularFile(w io.Writer) bool {
	f, ok := unwrapped(w).(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode().IsRegular()
}

// Finish renames the file into place if err is nil and removes it otherwise, and waits for the pager. It returns err,
// or an error of its own; that the user quit the pager is not an error.
func (s *Sink) Finish(err error) error {
	if !s.Shared {
		s.Progress.Stop()
	}
	if s.instead != nil && err == nil {
		return s.instead()
	}
	if s.File != nil {
		if err != nil {
			return errors.Join(err, s.File.Abort())
		}
		return s.File.Commit()
	}
	if s.pager == nil {
		return err
	}
	if s.pager.Paging() { // the footer belongs to the table, and the pager owns the screen
		_, _ = s.pager.Write(s.held.Bytes())
		s.held.Reset()
	}
	closing := s.pager.Close()
	if s.pager.Quit() {
		return nil
	}
	_, _ = s.Stderr.Write(s.held.Bytes())
	if err == nil {
		err = closing
	}
	return err
}

// Waited returns how long the pager blocked the output.
func (s *Sink) Waited() time.Duration {
	if s.pager == nil {
		return 0
	}
	return s.pager.Waited()
}

// FormOfPath is the format that the extension of a file names.
func FormOfPath(path string) (output.Format, error) {
	f := formNamed(path)
	if !f.Known() {
		return f, exitcode.Usagef("%s: the extension does not name a format",
			path).WithHint("one of .csv .tsv .json .ndjson .yaml .md .html .xlsx .parquet .txt")
	}
	return f, nil
}

// formNamed is the format for the extension of a file; it is not a known format if there is none for the extension.
func formNamed(path string) output.Format {
	switch ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); ext {
	case "txt":
		return output.Table
	case "htm":
		return output.HTML
	default:
		return output.FormatOf(ext)
	}
}

// CheckDrawnFile rejects --out FILE if no format is set and the extension names a format other than table: no program
// can read a drawn table in a file such as rows.parquet. Extensions that name no format are allowed.
func (e *Env) CheckDrawnFile() error {
	s, err := e.Settings()
	path := e.Run.Flags.Out
	if err != nil || s.Output.From != "default" || e.Run.Flags.Jq != "" {
		return err
	}
	if f := formNamed(path); f.Known() && f != output.Table {
		return exitcode.Usagef("--out %s: the format is table, but the file extension is %s", path,
			f).WithHint("give -o %s, or -o table to write a table", f)
	}
	return nil
}
