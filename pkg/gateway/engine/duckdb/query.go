//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

var _ engine.Project = (*project)(nil)

// statement is one request: its connection and the definitions of its names.
type statement struct {
	trino.Session
	p    *project
	c    *conn
	t    *translation
	seen map[engine.TableName]bool

	weights map[engine.TableName]int            // number of saved queries that a name expands to
	doubled map[engine.TableName]naming.Columns // saved queries with two columns of one name
	scans   *scanSet                            // nil until a name is read by a scan
	relays  []*relay

	under map[engine.TableName]engine.TableName // names of tables in the statement, where they differ from those that users write
	views []*view                               // that are in use until the statement ends

	leave func() // ends the supervision by the memoryWatch
}

// statement begins a statement, which ends with ctx.
func (p *project) statement(ctx context.Context, q engine.Query) (*statement, error) {
	return p.statementOn(ctx, q, false)
}

func (p *project) statementOn(ctx context.Context, q engine.Query, write bool) (*statement, error) {
	if err := p.memory.admit(p.id, q.SQL); err != nil {
		return nil, err
	}
	c, err := p.connFor(ctx, write)
	if err != nil {
		return nil, err
	}
	s := &statement{Session: trino.NewSession(q, p.session), leave: p.memory.enter(ctx, c, q.SQL), p: p, c: c, seen: map[engine.TableName]bool{}, weights: map[engine.TableName]int{},
		doubled: map[engine.TableName]naming.Columns{}, under: map[engine.TableName]engine.TableName{}}
	s.Store = s
	return s, nil
}

// close ends the statement. It may be called again.
func (s *statement) close() {
	if s.leave == nil {
		return
	}
	s.scans.close()
	for _, r := range s.relays {
		r.close()
	}
	s.c.close()
	s.leave()
	s.leave = nil
	s.c.in.names.free(s.views)
	s.views = nil
}

// explain converts an error of the running statement.
func (s *statement) explain(err error) error {
	if err == nil || s.t == nil {
		return err
	}
	if e := s.scans.failure(); e != nil {
		return e
	}
	return s.t.explain(err)
}

// deadline applies the time limit of a statement.
func deadline(ctx context.Context, q engine.Query) (context.Context, context.CancelFunc) {
	if q.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, q.Timeout, &engine.Error{
		Kind:    engine.KindTimeout,
		Message: fmt.Sprintf("Query exceeded the maximum run time limit of %.2fs", q.Timeout.Seconds()),
		Err:     context.DeadlineExceeded,
	})
}

