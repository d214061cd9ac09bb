// Package query holds the commands for statements, saved queries and their folders.
package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
)

// batchRun runs several statements, some of them concurrently, and prints their results in order.
type batchRun struct {
	*querying
	next    func() (*statement, error) // io.EOF at the end
	sink    *cli.Sink                  // of stdout
	notes   io.Writer
	headers bool   // one header for all results, which have the same columns
	header  []byte // the header of the result printed last
	begun   bool   // something was printed
	failed  []exitcode.ErrorJSON
	count   int
}

// queued is one statement in progress.
type queued struct {
	n     int
	st    *statement
	last  bool
	out   spool
	notes bytes.Buffer
	err   error
	done  chan struct{}
}

const maxJobs = 64

// several runs the statements that next yields.
func (q *querying) several(ctx context.Context, next func() (*statement, error)) error {
	switch format := q.o.Format; {
	case q.f.toFiles:
	case format == output.XLSX || format == output.Parquet:
		return exitcode.Usagef("-o %s does not support several results",
			format).WithHint("give --out-dir DIR, or --out with {n} for the number of the statement")
	case q.e.Run.Flags.Out != "" && q.e.Run.Flags.Out != "-":
		return exitcode.Usagef("--out is a single file, but there are several results").
			WithHint("put {n}, the number of the statement, into the name, or give --out-dir DIR")
	case q.f.manifest != "":
		return exitcode.Usagef("--manifest of several results requires a file per result").
			WithHint("give --out-dir DIR, or --out with {n}")
	}
	ctx, cancel := context.WithCancel(cli.OwnRequest(ctx, spec.ExecuteQuery))
	defer cancel()
	s, err := q.e.OpenSink("", !q.f.noPager, q.o, cancel)
	if err != nil {
		return err
	}
	format := q.o.Format
	b := &batchRun{querying: q, next: next, sink: s, notes: s.Notes,
		headers: q.f.eachRow != "" && !q.o.NoHeader && !q.f.toFiles && (format == output.CSV || format == output.TSV) &&
			!q.f.profile}
	if q.o.Terminal && q.e.ErrTerm {
		b.notes = term.NewScreen(s.W) // the notes go to the same place as the results, also in a pager
	}
	return s.Finish(b.run(ctx, cancel))
}

func (b *batchRun) run(ctx context.Context, cancel func()) error {
	slots := make(chan *queued, 4*b.f.jobs) // limits the results that wait to be printed
	go b.dispatch(ctx, slots)
	var stopped error
	for sl := range slots {
		if stopped == nil {
			if stopped = b.show(ctx, sl); stopped != nil {
				cancel()
			}
		}
		<-sl.done
		sl.out.close()
	}
	if stopped != nil {
		return stopped
	}
	if b.headers && !b.begun && len(b.header) > 0 { // no result has rows
		if _, err := b.sink.W.Write(b.header); err != nil {
			return err
		}
	}
	if n := len(b.failed); n > 0 {
		return &exitcode.Failure{Exit: min(exitcode.SomeFailed+n, exitcode.ManyFailed), Code: "statements-failed",
			Msg: fmt.Sprintf("%d of %d statements failed", n, b.count), Parts: b.failed}
	}
	return nil
}

// dispatch starts the statements in order, at most --jobs of them concurrently.
func (b *batchRun) dispatch(ctx context.Context, slots chan<- *queued) {
	defer close(slots)
	jobs := b.f.jobs
	if b.e.DryRun() {
		jobs = 1 // dry-run steps are printed in the order of the statements
	}
	running := make(chan struct{}, jobs)
	st, err := b.next()
	for n := 1; !errors.Is(err, io.EOF); n++ {
		sl := &queued{n: n, st: st, err: err, done: make(chan struct{})}
		if err != nil {
			close(sl.done)
			slots <- sl
			return
		}
		st, err = b.next()
		sl.last = errors.Is(err, io.EOF)
		select {
		case running <- struct{}{}:
		case <-ctx.Done():
			return
		}
		slots <- sl
		go func() {
			defer close(sl.done)
			sl.err = b.one(ctx, sl)
			<-running
		}()
	}
}

// one runs a statement into its file or spool.
func (b *batchRun) one(ctx context.Context, sl *queued) error {
	out, sidecar := b.f.outputFiles(sl.n)
	s := &cli.Sink{W: &sl.out, Notes: &sl.notes, Stderr: &sl.notes, Progress: b.sink.Progress, Shared: true}
	if b.f.toFiles && !b.e.DryRun() {
		path := b.e.Abs(out)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return exitcode.Usagef("--out: %v", err)
		}
		f, err := output.CreateContext(ctx, path)
		if err != nil {
			return b.e.Named("--out", err)
		}
		s.W, s.File, s.Path = f, f, out
	} else if b.headers && !b.e.DryRun() {
		s.Columns = func(rows api.RowReader, o output.Options) (output.Options, error) {
			head, err := headerOf(rows, o)
			sl.out.setHead(head)
			o.NoHeader = true
			return o, err
		}
	}
	m := newManifest(b.e, sidecar, s)
	info, err := b.querying.run(ctx, sl.st, s, b.o, sl.last && !b.f.noHistory)
	return m.write(info, b.o, s.Finish(err))
}

