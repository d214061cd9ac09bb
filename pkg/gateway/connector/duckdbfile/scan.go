//go:build cgo

package duckdbfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// table is a table open for reading.
type table struct {
	f    *file
	name string
	cols []column
}

func (t *table) Columns(context.Context) ([]engine.ColumnInfo, error) {
	return connector.Infos(t.cols), nil
}

func (t *table) column(name string) (column, error) { return connector.Column(t.name, t.cols, name) }

// Scan reads the requested columns of the rows that pass the filters on plain types.
func (t *table) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	var want []column
	var list, where []string
	for _, name := range req.Columns {
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		want, list = append(want, c), append(list, c.expr)
	}
	if len(list) == 0 {
		list = []string{"true"}
	}
	var args []any
	all := true
	for _, f := range req.Filters {
		c, err := t.column(f.Column)
		if err != nil || !pushes(c, f) {
			all = false
			continue
		}
		if c.Type == "varchar" && len(f.Values) > 0 { // a collation may let more rows pass
			all = false
		}
		s := sqltext.Quote(c.Name) + " " + f.Op
		switch {
		case f.Op == "in" || f.Op == "not in":
			s += " (?" + strings.Repeat(", ?", len(f.Values)-1) + ")"
		case len(f.Values) == 1:
			s += " ?"
		}
		where, args = append(where, s), append(args, f.Values...)
	}
	text := "SELECT " + strings.Join(list, ", ") + " FROM " + t.name
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	if all && req.Limit >= 0 {
		text += " LIMIT " + strconv.FormatInt(req.Limit, 10)
	}
	s, err := t.f.session(ctx)
	if err != nil {
		return nil, err
	}
	return s.stream(ctx, text, args, want)
}

// pushes reports whether a filter has the same meaning here: equality and order of integers, booleans and strings, the
// latter only if the collation of the column could not exclude rows.
func pushes(c column, f engine.Filter) bool {
	switch f.Op {
	case "is null", "is not null":
		return true
	case "=", "in":
	case "<>", "<", "<=", ">", ">=", "not in":
		if c.Type == "varchar" {
			return false
		}
	default:
		return false
	}
	for _, v := range f.Values {
		switch v.(type) {
		case int64:
			if c.Type == "boolean" || c.Type == "varchar" {
				return false
			}
		case bool:
			if c.Type != "boolean" {
				return false
			}
		case string:
			if c.Type != "varchar" {
				return false
			}
		default:
			return false
		}
	}
	return c.push && len(f.Values) > 0
}

// rows is a running statement. Its chunks are read as they are produced.
type rows struct {
	s     *session
	cols  []column
	stop  func() bool
	ps    bindings.PreparedStatement
	res   bindings.Result
	chunk bindings.DataChunk
	at, n int // the next row of the chunk, and its number of rows

	mu     sync.Mutex
	closed bool
}

func (r *rows) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		bindings.Interrupt(r.s.conn)
	}
}

// stream starts a statement and takes ownership of the session.
func (s *session) stream(ctx context.Context, sql string, args []any, cols []column) (_ *rows, err error) {
	r := &rows{s: s, cols: cols}
	r.stop = safely.AfterContext(ctx, r.interrupt)
	defer func() {
		if err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			_ = r.Close()
		}
	}()
	if bindings.Prepare(s.conn, sql, &r.ps) == bindings.StateError {
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
	if bindings.ExecutePending(pending, &r.res) == bindings.StateError {
		return nil, errors.New(bindings.ResultError(&r.res))
	}
	return r, nil
}

// next makes the next chunk the current one if all rows of the current one were read; false at the end.
func (r *rows) next(ctx context.Context) (bool, error) {
	for r.at == r.n {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if r.chunk.Ptr != nil {
			bindings.DestroyDataChunk(&r.chunk)
		}
		r.chunk = bindings.FetchChunk(r.res)
		if r.chunk.Ptr == nil { // the end, or an error
			if message := bindings.ResultError(&r.res); message != "" {
				if err := ctx.Err(); err != nil {
					return false, err
				}
				return false, errors.New(message)
			}
			return false, nil
		}
		r.at, r.n = 0, int(bindings.DataChunkGetSize(r.chunk))
	}
	return true, nil
}