// Query checks, plans and starts one SELECT.
func (p *project) Query(ctx context.Context, q engine.Query) (_ engine.Result, err error) {
	if q, err = trino.Asked(q); err != nil {
		return nil, err
	}
	ctx, over := deadline(ctx, q)
	ctx, abort := context.WithCancelCause(ctx)
	cancel := func() { abort(nil); over() }
	s, err := p.statement(ctx, q)
	if err != nil {
		cancel()
		return nil, err
	}
	s.c.onKill(abort)
	r := &result{s: s, ctx: ctx, cancel: cancel, stop: func() {}}
	begun := false
	defer func() {
		if !begun { // an error, or a panic of a source
			_ = r.Close()
		}
	}()
	if s.t, err = s.translate(ctx, q.SQL, q.Dialect, false); err != nil {
		return nil, err
	}
	r.stop = s.c.watch(ctx)
	err = s.retry(r.begin)
	for range lostTries { // a table was replaced between the translation and the plan
		if s.t.trino == nil || !faults.Outdated(err) {
			break
		}
		if s.t, err = s.again(ctx, q.SQL, q.Dialect, false); err != nil {
			return nil, err
		}
		err = s.retry(r.begin)
	}
	for range lostTries {
		if !errors.Is(err, errLost) || s.scans != nil {
			break
		}
		err = r.begin(r.guess)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	begun = true
	return r, nil
}

// again translates a statement once more, resolving its names again.
func (s *statement) again(ctx context.Context, sql, dialect string, named bool) (*translation, error) {
	s.c.rollback()
	s.Forget()
	return s.translate(ctx, sql, dialect, named)
}

// retry runs a plan again with guessed types of parameters if DuckDB found none, as in price * ?.
func (s *statement) retry(plan func(guess bool) error) error {
	err := plan(false)
	var d *faults.Error
	if s.t.params > 0 && errors.As(err, &d) && d.Type == "Binder" {
		if plan(true) == nil {
			return nil
		}
	}
	return err
}

// begin prepares, binds and starts the statement.
func (r *result) begin(guess bool) error {
	s := r.s
	r.guess, r.cols = guess, nil
	bindings.DestroyPrepare(&r.ps)
	bindings.DestroyResult(&r.res)
	if err := s.prepareInTx(r.ctx, &r.ps, guess); err != nil {
		return err
	}
	return r.start()
}

// lostTries is how often a statement is run again for an error that was lost.
const lostTries = 3

// reason repeats a failed statement to find out its error; its rows are discarded. Statements that read sources are not repeated.
func (r *result) reason() error {
	if r.s.scans != nil {
		return errLost
	}
	cols := r.cols
	defer func() { r.cols = cols }()
	for range lostTries {
		err := r.begin(r.guess)
		for err == nil {
			chunk := bindings.FetchChunk(r.res)
			if chunk.Ptr == nil {
				break
			}
			bindings.DestroyDataChunk(&chunk)
			err = r.ended(r.ctx)
		}
		if msg := bindings.ResultError(&r.res); err == nil && msg != "" {
			err = r.s.c.fault(r.ctx, bindings.ResultErrorType(&r.res), msg)
		}
		if err != nil && !errors.Is(err, errLost) {
			return err
		}
	}
	return errLost
}

// prepareInTx prepares the statement in a transaction, in which it is then executed.
func (s *statement) prepareInTx(ctx context.Context, ps *bindings.PreparedStatement, guess bool) error {
	if err := s.c.begin(ctx); err != nil {
		return err
	}
	return s.prepare(ctx, s.t.Text, ps, guess)
}

// start runs the prepared statement as a stream.
func (r *result) start() error {
	s := r.s
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPreparedStreaming(r.ps, &pending) == bindings.StateError {
		return s.c.fault(r.ctx, bindings.ErrorTypeInvalid, bindings.PendingError(pending))
	}
	if bindings.ExecutePending(pending, &r.res) == bindings.StateError {
		return s.c.fault(r.ctx, bindings.ResultErrorType(&r.res), bindings.ResultError(&r.res))
	}
	return r.describe()
}

// prepare plans a text and binds the values of the request.
func (s *statement) prepare(ctx context.Context, text string, ps *bindings.PreparedStatement, guess bool) error {
	if err := faults.Ended(ctx, nil); err != nil {
		return err
	}
	if s.t.trino != nil { // its values are in the text
		if s.t.trino.Plain {
			if err := rawExec(s.c.c, "PRAGMA disable_optimizer"); err != nil {
				return err
			}
		}
		if bindings.Prepare(s.c.c, text, ps) == bindings.StateError {
			return s.c.fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(*ps))
		}
		return nil
	}
	if n := s.t.params; n != len(s.Q.Bindings) {
		return &engine.Error{Kind: engine.KindBinding, Message: fmt.Sprintf("Incorrect number of parameters: expected %d but found %d", n, len(s.Q.Bindings))}
	}
	if bindings.Prepare(s.c.c, text, ps) == bindings.StateError {
		return s.c.fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(*ps))
	}
	return s.bind(*ps, guess)
}

// describe reads the columns of a started statement.
func (r *result) describe() error {
	if r.s.t.trino != nil {
		return r.describeTrino(r.s.t.trino)
	}
	origins := r.s.t.tree.Origins(int(bindings.ColumnCount(&r.res)))
	for i := range bindings.ColumnCount(&r.res) {
		lt := bindings.ColumnLogicalType(&r.res, i)
		t, err := newType(lt, r.s.Q.Dialect)
		bindings.DestroyLogicalType(&lt)
		name := naming.ColumnName(bindings.ColumnName(&r.res, i))
		if err != nil {
			return &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf("column '%s': %v", name, err)}
		}
		o := origins[i]
		r.cols = append(r.cols, column{api.ResultColumn{CatalogName: o.Catalog, SchemaName: o.Schema, TableName: o.Table, Name: name,
			DisplayName: name, DataType: t.name}, t})
	}
	return nil
}

// describeTrino returns the columns of a started statement with the names and types of the translation.
func (r *result) describeTrino(x *trino.Text) error {
	if n := int(bindings.ColumnCount(&r.res)); n != len(x.Columns) {
		return faults.Internal(fmt.Sprintf("the engine returned %d columns instead of %d", n, len(x.Columns)))
	}
	for i, c := range x.Columns {
		lt := bindings.ColumnLogicalType(&r.res, bindings.IdxT(i))
		t, err := newType(lt, "")
		bindings.DestroyLogicalType(&lt)
		if err != nil {
			return &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf("column '%s': %v", c.Name, err)}
		}
		t.overlay(c.Type)
		if x.Printed != nil && x.Printed.Zones != nil && x.Printed.Zones[i] != "" {
			zone, ok := times.Location(x.Printed.Zones[i])
			if !ok {
				return faults.Internal("no time zone " + x.Printed.Zones[i])
			}
			t.shownIn(zone)
		}
		o := x.Origins[i]
		r.cols = append(r.cols, column{api.ResultColumn{CatalogName: o.Catalog, SchemaName: o.Schema, TableName: o.Table, Name: c.Name,
			DisplayName: c.Name, DataType: t.name}, t})
	}
	return nil
}
