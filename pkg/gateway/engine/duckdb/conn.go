//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// conn is one connection of a project's instance, for the use of one request and one goroutine at a time.
type conn struct {
	p    *project
	in   *instance
	c    bindings.Connection
	once sync.Once
	inTx bool

	stuck error // of a failed ROLLBACK

	mu     sync.Mutex
	killed error
	cancel context.CancelFunc      // ends the running statement
	abort  context.CancelCauseFunc // ends the sending of its result as well
}

// conn opens a connection for statements that read; close it. Names without catalog are looked up in "peaka"."table";
// Trino's functions shadow DuckDB's only on connections made by Query.
func (p *project) conn(ctx context.Context) (*conn, error) { return p.connFor(ctx, false) }

// writer opens a connection for statements that change the stored tables.
func (p *project) writer(ctx context.Context) (*conn, error) { return p.connFor(ctx, true) }

func (p *project) connFor(ctx context.Context, write bool) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, engine.Ended(ctx, nil)
	}
	in, err := p.acquire(ctx, write)
	if err != nil {
		return nil, err
	}
	c := &conn{p: p, in: in}
	if bindings.Connect(in.db, &c.c) == bindings.StateError {
		p.release(in, c)
		return nil, errors.New("the engine rejected a connection")
	}
	p.mu.Lock()
	in.conns[c] = struct{}{}
	p.mu.Unlock()
	return c, nil
}

// close returns the connection. An open transaction is rolled back.
func (c *conn) close() {
	c.once.Do(func() {
		c.in.refusals.forget(c)
		bindings.Disconnect(&c.c)
		c.p.release(c.in, c)
	})
}

// kill ends the running statement, with the given cause.
func (c *conn) kill(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = cause
	if c.cancel != nil {
		c.cancel()
	}
	if c.abort != nil {
		c.abort(cause)
	}
}

// onKill makes kill cancel a context too.
func (c *conn) onKill(abort context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.abort = abort; c.killed != nil {
		abort(c.killed)
	}
}

// errLost replaces an error that DuckDB has lost. The thread in which a statement fails interrupts the others, and
// sometimes the interruption is reported as the result.
var errLost = &engine.Error{Kind: engine.KindInternal,
	Message: "a part of the statement failed, and the engine did not say why; run it again to see the reason"}

// fault converts an error of DuckDB and marks the instance if it has become unusable.
func (c *conn) fault(ctx context.Context, typ bindings.ErrorType, text string) error {
	c.mu.Lock()
	killed := c.killed
	c.mu.Unlock()
	if killed != nil {
		return killed
	}
	if typ == bindings.ErrorTypeInterrupt || ctx.Err() != nil {
		if err := engine.Ended(ctx, nil); err != nil {
			return err
		}
	}
	if typ == bindings.ErrorTypeInterrupt {
		return errLost
	}
	d := faults.Parse(text, typ == bindings.ErrorTypeFatal)
	if d.Fatal() {
		c.p.spoil(c.in)
	}
	if d.NoMemory() && !d.InCommit() {
		if by := c.p.memory.crowds(c, d); by != nil {
			return &crowded{d, by}
		}
	}
	return d.DamagedBy(filepath.Join(c.p.dir, sharing.DataFile))
}

// spoil has the project opened again before its next use.
func (p *project) spoil(in *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in.broken = true
}

// watch interrupts the connection from the moment ctx ends until stop is called. stop returns after the last interrupt.
func (c *conn) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.cancel = cancel
	if c.killed != nil {
		cancel()
	}
	c.mu.Unlock()
	done, ended := make(chan struct{}), make(chan struct{})
	safely.Go(func() {
		defer close(ended)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		// DuckDB forgets an interrupt that arrives just before a statement starts, so it is repeated.
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			bindings.Interrupt(c.c)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	var once sync.Once
	return func() {
		once.Do(func() {
			close(done)
			<-ended
			c.mu.Lock()
			c.cancel = nil
			c.mu.Unlock()
			cancel()
		})
	}
}

// exec runs one statement with its ? bound in order and returns the number of rows changed. Arguments may be nil,
// string, []byte, bool, int, int64 and float64.
func (c *conn) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	var n int64
	err := c.run(ctx, sql, args, func(res *bindings.Result) error {
		n = int64(bindings.RowsChanged(res))
		return nil
	})
	return n, err
}

// query runs one statement and calls row for each row with the values as DuckDB casts them to text; nil is NULL. The
// slice and the texts may be kept.
func (c *conn) query(ctx context.Context, sql string, args []any, row func(v []*string) error) error {
	return c.run(ctx, sql, args, func(res *bindings.Result) error {
		cols := int(bindings.ColumnCount(res))
		for {
			chunk := bindings.FetchChunk(*res)
			if chunk.Ptr == nil {
				if msg := bindings.ResultError(res); msg != "" {
					return uncrowded(c.fault(ctx, bindings.ResultErrorType(res), msg)) // rows were passed on
				}
				return nil
			}
			err := textRows(chunk, cols, row)
			bindings.DestroyDataChunk(&chunk)
			if err != nil {
				return err
			}
		}
	})
}