// texts reads the rows of one chunk in which all columns are strings; NULL is "". It returns nil at the end.
func (r *rows) texts(ctx context.Context) ([][]string, error) {
	ok, err := r.next(ctx)
	if !ok || err != nil {
		return nil, err
	}
	out := make([][]string, r.n)
	for c := range int(bindings.DataChunkGetColumnCount(r.chunk)) {
		v := bindings.DataChunkGetVector(r.chunk, bindings.IdxT(c))
		data, mask := bindings.VectorGetData(v), bindings.VectorGetValidity(v)
		for i := range out {
			s := ""
			if mask == nil || bindings.ValidityRowIsValid(mask, bindings.IdxT(i)) {
				s = string(textAt(data, i))
			}
			out[i] = append(out[i], s)
		}
	}
	r.at = r.n
	return out, nil
}

var _ engine.Filler = (*rows)(nil)

// Fill implements engine.Filler.
func (r *rows) Fill(ctx context.Context, cols []engine.Vector, n int) (int, error) {
	ok, err := r.next(ctx)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, io.EOF
	}
	n = min(n, r.n-r.at)
	for i, c := range r.cols {
		if err := fill(cols[i], bindings.DataChunkGetVector(r.chunk, bindings.IdxT(i)), c.read, r.at, n); err != nil {
			return 0, fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	r.at += n
	return n, nil
}

// Next implements engine.Batches.
func (r *rows) Next(ctx context.Context) ([][]any, error) {
	return connector.NextOf(ctx, r, r.cols)
}

// Close ends the statement, which may be running.
func (r *rows) Close() error {
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
	r.s.close()
	return nil
}

func elem[T any](data unsafe.Pointer, i int) T {
	var zero T
	return *(*T)(unsafe.Add(data, uintptr(i)*unsafe.Sizeof(zero)))
}

// textAt returns the text of a string in a vector without copying it: up to 12 bytes are inlined in the element.
func textAt(data unsafe.Pointer, i int) []byte {
	p := unsafe.Add(data, i*16)
	n := *(*uint32)(p)
	if n <= 12 {
		return unsafe.Slice((*byte)(unsafe.Add(p, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(p, 8)), n)
}

// fill copies n values from row `from` of a vector to the beginning of another.
func fill(to engine.Vector, v bindings.Vector, read physical, from, n int) error {
	data, mask := bindings.VectorGetData(v), bindings.VectorGetValidity(v)
	for i := range n {
		k := from + i
		if mask != nil && !bindings.ValidityRowIsValid(mask, bindings.IdxT(k)) {
			to.Null(i)
			continue
		}
		var err error
		switch read {
		case asBool, asInt8:
			err = to.Int(i, int64(elem[int8](data, k)))
		case asInt16:
			err = to.Int(i, int64(elem[int16](data, k)))
		case asInt32:
			err = to.Int(i, int64(elem[int32](data, k)))
		case asInt64:
			err = to.Int(i, elem[int64](data, k))
		case asFloat:
			err = to.Float(i, float64(elem[float32](data, k)))
		case asDouble:
			err = to.Float(i, elem[float64](data, k))
		case asUUID:
			h := elem[[2]uint64](data, k) // low, high; the sign bit is inverted to preserve the order
			hi, lo := h[1]^(1<<63), h[0]
			var b [16]byte
			for j := range 8 {
				b[j], b[8+j] = byte(hi>>(56-8*j)), byte(lo>>(56-8*j))
			}
			err = to.Bytes(i, b[:])
		case asJSON:
			text := textAt(data, k)
			if !json.Valid(text) {
				return errors.New("a nested value contains NaN or an infinity, which JSON cannot represent")
			}
			err = to.Bytes(i, text)
		default:
			err = to.Bytes(i, textAt(data, k))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
