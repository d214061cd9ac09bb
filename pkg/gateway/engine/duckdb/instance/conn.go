//go:build cgo

package instance

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
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/process"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Conn is one connection of a project's instance, for the use of one request and one goroutine at a time.
type Conn struct {
	Client   process.Client
	Instance *Instance
	Done     func()       // called once it is closed
	Alone    func(func()) // calls a function unless another connection uses the instance; none can begin to meanwhile

	Raw    bindings.Connection
	handle *handle
	once   sync.Once
	inTx   bool
	writes bool // see Changes

	stuck error // of a failed ROLLBACK

	mu     sync.Mutex
	spent  bool // see Spend
	killed error
	cancel context.CancelFunc      // ends the running statement
	abort  context.CancelCauseFunc // ends the sending of its result as well
}

// Connect opens a connection; close it.
func (in *Instance) Connect() (*Conn, error) {
	c := &Conn{Instance: in, handle: in.pool.take()}
	if c.handle == nil {
		c.handle = &handle{}
		if bindings.Connect(in.db, &c.handle.raw) == bindings.StateError {
			return nil, errors.New("the engine rejected a connection")
		}
		c.handle.id = idOf(c.handle.raw)
	}
	c.Raw = c.handle.raw
	c.Client = process.Client{Project: filepath.Base(in.dir), Instance: in, Kill: c.Kill}
	return c, nil
}

// Close returns the connection. An open transaction is rolled back.
func (c *Conn) Close() {
	c.once.Do(func() {
		c.Instance.refusals.Forget(c.ID)
		if c.Rollback(); c.reusable() {
			c.Instance.pool.put(c.handle)
		} else {
			c.handle.close()
		}
		if c.writes {
			c.Instance.states.writers.Add(-1)
		}
		if c.Done != nil {
			c.Done()
		}
	})
}

// Kill ends the running statement, with the given cause.
func (c *Conn) Kill(cause error) {
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

// OnKill makes kill cancel a context too.
func (c *Conn) OnKill(abort context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.abort = abort; c.killed != nil {
		abort(c.killed)
	}
}

// ErrLost replaces an error that DuckDB has lost. The thread in which a statement fails interrupts the others, and
// sometimes the interruption is reported as the result.
var ErrLost = &engine.Error{Kind: engine.KindInternal,
	Message: "a part of the statement failed, and the engine did not say why; run it again to see the reason"}

// Fault converts an error of DuckDB and marks the instance if it has become unusable.
func (c *Conn) Fault(ctx context.Context, typ bindings.ErrorType, text string) error {
	c.Spend()
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
		return ErrLost
	}
	d := faults.Parse(text, typ == bindings.ErrorTypeFatal)
	if d.Fatal() {
		c.Instance.Broken.Store(true) // it is opened again before its next use
	}
	if d.NoMemory() && !d.InCommit() {
		if err := c.Instance.Memory.Crowds(&c.Client, d); err != nil {
			return err
		}
	}
	return d.DamagedBy(c.Instance.dataFile())
}

// Watch interrupts the connection from the moment ctx ends until stop is called. stop returns after the last interrupt.
func (c *Conn) Watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.cancel = cancel
	if c.killed != nil {
		cancel()
	}
	c.mu.Unlock()
	done, ended := make(chan struct{}), make(chan struct{})
	unwatch := safely.AfterContext(ctx, func() {
		defer close(ended)
		c.Spend()
		// DuckDB forgets an interrupt that arrives just before a statement starts, so it is repeated.
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			bindings.Interrupt(c.Raw)
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
			if !unwatch() {
				close(done)
				<-ended
			}
			c.mu.Lock()
			c.cancel = nil
			c.mu.Unlock()
			cancel()
		})
	}
}

// Exec runs one statement with its ? bound in order and returns the number of rows changed. Arguments may be nil,
// string, []byte, bool, int, int64 and float64.
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	var n int64
	err := c.run(ctx, sql, args, func(res *bindings.Result) error {
		n = int64(bindings.RowsChanged(res))
		return nil
	})
	return n, err
}

// Query runs one statement and calls row for each row with the values as DuckDB casts them to text; nil is NULL. The
// slice and the texts may be kept.
func (c *Conn) Query(ctx context.Context, sql string, args []any, row func(v []*string) error) error {
	return c.run(ctx, sql, args, func(res *bindings.Result) error {
		cols := int(bindings.ColumnCount(res))
		for {
			chunk := bindings.FetchChunk(*res)
			if chunk.Ptr == nil {
				if msg := bindings.ResultError(res); msg != "" {
					return process.Uncrowded(c.Fault(ctx, bindings.ResultErrorType(res), msg)) // rows were passed on
				}
				return nil
			}
			err := values.TextRows(chunk, cols, row)
			bindings.DestroyDataChunk(&chunk)
			if err != nil {
				return err
			}
		}
	})
}

// run prepares, binds and executes one statement. The text is the engine's own or was checked by the guard: DuckDB
// would execute every statement before the last while preparing.
func (c *Conn) run(ctx context.Context, sql string, args []any, use func(*bindings.Result) error) error {
	if c.inTx { // which the error ends
		return c.runOnce(ctx, sql, args, use)
	}
	return c.Patient(ctx, func() error { return c.runOnce(ctx, sql, args, use) })
}

