//go:build cgo

package dbfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/blocks"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Kind is the representation of a column's values in DuckDB's memory.
type Kind uint8

// The kinds of columns. JSON is a text that must be a JSON document.
const (
	Text Kind = iota
	Blob
	JSON
	Bool
	Int8
	Int16
	Int32
	Int64
	Float
	Double
	UUID
)

// Column is a column of the rows of a statement; the name is for errors.
type Column struct {
	Name string
	Kind Kind
}

// Rows is a running statement. Its chunks are read as they are produced.
type Rows struct {
	c     *Conn
	cols  []Column
	stop  func() bool
	ps    bindings.PreparedStatement
	res   bindings.Result
	chunk bindings.DataChunk
	at, n int // the next row of the chunk, and its number of rows

	mu     sync.Mutex
	closed bool
}

func (r *Rows) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		bindings.Interrupt(r.c.c)
	}
}

// Query starts a statement, which ends with ctx, and takes ownership of the connection. The arguments are of type
// int64, bool or string. The columns are those that Fill reads.
func (c *Conn) Query(ctx context.Context, sql string, args []any, cols []Column) (_ *Rows, err error) {
	r := &Rows{c: c, cols: cols}
	r.stop = safely.AfterContext(ctx, r.interrupt)
	defer func() {
		if err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			_ = r.Close()
		}
	}()
	var state bindings.State
	blocks.Guest(func() { state = bindings.Prepare(c.c, sql, &r.ps) })
	if state == bindings.StateError {
		return nil, errors.New(bindings.PrepareError(r.ps))
	}
	for i, v := range args {
		state, k := bindings.StateError, bindings.IdxT(i+1)
		switch x := v.(type) {
		case int64:
			state = bindings.BindInt64(r.ps, k, x)
		case bool:
			state = bindings.BindBoolean(r.ps, k, x)
		case string:
			state = bindings.BindVarcharLength(r.ps, k, x, bindings.IdxT(len(x)))
		}
		if state == bindings.StateError {
			return nil, fmt.Errorf("the engine rejected the value %v", v)
		}
	}
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPreparedStreaming(r.ps, &pending) == bindings.StateError {
		return nil, errors.New(bindings.PendingError(pending))
	}
	blocks.Guest(func() { state = bindings.ExecutePending(pending, &r.res) })
	if state == bindings.StateError {
		return nil, failed(&r.res)
	}
	return r, nil
}

// failed returns the error of a result. More memory than a file may take is a limit, and not a fault of the source.
func failed(res *bindings.Result) error {
	message := bindings.ResultError(res)
	if bindings.ResultErrorType(res) == bindings.ErrorTypeOutOfMemory || strings.Contains(message, "std::bad_alloc") {
		return &engine.Error{Kind: engine.KindLimit,
			Message: "a view or a computed column of the file takes more memory than it may: " + message}
	}
	return errors.New(message)
}

// next makes the next chunk the current one if all rows of the current one were read; false at the end.
func (r *Rows) next(ctx context.Context) (bool, error) {
	for r.at == r.n {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if r.chunk.Ptr != nil {
			bindings.DestroyDataChunk(&r.chunk)
		}
		blocks.Guest(func() { r.chunk = bindings.FetchChunk(r.res) })
		if r.chunk.Ptr == nil { // the end, or an error
			if message := bindings.ResultError(&r.res); message != "" {
				if err := ctx.Err(); err != nil {
					return false, err
				}
				return false, failed(&r.res)
			}
			return false, nil
		}
		r.at, r.n = 0, int(bindings.DataChunkGetSize(r.chunk))
	}
	return true, nil
}

// column returns the values of a column of the current chunk, and which of them are NULL.
func (r *Rows) column(i int) (data, valid unsafe.Pointer) {
	v := bindings.DataChunkGetVector(r.chunk, bindings.IdxT(i))
	return bindings.VectorGetData(v), bindings.VectorGetValidity(v)
}

// Texts reads the rows of one chunk in which all columns are strings; NULL is "". It returns nil at the end.
func (r *Rows) Texts(ctx context.Context) ([][]string, error) {
	ok, err := r.next(ctx)
	if !ok || err != nil {
		return nil, err
	}
	out := make([][]string, r.n)
	for c := range int(bindings.DataChunkGetColumnCount(r.chunk)) {
		data, valid := r.column(c)
		for i := range out {
			s := ""
			if !batch.NullAt(valid, i) {
				s = string(batch.TextAt(data, i))
			}
			out[i] = append(out[i], s)
		}
	}
	r.at = r.n
	return out, nil
}

var _ engine.Filler = (*Rows)(nil)

// Fill implements engine.Filler.
func (r *Rows) Fill(ctx context.Context, cols []engine.Vector, n int) (int, error) {
	ok, err := r.next(ctx)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, io.EOF
	}
	n = min(n, r.n-r.at)
	for i, c := range r.cols {
		data, valid := r.column(i)
		if err := fill(cols[i], data, valid, c.Kind, r.at, n); err != nil {
			return 0, engine.Content(fmt.Errorf("column %q: %w", c.Name, err))
		}
	}
	r.at += n
	return n, nil
}

// Close ends the statement, which may be running, and closes its connection. It may be called again.
func (r *Rows) Close() error {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	if r.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&r.chunk)
	}
	bindings.DestroyResult(&r.res)
	bindings.DestroyPrepare(&r.ps)
	r.c.Close()
	return nil
}

// fill copies n values from row `from` of a vector to the beginning of another.
func fill(to engine.Vector, data, valid unsafe.Pointer, kind Kind, from, n int) error {
	for i := range n {
		k := from + i
		if batch.NullAt(valid, k) {
			to.Null(i)
			continue
		}
		var err error
		switch kind {
		case Bool, Int8:
			err = to.Int(i, int64(batch.At[int8](data, k)))
		case Int16:
			err = to.Int(i, int64(batch.At[int16](data, k)))
		case Int32:
			err = to.Int(i, int64(batch.At[int32](data, k)))
		case Int64:
			err = to.Int(i, batch.At[int64](data, k))
		case Float:
			err = to.Float(i, float64(batch.At[float32](data, k)))
		case Double:
			err = to.Float(i, batch.At[float64](data, k))
		case UUID:
			h := batch.At[[2]uint64](data, k) // low, high; the sign bit is inverted to preserve the order
			hi, lo := h[1]^(1<<63), h[0]
			var b [16]byte
			for j := range 8 {
				b[j], b[8+j] = byte(hi>>(56-8*j)), byte(lo>>(56-8*j))
			}
			err = to.Bytes(i, b[:])
		case JSON:
			text := batch.TextAt(data, k)
			if !json.Valid(text) {
				return errors.New("a nested value contains NaN or an infinity, which JSON cannot represent")
			}
			err = to.Bytes(i, text)
		default:
			err = to.Bytes(i, batch.TextAt(data, k))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
