package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// Sink is where one result goes, with what is said about it. Call finish once.
type Sink struct {
	W        io.Writer
	Notes    io.Writer
	Path     string // of the file, "" for stdout
	Progress *output.Progress
	Shared   bool // the progress goes on after this result
	// Columns, if any, may change how the rows are written once their columns are known
	Columns func(api.RowReader, output.Options) (output.Options, error)

	instead func() error // of giving the file its name, in a run that only tells

	screen *output.MaskWriter // before the pager
	pager  *output.Pager
	held   bytes.Buffer // notes that must not disturb the pager
	File   *output.File
	Stderr io.Writer
}

// OpenSink opens the file named by path, else stdout, behind a pager if that is a terminal and paging is wanted. cancel is called
// when the user quits the pager.
func (e *Env) OpenSink(path string, page bool, o output.Options, cancel func()) (*Sink, error) {
	s := &Sink{W: e.Out, Notes: e.Err, Stderr: e.Err}
	s.Progress = e.Progress()
	if path != "" && path != "-" && e.Tells() {
		s.W, s.Path, s.instead = io.Discard, path, func() error { return e.Would("write %s", path) }
		return s, nil
	}
	if path != "" && path != "-" {
		f, err := output.Create(e.Abs(path))
		if err != nil {
			s.Progress.Stop()
			return nil, Usagef("--out: %v", err)
		}
		s.W, s.File, s.Path = f, f, path
		return s, nil
	}
	if page && o.Terminal {
		s.pager = output.NewPager(output.PagerOptions{Command: e.pagerCommand(), Env: os.Environ(), Out: StreamOf(e.Out), Err: StreamOf(e.Run.Terminal), Width: e.Width, Height: e.Height, Cancel: cancel})
		s.screen = e.Run.Mask.Writer(s.pager)
		s.W = s.screen
		if ctx := e.Run.Ctx; ctx != nil {
			context.AfterFunc(ctx, func() {
				if errors.Is(context.Cause(ctx), ErrTerminated) {
					s.pager.Terminate()
				}
			})
		}
		if e.ErrTerm {
			s.Notes = output.NewScreen(&s.held)
		}
	}
	if e.ErrTerm && !RegularFile(e.Out) { // the output may come to the same screen, here or behind a pipe
		s.W = s.Progress.Output(s.W)
	}
	return s, nil
}

// Progress begins to measure; it is shown on a terminal only.
func (e *Env) Progress() *output.Progress {
	if !e.ErrTerm {
		return output.NewProgress(nil)
	}
	return output.NewProgress(e.Run.Terminal)
}

func (e *Env) pagerCommand() string {
	if p := e.Getenv("DIG_PAGER"); p != "" {
		return p
	}
	return e.Getenv("PAGER")
}

// StreamOf is the stream behind the masking: a pager has to see that it is a terminal.
func StreamOf(w io.Writer) io.Writer {
	if m, ok := w.(*output.MaskWriter); ok {
		return m.Unwrap()
	}
	return w
}

// OnScreen is stdout for text that dig does not lay out: on a terminal what could steer it becomes visible.
func (e *Env) OnScreen() io.Writer {
	if e.OutTerm {
		return output.NewScreen(e.Out)
	}
	return e.Out
}

func flush(w io.Writer) error {
	if s, ok := w.(*output.Screen); ok {
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

// Finish gives the file its name if err is nil and removes it otherwise, and waits for the pager. It returns err, or what went wrong
// here; that the user quit the pager is no error.
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
	if ferr := s.screen.Flush(); err == nil {
		err = ferr
	}
	if s.pager.Paging() { // the footer belongs to the table, and the screen to the pager
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

// Waited is how long the pager kept the output waiting.
func (s *Sink) Waited() time.Duration {
	if s.pager == nil {
		return 0
	}
	return s.pager.Waited()
}