// headerOf writes only the header of a result.
func headerOf(rows api.RowReader, o output.Options) ([]byte, error) {
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var head bytes.Buffer
	o.Notes = nil
	_, err = output.WriteRows(&head, noRows(cols), o)
	return head.Bytes(), err
}

type noRows []api.ResultColumn

func (n noRows) Columns() ([]api.ResultColumn, error) { return n, nil }
func (noRows) Next() bool                             { return false }
func (noRows) Row() []api.Cell                        { return nil }
func (noRows) Err() error                             { return nil }
func (noRows) Close() error                           { return nil }

// show prints the result of one statement, as it arrives or, with --keep-going, when it is complete. It returns the
// error that ends the run.
func (b *batchRun) show(ctx context.Context, sl *queued) error {
	b.count++
	w := &turn{b: b, sl: sl}
	if !b.f.keepGoing {
		if err := sl.out.release(w); err != nil {
			return err
		}
	}
	<-sl.done
	if err := sl.err; err != nil && !errors.Is(err, cli.ErrDone) {
		if sl.st != nil {
			err = b.named(ctx, sl, err)
		}
		if !b.f.keepGoing || ctx.Err() != nil || sl.st == nil {
			_, _ = b.notes.Write(sl.notes.Bytes())
			return err
		}
		f := cli.Classify(ctx, err)
		b.failed = append(b.failed, b.e.ToJSON(&f, err))
		if b.e.JSONErrors() {
			return nil // they are printed at the end, in one object
		}
		b.sink.Progress.Stop()
		b.e.Complain(b.notes, &f, err)
		return nil
	}
	if b.f.keepGoing {
		if err := sl.out.release(w); err != nil {
			return err
		}
	}
	if head := sl.out.getHead(); b.headers && b.header == nil {
		b.header = head
	}
	_, err := b.notes.Write(sl.notes.Bytes())
	return err
}

// named adds to an error the statement that failed.
func (b *batchRun) named(ctx context.Context, sl *queued, err error) error {
	f := cli.Classify(ctx, err)
	f.Err = err
	f.Msg = sl.st.where + ": " + f.Msg
	if !b.f.keepGoing && !sl.last {
		if f.Hint != "" {
			f.Hint += "; "
		}
		f.Hint += "the statements after it were not run; --keep-going continues"
	}
	return &f
}

// turn writes the separator between results before the first byte of a result.
type turn struct {
	b    *batchRun
	sl   *queued
	some bool
}

func (t *turn) Write(p []byte) (int, error) {
	if !t.some {
		t.some = true
		before := t.b.between(t.sl.out.head)
		if t.b.o.Terminal && table(t.b.o) {
			before = fmt.Appendf(before, "-- %s\n", t.sl.st.where)
		}
		if _, err := t.b.sink.W.Write(before); err != nil {
			return 0, err
		}
	}
	return t.b.sink.W.Write(p)
}

func (b *batchRun) between(head []byte) []byte {
	first := !b.begun
	b.begun = true
	if b.headers && bytes.Equal(head, b.header) && !first {
		return nil
	}
	b.header = bytes.Clone(head)
	if first {
		return b.header
	}
	switch b.o.Format {
	case output.JSON, output.NDJSON, output.HTML:
		return nil
	case output.YAML:
		return []byte("---\n")
	}
	return append([]byte("\n"), b.header...)
}

const spoolMemory = 1 << 20

// spool buffers a result until its turn, in memory and then in a temporary file; after that it passes writes through.
type spool struct {
	mu   sync.Mutex
	to   io.Writer
	head []byte
	mem  []byte
	file *tempfile.Unnamed
}

func (s *spool) setHead(head []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head = head
}

func (s *spool) getHead() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}

func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to != nil {
		return s.to.Write(p)
	}
	if s.file == nil && len(s.mem)+len(p) <= spoolMemory {
		s.mem = append(s.mem, p...)
		return len(p), nil
	}
	if s.file == nil {
		f, err := tempfile.CreateUnnamed("", "dig-result-*")
		if err != nil {
			return 0, err
		}
		if s.file = f; len(s.mem) > 0 {
			if _, err := f.Write(s.mem); err != nil {
				return 0, err
			}
			s.mem = nil
		}
	}
	return s.file.Write(p)
}

// release writes out the buffered bytes, and passes further writes through.
func (s *spool) release(w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = w
	if len(s.mem) > 0 {
		if _, err := w.Write(s.mem); err != nil {
			return err
		}
		s.mem = nil
	}
	if s.file == nil {
		return nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}
