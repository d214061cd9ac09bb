package cmd

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

// sink is where one result goes, with what is said about it. Call finish once.
type sink struct {
	w        io.Writer
	notes    io.Writer
	path     string // of the file, "" for stdout
	progress *output.Progress
	shared   bool // the progress goes on after this result
	// columns, if any, may change how the rows are written once their columns are known
	columns func(api.RowReader, output.Options) (output.Options, error)

	instead func() error // of giving the file its name, in a run that only tells

	screen *output.MaskWriter // before the pager
	pager  *output.Pager
	held   bytes.Buffer // notes that must not disturb the pager
	file   *output.File
	stderr io.Writer
}

// openSink opens the file named by path, else stdout, behind a pager if that is a terminal and paging is wanted. cancel is called
// when the user quits the pager.
func (e *Env) openSink(path string, page bool, o output.Options, cancel func()) (*sink, error) {
	s := &sink{w: e.Out, notes: e.Err, stderr: e.Err}
	s.progress = e.progress()
	if path != "" && path != "-" && e.tells() {
		s.w, s.path, s.instead = io.Discard, path, func() error { return e.would("write %s", path) }
		return s, nil
	}
	if path != "" && path != "-" {
		f, err := output.Create(e.abs(path))
		if err != nil {
			s.progress.Stop()
			return nil, usagef("--out: %v", err)
		}
		s.w, s.file, s.path = f, f, path
		return s, nil
	}
	if page && o.Terminal {
		s.pager = output.NewPager(output.PagerOptions{Command: e.pagerCommand(), Env: os.Environ(), Out: streamOf(e.Out), Err: streamOf(e.run.terminal), Width: e.Width, Height: e.Height, Cancel: cancel})
		s.screen = e.run.mask.Writer(s.pager)
		s.w = s.screen
		if ctx := e.run.ctx; ctx != nil {
			context.AfterFunc(ctx, func() {
				if errors.Is(context.Cause(ctx), errTerminated) {
					s.pager.Terminate()
				}
			})
		}
		if e.ErrTerm {
			s.notes = output.NewScreen(&s.held)
		}
	}
	if e.ErrTerm && !regularFile(e.Out) { // the output may come to the same screen, here or behind a pipe
		s.w = s.progress.Output(s.w)
	}
	return s, nil
}

// progress begins to measure; it is shown on a terminal only.
func (e *Env) progress() *output.Progress {
	if !e.ErrTerm {
		return output.NewProgress(nil)
	}
	return output.NewProgress(e.run.terminal)
}

func (e *Env) pagerCommand() string {
	if p := e.Getenv("DIG_PAGER"); p != "" {
		return p
	}
	return e.Getenv("PAGER")
}

// streamOf is the stream behind the masking: a pager has to see that it is a terminal.
func streamOf(w io.Writer) io.Writer {
	if m, ok := w.(*output.MaskWriter); ok {
		return m.Unwrap()
	}
	return w
}

// onScreen is stdout for text that dig does not lay out: on a terminal what could steer it becomes visible.
func (e *Env) onScreen() io.Writer {
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

func regularFile(w io.Writer) bool {
	f, ok := unwrapped(w).(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode().IsRegular()
}

// finish gives the file its name if err is nil and removes it otherwise, and waits for the pager. It returns err, or what went wrong
// here; that the user quit the pager is no error.
func (s *sink) finish(err error) error {
	if !s.shared {
		s.progress.Stop()
	}
	if s.instead != nil && err == nil {
		return s.instead()
	}
	if s.file != nil {
		if err != nil {
			return errors.Join(err, s.file.Abort())
		}
		return s.file.Commit()
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
	_, _ = s.stderr.Write(s.held.Bytes())
	if err == nil {
		err = closing
	}
	return err
}

// waited is how long the pager kept the output waiting.
func (s *sink) waited() time.Duration {
	if s.pager == nil {
		return 0
	}
	return s.pager.Waited()
}