func (c *Conn) runOnce(ctx context.Context, sql string, args []any, use func(*bindings.Result) error) error {
	if err := ctx.Err(); err != nil {
		return engine.Ended(ctx, nil)
	}
	stop := c.Watch(ctx)
	defer stop()
	var st bindings.PreparedStatement
	defer bindings.DestroyPrepare(&st)
	if bindings.Prepare(c.Raw, sql, &st) == bindings.StateError {
		return c.Fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(st))
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
		return c.Fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
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

// Begin opens a transaction; one that is still open is rolled back.
//
// Every statement that reads stored tables is prepared and executed in one. DuckDB plans by the smallest and largest
// values that the columns hold at that moment: it packs short texts into numbers and leaves out conditions that are
// always true. Outside of a transaction it executes the plan on the rows of a later moment, and rows added in between
// are returned with wrong values.
func (c *Conn) Begin(ctx context.Context) error {
	c.Rollback()
	if c.inTx {
		return c.Fault(ctx, bindings.ErrorTypeInvalid, c.stuck.Error())
	}
	h := c.handle
	if h.begin.Ptr == nil && (bindings.Prepare(h.raw, `BEGIN TRANSACTION`, &h.begin) == bindings.StateError ||
		bindings.Prepare(h.raw, `ROLLBACK`, &h.rollback) == bindings.StateError) {
		bindings.DestroyPrepare(&h.begin) // for lack of memory
		bindings.DestroyPrepare(&h.rollback)
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	c.inTx = true // also if it fails, for lack of memory for its result
	if execute(h.raw, h.begin, `BEGIN TRANSACTION`, &res) == bindings.StateError {
		c.Rollback()
		return c.Fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
	}
	return nil
}

// Rollback takes no context, because a cancelled one may be the reason for it. Where it fails, for lack of memory,
// begin or close repeats it.
func (c *Conn) Rollback() {
	if c.inTx {
		var res bindings.Result
		defer bindings.DestroyResult(&res)
		c.stuck = nil
		if execute(c.Raw, c.handle.rollback, `ROLLBACK`, &res) == bindings.StateError {
			c.stuck = faultOf(&res)
		}
		c.inTx = c.stuck != nil && !faults.NoTransaction(c.stuck)
	}
}

// Begun reports whether a transaction is open.
func (c *Conn) Begun() bool { return c.inTx }

// Unsettle has the next Begin roll back what a statement may have left that ran without Begin.
func (c *Conn) Unsettle() { c.inTx = true }

// A change that got no memory to be undone is undone again.
const (
	rollbackTries = 8
	rollbackWait  = 50 * time.Millisecond
)

func (c *Conn) Commit(ctx context.Context) error {
	_, err := c.Exec(ctx, `COMMIT`)
	if err == nil {
		c.inTx = false
		return nil
	}
	c.Rollback()
	var d *faults.Error
	if !errors.As(err, &d) || !d.NoMemory() {
		return err
	}
	// Without memory it fails before, and is undone, or afterwards, for its result.
	for n := 1; n < rollbackTries && c.inTx; n++ {
		time.Sleep(rollbackWait)
		c.Rollback()
	}
	switch {
	case c.inTx || d.InCommit(): // DuckDB keeps what it could neither store nor undo
		c.Instance.Broken.Store(true) // it is opened again before its next use
		return &engine.Error{Kind: engine.KindInternal, Message: "whether the change is stored is not known: " +
			d.Message, Err: d}
	case faults.NoTransaction(c.stuck):
		return nil
	}
	return err
}

// Tx runs fn in a transaction, which may write to one attached database only (DuckDB's rule). fn may be called again,
// after what it did was rolled back.
func (c *Conn) Tx(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return engine.Ended(ctx, nil)
	}
	return c.Patient(ctx, func() error {
		defer c.Reserve()()
		return c.attempt(ctx, fn, c.Commit)
	})
}

// attempt runs fn in a transaction that end ends.
func (c *Conn) attempt(ctx context.Context, fn func() error, end func(context.Context) error) error {
	if err := c.Begin(ctx); err != nil {
		return err
	}
	if err := fn(); err != nil {
		c.Rollback()
		return err
	}
	return end(ctx)
}

// Snapshot runs fn, which only reads, in the transaction that is open, or in one of its own.
func (c *Conn) Snapshot(ctx context.Context, fn func() error) error {
	if c.inTx {
		return fn()
	}
	return c.Patient(ctx, func() error {
		return c.attempt(ctx, fn, func(context.Context) error { c.Rollback(); return nil })
	})
}

// Refused returns the error of a function that rejected a call of the connection.
func (c *Conn) Refused() error { return c.Instance.refusals.Of(c.ID) }

// RawExec runs a statement of the engine without parameters.
func RawExec(c bindings.Connection, sql string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(c, sql, &res) == bindings.StateError {
		return faultOf(&res)
	}
	return nil
}

func faultOf(res *bindings.Result) error {
	return faults.Parse(bindings.ResultError(res), bindings.ResultErrorType(res) == bindings.ErrorTypeFatal)
}
