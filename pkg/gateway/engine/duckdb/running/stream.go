//go:build cgo

package running

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/process"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// result is a running statement: the only one of its connection.
type result struct {
	s      *statement
	ctx    context.Context
	cancel context.CancelFunc
	stop   func()
	ps     bindings.PreparedStatement
	res    bindings.Result
	cols   []engine.RowColumn
	chunk  bindings.DataChunk // the rows of now
	now    batch.Batch
	once   sync.Once

	fetched bool // a chunk was asked for
	passed  bool // a chunk was passed on
	kept    bool // the connection has ps
	alone   bool // it began without a transaction
	drained bool // all rows were fetched
}

var _ engine.Rows = (*result)(nil)

// Columns describes the columns of the rows.
func (r *result) Columns() []engine.RowColumn { return r.cols }

// Text is what DuckDB runs.
func (r *result) Text() string { return r.s.t.text }

// Context ends when the statement must end.
func (r *result) Context() context.Context { return r.ctx }

// Next fetches the next chunk as a batch.
func (r *result) Next(ctx context.Context) (*batch.Batch, error) {
	defer r.follow(ctx)()
	r.release()
	chunk, ok, err := r.next(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, io.EOF
	}
	r.chunk = chunk
	if r.now.Columns == nil {
		r.now.Columns = make([]batch.Vec, len(r.cols))
	}
	r.now.Len = int(bindings.DataChunkGetSize(chunk))
	for i, c := range r.cols {
		r.now.Columns[i] = values.VecOf(c.Layout, bindings.DataChunkGetVector(chunk, bindings.IdxT(i)))
	}
	return &r.now, nil
}

// release destroys the chunk of the last batch.
func (r *result) release() {
	if r.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&r.chunk)
		r.chunk.Ptr = nil
	}
}

// Close ends the statement if it still runs, and returns its connection.
func (r *result) Close() error {
	r.once.Do(func() {
		r.stop()
		r.cancel() // closing may wait for the statement
		r.release()
		r.dropPlan()
		if r.alone && !r.drained { // what is left of it ends with the connection
			r.s.c.Spend()
		}
		r.s.close()
	})
	return nil
}

// next fetches a chunk; ok is false at the end. The chunk must be destroyed.
func (r *result) next(ctx context.Context) (chunk bindings.DataChunk, ok bool, err error) {
	if err := r.ended(ctx); err != nil {
		return chunk, false, err
	}
	chunk, failed := r.fetch()
	if failed != nil && !r.passed && r.s.retreat(r.ctx) {
		r.fetched = false
		if failed = r.begin(); failed == nil {
			chunk, failed = r.fetch()
		}
	}
	if err := r.s.c.Refused(); err != nil {
		if chunk.Ptr != nil {
			bindings.DestroyDataChunk(&chunk)
		}
		return chunk, false, r.s.explain(err)
	}
	if chunk.Ptr != nil {
		r.passed = true
		return chunk, true, nil
	}
	if failed != nil {
		if err := r.ended(ctx); err != nil {
			return chunk, false, err
		}
		if errors.Is(failed, instance.ErrLost) {
			failed = r.reason()
		}
		if err := r.s.nativeFault(r.ctx); err != nil {
			failed = err
		}
		return chunk, false, r.s.explain(failed)
	}
	r.drained = true
	if err := r.ended(ctx); err != nil {
		return chunk, false, err
	}
	return chunk, false, r.s.still()
}

// fetch returns the next chunk; its pointer is nil at the end of the rows. Until one was returned the statement may run
// again.
func (r *result) fetch() (chunk bindings.DataChunk, err error) {
	fetch := func() error {
		chunk = bindings.FetchChunk(r.res)
		if msg := bindings.ResultError(&r.res); chunk.Ptr == nil && msg != "" { // nil is the end and also an error
			return r.s.c.Fault(r.ctx, bindings.ResultErrorType(&r.res), msg)
		}
		return nil
	}
	if r.fetched {
		err = fetch()
		return chunk, process.Uncrowded(err)
	}
	cols := r.cols
	err = r.s.c.Patient(r.ctx, func() error {
		if r.fetched {
			if err := r.begin(); err != nil {
				return err
			}
			r.cols = cols
		}
		r.fetched = true
		return fetch()
	})
	return chunk, err
}

// ended returns why the statement must stop: its own deadline or the caller's context.
func (r *result) ended(ctx context.Context) error {
	if err := engine.Ended(ctx, nil); err != nil {
		return err
	}
	return engine.Ended(r.ctx, nil)
}

// follow makes ctx interrupt the statement until the returned function is called.
func (r *result) follow(ctx context.Context) func() bool {
	return safely.AfterContext(ctx, r.cancel)
}
