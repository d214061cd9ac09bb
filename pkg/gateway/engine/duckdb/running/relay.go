//go:build cgo

package running

import (
	"context"
	"errors"
	"io"
	"unsafe"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// relay is the Scanner of a table of another project. Its values are copied from the vectors of that statement to those
// of the scan, which therefore has the types of DuckDB that they have there.
type relay struct {
	src   engine.Relay
	table *analyze.Table
	cols  []engine.ColumnInfo
	types []bindings.LogicalType // by column
}

// newRelay finds out the types of the columns of a table of another project.
func (s *statement) newRelay(ctx context.Context, x *engine.Relation) (*relay, error) {
	res, err := runRelay(ctx, x.Relay, nil)
	if err != nil {
		if end := engine.Ended(ctx, nil); end != nil {
			return nil, end
		}
		return nil, engine.SourceError(x.Shown, err)
	}
	defer res.Close()
	if len(res.cols) != len(x.Table.Columns) {
		return nil, engine.ErrOutdated
	}
	r := &relay{src: x.Relay, table: x.Table, cols: x.Infos}
	for i := range r.table.Columns {
		r.types = append(r.types, bindings.ColumnLogicalType(&res.res, bindings.IdxT(i)))
	}
	s.relays = append(s.relays, r)
	return r, nil
}

func runRelay(ctx context.Context, src engine.Relay, columns []string) (*result, error) {
	res, err := src.Run(ctx, columns)
	if err != nil {
		return nil, err
	}
	own, ok := engine.Innermost(res).(*result)
	if !ok {
		return nil, errors.Join(engine.Defect("a relayed statement has run in another engine"), res.Close())
	}
	return own, nil
}

func (r *relay) close() {
	for i := range r.types {
		bindings.DestroyLogicalType(&r.types[i])
	}
}

// Describe implements engine.Described.
func (r *relay) Describe() string { return "a semantic table of another project" }

// Columns implements engine.Scanner.
func (r *relay) Columns(context.Context) ([]engine.ColumnInfo, error) { return r.cols, nil }

// Scan implements engine.Scanner. It leaves the filters, and thus the limit, to the engine.
func (r *relay) Scan(ctx context.Context, req engine.ScanRequest) (engine.Batches, error) {
	res, err := runRelay(ctx, r.src, append([]string{}, req.Columns...))
	if err != nil {
		return nil, err
	}
	if n := len(res.cols); len(req.Columns) > n {
		return nil, errors.Join(engine.Defect("a relayed statement lacks columns"), res.Close())
	}
	n := bindings.VectorSize()
	rows := &relayed{res: res, unfollow: res.follow(ctx), all: bindings.CreateSelectionVector(n)}
	all := unsafe.Slice(bindings.SelectionVectorGetDataPtr(rows.all), int(n))
	for i := range all {
		all[i] = bindings.SelT(i)
	}
	return rows, nil
}

// relayed are the rows of a running statement of another project.
type relayed struct {
	res      *result
	unfollow func() bool
	all      bindings.SelectionVector
}

var _ engine.Filler = (*relayed)(nil)

// Fill implements engine.Filler. A chunk has at most n rows, the size of all vectors of DuckDB.
func (r *relayed) Fill(ctx context.Context, cols []engine.Vector, _ int) (int, error) {
	for {
		chunk, ok, err := r.res.next(ctx)
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, io.EOF
		}
		n := bindings.DataChunkGetSize(chunk)
		for i, c := range cols {
			bindings.VectorCopySel(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)), c.(*values.Writer).V,
				r.all, n, 0, 0)
		}
		bindings.DestroyDataChunk(&chunk)
		if n > 0 {
			return int(n), nil
		}
	}
}

// Next implements engine.Batches, whose users call Fill where it exists.
func (r *relayed) Next(context.Context) ([][]any, error) {
	return nil, engine.Defect("the rows of a relayed statement exist only as vectors")
}

// Close ends the statement.
func (r *relayed) Close() error {
	r.unfollow()
	bindings.DestroySelectionVector(&r.all)
	return r.res.Close()
}
