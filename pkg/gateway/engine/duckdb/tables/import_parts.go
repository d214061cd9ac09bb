//go:build cgo

package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

const (
	groupRows  = 122880 // of a row group of DuckDB
	mostGroups = 4      // that a thread stores in one statement
	leastParts = 4      // of a document, for two threads
)

// importParts has several threads of DuckDB read, check and store the rows of a document at once, in the order of the
// document. read is false for a document, or a table, for which that is not done.
func (c conn) importParts(ctx context.Context, im *importing, into string) (read bool, err error) {
	if slices.ContainsFunc(im.t.cols, func(col engine.Column) bool { return col.Unique && !col.System }) {
		return false, nil
	}
	parts := im.doc.Parts(groupRows)
	if len(parts) < leastParts {
		return false, nil
	}
	threads := 1
	err = c.Query(ctx, `SELECT current_setting('threads')`, nil, func(v []*string) (err error) {
		threads, err = strconv.Atoi(*v[0])
		return err
	})
	// Fewer rows of a thread than a row group has are not written before the rows of all threads are brought together.
	if threads = min(threads, len(parts)/2); err != nil || threads < 2 {
		return false, err
	}
	if im.With(ctx, im.doc, func() error { return nil }) != nil { // the mapping is checked
		return false, c.Ended(ctx) // the records have the error
	}
	p := &partFeed{im: im, fill: importer.FilledBy(time.Now(), im.t.cols, im.Targets)}
	handle := cgo.NewHandle(fed(p))
	defer handle.Delete()
	c.Spend() // an error leaves the setting
	// DuckDB has one thread insert rows whose order it keeps.
	if _, err := c.Exec(ctx, `SET SESSION preserve_insertion_order = false`); err != nil {
		return false, err
	}
	text := `INSERT INTO ` + naming.StoredTable(im.t.kind, into) + ` ` + reading(handle)
	// Threads have about the same number of parts in each statement; a single one that is left goes to the last.
	rounds := (len(parts) + threads*mostGroups - 1) / (threads * mostGroups)
	size := max((len(parts)+threads*rounds/2)/(threads*rounds), 2)
	for len(parts) > 0 {
		p.begin(ctx)
		before := p.rows
		for len(p.runs) < threads && len(parts) > 0 {
			n := min(size, len(parts))
			if len(parts)-n < 2 {
				n = len(parts)
			}
			p.add(parts[:n])
			parts = parts[n:]
		}
		rows, err := c.Work(ctx, text)
		end := c.Ended(ctx)
		switch {
		case end != nil:
			return false, end
		case p.err != nil: // which DuckDB repeats
			err = p.err
		case err == nil && rows != p.rows-before:
			err = fmt.Errorf("%d rows were stored of %d", rows, p.rows-before)
		}
		if err != nil {
			return false, &nativeError{err}
		}
		c.TrimCache(trimmed)
	}
	if im.rows = p.rows; im.ids != nil {
		*im.ids = im.ids.After(p.rows)
	}
	_, err = c.Exec(ctx, `RESET SESSION preserve_insertion_order`)
	return true, err
}

// partFeed passes the parts of a document to INSERT statements, each of which takes some of them.
type partFeed struct {
	im   *importing
	fill []importer.Filled
	rows int64 // of all parts so far

	ctx     context.Context //nolint:containedctx // that of the statement
	mu      sync.Mutex
	runs    []*partRun // of the statement, in the order of the document
	next    int        // the first of them that no thread has begun
	err     error
	stopped chan struct{} // closed with err
}

// partRun are parts that follow each other and that one thread reads.
type partRun struct {
	parts []csv.Part
	first int64         // the number of its first row in the document
	done  chan struct{} // closed when the rows are stored
}

func (p *partFeed) columns() []engine.Column { return p.im.t.cols }
func (p *partFeed) threads() int             { return len(p.runs) }
func (p *partFeed) thread() filler           { return &partThread{of: p, begun: -1} }

