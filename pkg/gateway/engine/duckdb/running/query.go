//go:build cgo

package running

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/process"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/times"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Statements are the statements of a project.
type Statements struct {
	files *projects.Project
	all   *Common
}

// Common is what the statements of an engine have in common.
type Common struct {
	scans   sync.Map // *scanSet by scanOwner
	samples sync.Map // tables of the built-in catalog by name: *kept
}

// Of returns the statements of a project.
func (all *Common) Of(p *projects.Project) Statements { return Statements{p, all} }

// statement is one running statement: its connection, and what its tables are written as.
type statement struct {
	of     *engine.Statement
	p      Statements
	c      *instance.Conn // nil until connect
	t      *translation
	scans  *scanSet // nil until a name is read by a scan
	relays []*relay

	views   map[*engine.Relation]*translation
	scanned map[*engine.Relation]bool

	natively   bool // files may be read by DuckDB itself
	natives    map[*engine.Relation]*native
	chosen     map[nativeUse]bool
	nativeUsed bool // the text has such files
	rewrite    func(context.Context, *engine.Statement) (*translation, error)

	changes bool                    // its connection changes stored tables
	abort   context.CancelCauseFunc // if not nil, ends the statement with the connection
	leave   func()                  // ends the supervision by the process.Watch
	closed  bool
}

// statement begins a statement, which ends with ctx.
func (p Statements) statement(ctx context.Context, x *engine.Statement, write bool) (*statement, error) {
	if err := p.files.Memory.Admit(p.files.ID, x.Text); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, engine.Ended(ctx, nil)
	}
	s := &statement{of: x, p: p, changes: write, views: map[*engine.Relation]*translation{},
		scanned: map[*engine.Relation]bool{}, natives: map[*engine.Relation]*native{}, chosen: map[nativeUse]bool{}}
	return s, p.files.Known()
}

// connect opens the data of the project for a statement that needs them.
func (s *statement) connect(ctx context.Context) (*instance.Conn, error) {
	if s.c == nil {
		c, err := s.p.files.ConnFor(ctx, s.use())
		if err != nil {
			return nil, err
		}
		if s.abort != nil {
			c.OnKill(s.abort)
		}
		s.c, s.leave = c, s.p.files.Memory.Enter(ctx, &c.Client, s.of.Text)
	}
	return s.c, s.scans.join(ctx, s.c)
}

// use is what the statement needs the data of the project for.
func (s *statement) use() projects.Use {
	switch {
	case s.changes:
		return projects.Writing
	case slices.ContainsFunc(s.of.Reads(), func(r *engine.Relation) bool {
		return r.Base != nil && r.Base.Name.Catalog != engine.SampleCatalog
	}):
		return projects.Reading
	}
	return projects.Computing
}

// close ends the statement. It may be called again.
func (s *statement) close() {
	if s.closed {
		return
	}
	s.closed = true
	s.scans.close()
	for _, r := range s.relays {
		r.close()
	}
	s.closeNatives()
	if s.c != nil {
		s.c.Close()
		s.leave()
	}
}

// explain converts an error of the running statement.
func (s *statement) explain(err error) error {
	if err == nil || s.t == nil {
		return err
	}
	if e := s.scans.failure(); e != nil {
		return e
	}
	outdated := faults.Outdated(err)
	err = faults.Translated(err)
	if outdated {
		return errors.Join(err, engine.ErrOutdated)
	}
	return s.t.of.ExplainValue(err)
}

