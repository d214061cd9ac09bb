//go:build cgo

package running

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/wire"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// own runs statements in DuckDB's own SQL, as they are: rows and types that no translated statement has at will.
type own struct{ project }

// start starts a statement, in DuckDB's own SQL for own.
func start(ctx context.Context, p engine.Project, q sql.Query) (*wire.Result, error) {
	if o, ok := p.(own); ok {
		return o.Query(ctx, q)
	}
	return sql.Run(ctx, p, q)
}

// Query starts q.SQL.
func (p own) Query(ctx context.Context, q sql.Query) (_ *wire.Result, err error) {
	over := func() {}
	if q.Timeout > 0 {
		ctx, over = context.WithTimeoutCause(ctx, q.Timeout, &engine.Error{Kind: engine.KindTimeout,
			Message: "exceeded the maximum run time limit", Err: context.DeadlineExceeded})
	}
	ctx, abort := context.WithCancelCause(ctx)
	cancel := func() { abort(nil); over() }
	x := &engine.Statement{Text: q.SQL}
	s, err := p.statement(ctx, x, false)
	if err != nil {
		cancel()
		return nil, err
	}
	s.abort = abort
	if _, err := s.connect(ctx); err != nil {
		cancel()
		return nil, err
	}
	s.t = &translation{of: x, text: q.SQL}
	r := &result{s: s, ctx: ctx, cancel: cancel, stop: s.c.Watch(ctx)}
	defer func() {
		if err != nil {
			err = s.explain(err)
			_ = r.Close()
		}
	}()
	if err := s.prepareInTx(ctx, s.t.text, &r.ps); err != nil {
		return nil, err
	}
	if err := r.run(); err != nil {
		return nil, err
	}
	for i := range bindings.ColumnCount(&r.res) {
		lt := bindings.ColumnLogicalType(&r.res, i)
		t, err := values.TypeOf(lt)
		bindings.DestroyLogicalType(&lt)
		if err != nil {
			return nil, &engine.Error{Kind: engine.KindUnsupported, Message: err.Error()}
		}
		name := bindings.ColumnName(&r.res, i)
		t.Bigint = t.Layout == batch.Int128
		r.cols = append(r.cols, engine.RowColumn{TableColumn: analyze.TableColumn{Name: name,
			Type: types.Of(types.Varchar)}, Layout: t})
		// for a statement that is repeated to find out its error
		x.Columns = append(x.Columns, analyze.Column{Name: name, Type: types.Of(types.Varchar)})
	}
	return wire.NewResult(r, make([]engine.TableName, len(r.cols))), nil
}