func (p *partFeed) begin(ctx context.Context) {
	p.ctx, p.runs, p.next, p.err, p.stopped = ctx, nil, 0, nil, make(chan struct{})
}

func (p *partFeed) add(parts []csv.Part) {
	p.runs = append(p.runs, &partRun{parts: slices.Clone(parts), first: p.rows, done: make(chan struct{})})
	for _, part := range parts {
		p.rows += part.Rows
	}
}

func (p *partFeed) fail(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stopped:
	default:
		p.err = err
		close(p.stopped)
	}
	return err
}

// partThread reads parts for a thread of the engine.
type partThread struct {
	of    *partFeed
	begun int // number of the first run of the thread, -1 before it has one
	at    int // number of its last run

	im    *importing // reads a part, nil between parts
	end   int64      // the number of the row after the part
	part  int        // the number of the next part in the run
	chunk *values.Chunk
}

// take begins the next run, if the rows of the thread are followed by it.
func (t *partThread) take() bool {
	p := t.of
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == len(p.runs) || t.begun >= 0 && t.at+1 != p.next {
		return false
	}
	if t.at = p.next; t.begun < 0 {
		t.begun = p.next
		t.chunk = openBatch(p.im.t)
	}
	t.part, t.end = 0, p.runs[t.at].first
	p.next++
	return true
}

// open begins the next part. more is false at the end of the rows of the thread: those before them are stored then.
func (t *partThread) open() (more bool, err error) {
	p := t.of
	if (t.begun < 0 || t.part == len(p.runs[t.at].parts)) && !t.take() {
		if t.begun < 1 {
			return false, nil
		}
		select {
		case <-p.runs[t.begun-1].done:
			return false, nil
		case <-p.stopped:
			return false, errors.New("another thread failed")
		case <-p.ctx.Done():
			return false, engine.Ended(p.ctx, nil)
		}
	}
	part := p.runs[t.at].parts[t.part]
	t.im = &importing{Reader: p.im.OfPart(), t: p.im.t, m: p.im.m, rows: t.end}
	if p.im.ids != nil {
		ids := p.im.ids.After(t.end)
		t.im.ids = &ids
	}
	t.part, t.end = t.part+1, t.end+part.Rows
	return true, t.im.Open(p.ctx, part)
}

// close ends the part, which must have the rows that it had when they were counted.
func (t *partThread) close() error {
	im := t.im
	if t.im = nil; im.rows != t.end {
		return errors.Join(fmt.Errorf("a part of the document has %d rows more than it had", im.rows-t.end), im.Close())
	}
	return im.Close()
}

// Freed implements callback.Freed: DuckDB has brought the rows of the thread together with those before them.
func (t *partThread) Freed() {
	if t.im != nil {
		_ = t.im.Close()
	}
	if t.chunk != nil {
		t.chunk.Destroy()
	}
	for i := max(t.begun, 0); t.begun >= 0 && i <= t.at; i++ {
		close(t.of.runs[i].done)
	}
}

// fill implements filler.
func (t *partThread) fill(out bindings.DataChunk) (err error) {
	n, err := t.read()
	if err != nil {
		return t.of.fail(err)
	}
	if n > 0 {
		t.chunk.PassTo(out)
	}
	bindings.DataChunkSetSize(out, bindings.IdxT(n))
	return nil
}

// read reads the next rows into the chunk. At the end of the rows of the thread it waits until those before them are
// stored.
func (t *partThread) read() (int, error) {
	for {
		if t.im == nil {
			more, err := t.open()
			if err != nil || !more {
				return 0, err
			}
		}
		t.chunk.Reset()
		err := t.im.fillBatch(t.chunk, t.of.fill)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if err := t.im.Fault(); err != nil {
			return 0, err
		}
		n := t.chunk.N
		t.im.rows += int64(n)
		if err != nil {
			if err := t.close(); err != nil {
				return 0, err
			}
		}
		if n > 0 {
			return n, nil
		}
	}
}