// Run plans and starts a statement.
func (p Statements) Run(ctx context.Context, x *engine.Statement) (_ engine.Rows, err error) {
	ctx, abort := context.WithCancelCause(ctx)
	cancel := func() { abort(nil) }
	s, err := p.statement(ctx, x, false)
	if err != nil {
		cancel()
		return nil, err
	}
	s.abort, s.natively, s.rewrite = abort, true, s.write
	r := &result{s: s, ctx: ctx, cancel: cancel, stop: func() {}}
	begun := false
	defer func() {
		if !begun { // an error, or a panic of a source
			_ = r.Close()
		}
	}()
	if s.t, err = s.write(ctx, x); err != nil {
		return nil, err
	}
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	r.stop = c.Watch(ctx)
	if err = s.retried(ctx, r.begin); err != nil && s.retreat(ctx) {
		err = s.retried(ctx, r.begin)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	begun = true
	return r, nil
}

// retried calls attempt, and again when it fails for a reason that passes.
func (s *statement) retried(ctx context.Context, attempt func() error) error {
	err := s.c.Patient(ctx, attempt)
	for range lostTries {
		if !errors.Is(err, instance.ErrLost) || s.scans != nil {
			break
		}
		err = s.c.Patient(ctx, attempt)
	}
	return err
}

// Check writes a statement for DuckDB. Nothing is run.
func (p Statements) Check(ctx context.Context, x *engine.Statement) error {
	s, err := p.statement(ctx, x, false)
	if err != nil {
		return err
	}
	defer s.close()
	_, err = s.write(ctx, x)
	return err
}

// begin prepares and starts the statement.
func (r *result) begin() error {
	s := r.s
	r.cols = nil
	r.dropPlan()
	s.scans.rewind()
	if r.alone { // again, after an error that may have left a transaction behind
		s.c.Unsettle()
	} else if ok, err := r.beginKept(); ok {
		return err
	}
	if err := s.prepareInTx(r.ctx, s.t.text, &r.ps); err != nil {
		return err
	}
	return r.start()
}

// dropPlan ends the execution of a plan, and destroys it unless the connection keeps it.
func (r *result) dropPlan() {
	bindings.DestroyResult(&r.res)
	if r.kept {
		r.ps, r.kept = bindings.PreparedStatement{}, false
	}
	bindings.DestroyPrepare(&r.ps)
}

// beginKept starts the statement by a plan that its connection has kept from an earlier one, or by one that it keeps
// from now on. A plan is right only for the state of the data that it was made in, see Conn.Begin: ok is false if the
// data may have changed since, and the statement must begin in a transaction.
func (r *result) beginKept() (ok bool, err error) {
	s := r.s
	state, quiet := s.c.Instance.State()
	if !quiet || s.scans != nil || s.t.of.Simple || s.c.Begun() {
		return false, nil
	}
	if r.ps, r.kept = s.c.Plan(s.t.text, state); !r.kept {
		if bindings.Prepare(s.c.Raw, s.t.text, &r.ps) == bindings.StateError {
			return true, s.c.Fault(r.ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(r.ps))
		}
		r.kept = s.c.KeepPlan(s.t.text, state, r.ps)
	}
	r.alone = true
	err = r.start()
	if now, quiet := s.c.Instance.State(); !quiet || now != state {
		s.c.Spend() // its plans are of the past
		r.dropPlan()
		r.cols = nil
		s.c.Unsettle()
		return false, nil
	}
	return true, err
}

// lostTries is how often a statement is run again for an error that was lost.
const lostTries = 3

// reason repeats a failed statement to find out its error; its rows are discarded. Statements that read sources are not
// repeated.
func (r *result) reason() error {
	if r.s.scans != nil {
		return instance.ErrLost
	}
	cols := r.cols
	defer func() { r.cols = cols }()
	for range lostTries {
		err := process.Uncrowded(r.begin())
		for err == nil {
			chunk := bindings.FetchChunk(r.res)
			if chunk.Ptr == nil {
				break
			}
			bindings.DestroyDataChunk(&chunk)
			err = r.ended(r.ctx)
		}
		if msg := bindings.ResultError(&r.res); err == nil && msg != "" {
			err = r.s.c.Fault(r.ctx, bindings.ResultErrorType(&r.res), msg)
		}
		if err != nil && !errors.Is(err, instance.ErrLost) {
			return err
		}
	}
	return instance.ErrLost
}

// prepareInTx plans a text in a transaction, in which it is then executed. Its values are in the text.
func (s *statement) prepareInTx(ctx context.Context, text string, ps *bindings.PreparedStatement) error {
	if err := s.c.Begin(ctx); err != nil {
		return err
	}
	if err := engine.Ended(ctx, nil); err != nil {
		return err
	}
	if s.t.of.Simple {
		s.c.Spend()
		if err := instance.RawExec(s.c.Raw, "PRAGMA disable_optimizer"); err != nil {
			return err
		}
	}
	if bindings.Prepare(s.c.Raw, text, ps) == bindings.StateError {
		return s.c.Fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(*ps))
	}
	return nil
}

// start runs the prepared statement as a stream.
func (r *result) start() error {
	if err := r.run(); err != nil {
		return err
	}
	return r.describe()
}

func (r *result) run() error {
	s := r.s
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPreparedStreaming(r.ps, &pending) == bindings.StateError {
		return s.c.Fault(r.ctx, bindings.ErrorTypeInvalid, bindings.PendingError(pending))
	}
	if bindings.ExecutePending(pending, &r.res) == bindings.StateError {
		return s.c.Fault(r.ctx, bindings.ResultErrorType(&r.res), bindings.ResultError(&r.res))
	}
	return nil
}

// describe returns the columns of a started statement with the names and types of the translation.
func (r *result) describe() error {
	x := r.s.t.of
	if n := int(bindings.ColumnCount(&r.res)); n != len(x.Columns) {
		return engine.Defect(fmt.Sprintf("the engine returned %d columns instead of %d", n, len(x.Columns)))
	}
	for i, c := range x.Columns {
		lt := bindings.ColumnLogicalType(&r.res, bindings.IdxT(i))
		t, err := values.TypeOf(lt)
		bindings.DestroyLogicalType(&lt)
		if err != nil {
			return &engine.Error{Kind: engine.KindUnsupported, Message: fmt.Sprintf("column '%s': %v", c.Name, err)}
		}
		t.As(c.Type)
		name := r.s.t.zone(i)
		if name != "" {
			zone, ok := times.Location(name)
			if !ok {
				return engine.Defect("no time zone " + name)
			}
			t.ShownIn(zone)
		}
		r.cols = append(r.cols, engine.RowColumn{TableColumn: analyze.TableColumn{Name: c.Name, Type: c.Type,
			Zone: name}, Layout: t})
	}
	return nil
}