// run prepares, binds and executes one statement. The text is the engine's own or was checked by the guard: DuckDB
// would execute every statement before the last while preparing.
func (c *conn) run(ctx context.Context, sql string, args []any, use func(*bindings.Result) error) error {
	if c.inTx { // which the error ends
		return c.runOnce(ctx, sql, args, use)
	}
	return c.patient(ctx, func() error { return c.runOnce(ctx, sql, args, use) })
}

func (c *conn) runOnce(ctx context.Context, sql string, args []any, use func(*bindings.Result) error) error {
	if err := ctx.Err(); err != nil {
		return engine.Ended(ctx, nil)
	}
	stop := c.watch(ctx)
	defer stop()
	var st bindings.PreparedStatement
	defer bindings.DestroyPrepare(&st)
	if bindings.Prepare(c.c, sql, &st) == bindings.StateError {
		return c.fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(st))
	}
	if n := int(bindings.NParams(st)); n != len(args) {
		return fmt.Errorf("statement has %d parameters, %d values were given", n, len(args))
	}
	for i, a := range args {
		if err := bindArg(st, bindings.IdxT(i+1), a); err != nil {
			return err
		}
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.ExecutePrepared(st, &res) == bindings.StateError {
		return c.fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
	}
	return use(&res)
}

func bindArg(st bindings.PreparedStatement, i bindings.IdxT, a any) error {
	var state bindings.State
	switch v := a.(type) {
	case nil:
		state = bindings.BindNull(st, i)
	case string:
		state = bindings.BindVarchar(st, i, v)
		if strings.ContainsRune(v, 0) {
			state = bindings.BindVarcharLength(st, i, v, bindings.IdxT(len(v)))
		}
	case []byte:
		state = bindings.BindBlob(st, i, v)
	case bool:
		state = bindings.BindBoolean(st, i, v)
	case int:
		state = bindings.BindInt64(st, i, int64(v))
	case int64:
		state = bindings.BindInt64(st, i, v)
	case float64:
		state = bindings.BindDouble(st, i, v)
	default:
		return fmt.Errorf("cannot bind a %T", a)
	}
	if state == bindings.StateError {
		return fmt.Errorf("the engine rejected parameter %d", i)
	}
	return nil
}

// begin opens a transaction; one that is still open is rolled back.
//
// Every statement that reads stored tables is prepared and executed in one. DuckDB plans by the smallest and largest
// values that the columns hold at that moment: it packs short texts into numbers and leaves out conditions that are
// always true. Outside of a transaction it executes the plan on the rows of a later moment, and rows added in between
// are returned with wrong values.
func (c *conn) begin(ctx context.Context) error {
	c.rollback()
	if c.inTx {
		return c.fault(ctx, bindings.ErrorTypeInvalid, c.stuck.Error())
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	c.inTx = true // also if it fails, for lack of memory for its result
	if bindings.Query(c.c, `BEGIN TRANSACTION`, &res) == bindings.StateError {
		c.rollback()
		return c.fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
	}
	return nil
}

// rollback takes no context, because a cancelled one may be the reason for it. Where it fails, for lack of memory,
// begin or close repeats it.
func (c *conn) rollback() {
	if c.inTx {
		c.stuck = rawExec(c.c, `ROLLBACK`)
		c.inTx = c.stuck != nil && !faults.NoTransaction(c.stuck)
	}
}

func (c *conn) commit(ctx context.Context) error {
	_, err := c.exec(ctx, `COMMIT`)
	if err == nil {
		c.inTx = false
		return nil
	}
	c.rollback()
	var d *faults.Error
	if !errors.As(err, &d) || !d.NoMemory() {
		return err
	}
	// Without memory it fails before, and is undone, or afterwards, for its result.
	for n := 1; n < crowdedTries && c.inTx; n++ {
		time.Sleep(crowdedWait)
		c.rollback()
	}
	switch {
	case c.inTx || d.InCommit(): // DuckDB keeps what it could neither store nor undo
		c.p.spoil(c.in)
		return &engine.Error{Kind: engine.KindInternal, Message: "whether the change is stored is not known: " +
			d.Message, Err: d}
	case faults.NoTransaction(c.stuck):
		return nil
	}
	return err
}

// tx runs fn in a transaction, which may write to one attached database only (DuckDB's rule). fn may be called again,
// after what it did was rolled back.
func (c *conn) tx(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return engine.Ended(ctx, nil)
	}
	return c.patient(ctx, func() error {
		defer c.reserve()()
		return c.attempt(ctx, fn, c.commit)
	})
}

// attempt runs fn in a transaction that end ends.
func (c *conn) attempt(ctx context.Context, fn func() error, end func(context.Context) error) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	if err := fn(); err != nil {
		c.rollback()
		return err
	}
	return end(ctx)
}

// snapshot runs fn, which only reads, in the transaction that is open, or in one of its own.
func (c *conn) snapshot(ctx context.Context, fn func() error) error {
	if c.inTx {
		return fn()
	}
	return c.patient(ctx, func() error {
		return c.attempt(ctx, fn, func(context.Context) error { c.rollback(); return nil })
	})
}

// rawExec runs a statement of the engine without parameters.
func rawExec(c bindings.Connection, sql string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(c, sql, &res) == bindings.StateError {
		return faults.Parse(bindings.ResultError(&res), bindings.ResultErrorType(&res) == bindings.ErrorTypeFatal)
	}
	return nil
}
