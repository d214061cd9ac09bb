//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"io"
	"strconv"
	"sync"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/vectors"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/wiretext"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// writeSize is the size of the write buffer of a reply.
const writeSize = 64 << 10

// column is a column of a running statement.
type column struct {
	api.ResultColumn
	t *vtype
}

// result is a running statement: the only one of its connection.
type result struct {
	s      *statement
	ctx    context.Context
	cancel context.CancelFunc
	stop   func()
	ps     bindings.PreparedStatement
	res    bindings.Result
	cols   []column
	once   sync.Once

	fetched bool // a chunk was asked for
}

var _ engine.Result = (*result)(nil)

// Columns describes the columns of the rows.
func (r *result) Columns() []api.ResultColumn {
	out := make([]api.ResultColumn, len(r.cols))
	for i, c := range r.cols {
		out[i] = c.ResultColumn
	}
	return out
}

// Table describes the columns for a statement that reads the rows.
func (r *result) Table() []analyze.TableColumn { return r.s.t.columns() }

// Close ends the statement if it still runs, and returns its connection.
func (r *result) Close() error {
	r.once.Do(func() {
		r.stop()
		r.cancel() // closing may wait for the statement
		bindings.DestroyResult(&r.res)
		bindings.DestroyPrepare(&r.ps)
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
	if err := r.s.c.refused(); err != nil {
		if chunk.Ptr != nil {
			bindings.DestroyDataChunk(&chunk)
		}
		return chunk, false, r.s.explain(err)
	}
	if chunk.Ptr != nil {
		return chunk, true, nil
	}
	if failed != nil {
		if err := engine.Ended(ctx, nil); err != nil {
			return chunk, false, err
		}
		if errors.Is(failed, errLost) {
			failed = r.reason()
		}
		return chunk, false, r.s.explain(failed)
	}
	return chunk, false, r.ended(ctx)
}

// fetch returns the next chunk; its pointer is nil at the end of the rows. Until one was returned the statement may run again.
func (r *result) fetch() (chunk bindings.DataChunk, err error) {
	fetch := func() error {
		chunk = bindings.FetchChunk(r.res)
		if msg := bindings.ResultError(&r.res); chunk.Ptr == nil && msg != "" { // nil is the end and also an error
			return r.s.c.fault(r.ctx, bindings.ResultErrorType(&r.res), msg)
		}
		return nil
	}
	if r.fetched {
		err = fetch()
		return chunk, uncrowded(err)
	}
	cols := r.cols
	err = r.s.c.patient(r.ctx, func() error {
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

// look reads the addresses of a chunk's columns. Sums beyond bigint are an error here, before a row of the chunk is written.
func (r *result) look(chunk bindings.DataChunk, vecs []vec) (int, error) {
	n := int(bindings.DataChunkGetSize(chunk))
	for i, c := range r.cols {
		vecs[i] = c.t.look(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)))
		if c.t.id == bindings.TypeHugeInt && c.t.name == "bigint" {
			for row := range n {
				if !vecs[i].null(row) && !vectors.At[wiretext.Huge](vecs[i].data, row).Fits() {
					return 0, &engine.Error{Kind: engine.KindValue, Message: "bigint addition overflow in column '" + c.Name + "'"}
				}
			}
		}
	}
	return n, nil
}

// Rows calls yield for each row with the values as text; nil is NULL. The slices are reused.
func (r *result) Rows(ctx context.Context, yield func(row [][]byte) error) (int64, error) {
	defer r.follow(ctx)()
	vecs := make([]vec, len(r.cols))
	row := make([][]byte, len(r.cols))
	bufs := make([][]byte, len(r.cols))
	for i := range bufs {
		bufs[i] = make([]byte, 0, 64) // so that an empty text is not nil
	}
	each := func(chunk bindings.DataChunk) (int64, error) {
		defer bindings.DestroyDataChunk(&chunk)
		n, err := r.look(chunk, vecs)
		if err != nil {
			return 0, err
		}
		for i := range n {
			for k := range vecs {
				if row[k] = nil; !vecs[k].null(i) {
					bufs[k] = vecs[k].appendText(bufs[k][:0], i)
					row[k] = bufs[k]
				}
			}
			if err := yield(row); err != nil {
				return int64(i), err
			}
		}
		return int64(n), nil
	}
	var total int64
	for {
		chunk, ok, err := r.next(ctx)
		if err != nil || !ok {
			return total, err
		}
		n, err := each(chunk)
		if total += n; err != nil {
			return total, err
		}
	}
}

// Encode writes the reply document. On an error after start it returns without the closing brackets.
func (r *result) Encode(ctx context.Context, w io.Writer, format api.Format, start func()) (int64, error) {
	defer r.follow(ctx)()
	if b, ok := w.(engine.Breaker); ok {
		defer safely.AfterContext(r.ctx, func() { b.Break(r.ended(ctx)) })()
	}
	e := newEncoder(w, format, r.cols)
	vecs := make([]vec, len(r.cols))
	each := func(chunk bindings.DataChunk) (int, error) {
		defer bindings.DestroyDataChunk(&chunk)
		n, err := r.look(chunk, vecs)
		if err != nil {
			return 0, err
		}
		return n, e.rows(vecs, n)
	}
	chunk, ok, err := r.next(ctx)
	if err != nil {
		return 0, err
	}
	begun := false
	var total int64
	for ok {
		if !begun {
			begun = true
			start()
			e.head()
		}
		var n int
		n, err = each(chunk)
		if total += int64(n); err != nil {
			return total, e.cut(err)
		}
		if chunk, ok, err = r.next(ctx); err != nil {
			return total, e.cut(err)
		}
	}
	if !begun {
		start()
		e.head()
	}
	return total, e.tail()
}

// encoder writes rows in one of the three formats.
type encoder struct {
	w      io.Writer
	format api.Format
	cols   []column
	buf    []byte
	before [][]byte // the text before each value of a row, from the end of the previous value
	end    []byte   // the text after the last value of a row
	begun  bool
	broken bool // the reader has closed the connection
}

func newEncoder(w io.Writer, format api.Format, cols []column) *encoder {
	e := &encoder{w: w, format: format, cols: cols, buf: make([]byte, 0, writeSize+writeSize/4)}
	open, end := "[", "]"
	if format == api.Simple {
		open, end = "{", "}"
	}
	lead := open
	for i, c := range cols {
		p := []byte(lead)
		switch format {
		case api.Compact:
		case api.Simple:
			p = append(wiretext.AppendJSONString(p, []byte(c.Name)), ':')
		default:
			display := c.DisplayName
			if display == "" {
				display = c.Name
			}
			p = wiretext.AppendJSONString(append(p, `{"name":`...), []byte(c.Name))
			p = wiretext.AppendJSONString(append(p, `,"displayName":`...), []byte(display))
			p = wiretext.AppendJSONString(append(p, `,"dataType":`...), []byte(c.DataType))
			p = strconv.AppendInt(append(p, `,"order":`...), int64(i), 10)
			p = append(p, `,"value":`...)
		}
		e.before = append(e.before, p)
		lead = ","
		if format != api.Compact && format != api.Simple {
			lead = "},"
		}
	}
	e.end = []byte(end)
	if len(cols) > 0 && format != api.Compact && format != api.Simple {
		e.end = []byte("}" + end)
	}
	return e
}

// head writes the columns. dataType is an addition of this gateway: it provides the types to readers of COMPACT and SIMPLE.
func (e *encoder) head() {
	b := append(e.buf, `{"columns":[`...)
	for i, c := range e.cols {
		if i > 0 {
			b = append(b, ',')
		}
		b = wiretext.AppendJSONString(append(b, `{"catalogName":`...), []byte(c.CatalogName))
		b = wiretext.AppendJSONString(append(b, `,"schemaName":`...), []byte(c.SchemaName))
		b = wiretext.AppendJSONString(append(b, `,"tableName":`...), []byte(c.TableName))
		b = wiretext.AppendJSONString(append(b, `,"columnName":`...), []byte(c.Name))
		if c.DisplayName != "" && c.DisplayName != c.Name {
			b = wiretext.AppendJSONString(append(b, `,"displayName":`...), []byte(c.DisplayName))
		}
		b = append(wiretext.AppendJSONString(append(b, `,"dataType":`...), []byte(c.DataType)), '}')
	}
	e.buf = append(b, `],"data":[`...)
}

func (e *encoder) rows(vecs []vec, n int) error {
	b := e.buf
	for i := range n {
		if e.begun {
			b = append(b, ',')
		}
		e.begun = true
		for k := range vecs {
			b = append(b, e.before[k]...)
			if v := &vecs[k]; v.null(i) {
				b = append(b, "null"...)
			} else {
				b = v.appendQuoted(b, i)
			}
		}
		b = append(b, e.end...)
		if len(b) >= writeSize {
			if _, err := e.w.Write(b); err != nil {
				e.buf, e.broken = b[:0], true
				return err
			}
			b = b[:0]
		}
	}
	e.buf = b
	return nil
}

// cut writes the rows that were computed before the error.
func (e *encoder) cut(fault error) error {
	if !e.broken {
		_, _ = e.w.Write(e.buf)
	}
	return fault
}

func (e *encoder) tail() error {
	e.buf = append(e.buf, "]}"...)
	_, err := e.w.Write(e.buf)
	return err
}
