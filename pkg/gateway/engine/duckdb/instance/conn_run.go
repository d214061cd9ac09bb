//go:build cgo

package instance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Stream runs a SELECT of the engine and passes on its chunks as they are computed.
func (c *Conn) Stream(ctx context.Context, sql string, use func(bindings.DataChunk) error) error {
	stop := c.Watch(ctx)
	defer stop()
	var st bindings.PreparedStatement
	defer bindings.DestroyPrepare(&st)
	if bindings.Prepare(c.Raw, sql, &st) == bindings.StateError {
		return c.Fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(st))
	}
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPreparedStreaming(st, &pending) == bindings.StateError {
		return c.Fault(ctx, bindings.ErrorTypeInvalid, bindings.PendingError(pending))
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.ExecutePending(pending, &res) == bindings.StateError {
		return c.Fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
	}
	for {
		chunk := bindings.FetchChunk(res)
		if chunk.Ptr == nil {
			if msg := bindings.ResultError(&res); msg != "" { // nil is the end of the rows or an error
				return c.Fault(ctx, bindings.ResultErrorType(&res), msg)
			}
			return nil
		}
		err := use(chunk)
		bindings.DestroyDataChunk(&chunk)
		if err != nil {
			return err
		}
	}
}

// Work runs a statement without parameters in the open transaction. Where threads of the engine have all of its work,
// this one waits for them; DuckDB itself would ask for work again and again. It returns how many rows were changed.
func (c *Conn) Work(ctx context.Context, sql string) (int64, error) {
	if err := c.Ended(ctx); err != nil {
		return 0, err
	}
	stop := c.Watch(ctx)
	defer stop()
	var st bindings.PreparedStatement
	defer bindings.DestroyPrepare(&st)
	if bindings.Prepare(c.Raw, sql, &st) == bindings.StateError {
		return 0, c.Fault(ctx, bindings.ErrorTypeInvalid, bindings.PrepareError(st))
	}
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if bindings.PendingPrepared(st, &pending) == bindings.StateError {
		return 0, c.Fault(ctx, bindings.ErrorTypeInvalid, bindings.PendingError(pending))
	}
	for idle := 0; ; {
		state := bindings.PendingExecuteTask(pending)
		if bindings.PendingExecutionIsFinished(state) {
			break
		}
		if state != bindings.PendingStateNoTasksAvailable {
			idle = 0
		} else if idle++; idle < 10 {
			runtime.Gosched()
		} else {
			time.Sleep(100 * time.Microsecond)
		}
	}
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.ExecutePending(pending, &res) == bindings.StateError {
		return 0, c.Fault(ctx, bindings.ResultErrorType(&res), bindings.ResultError(&res))
	}
	return int64(bindings.RowsChanged(&res)), nil
}

// All runs a statement that DuckDB expands to several, which cannot be prepared.
func (c *Conn) All(ctx context.Context, sql string) error {
	stop := c.Watch(ctx)
	defer stop()
	err := RawExec(c.Raw, sql)
	if err != nil && ctx.Err() != nil {
		return engine.Ended(ctx, nil)
	}
	var d *faults.Error
	if errors.As(err, &d) {
		return d.DamagedBy(c.Instance.dataFile())
	}
	return err
}

// Patient calls attempt, and again when greedier statements have left it no memory.
func (c *Conn) Patient(ctx context.Context, attempt func() error) error {
	return c.Instance.Memory.Patient(ctx, attempt, c.Ended)
}

// Ended returns why work on the connection must stop, or nil.
func (c *Conn) Ended(ctx context.Context) error {
	c.mu.Lock()
	killed := c.killed
	c.mu.Unlock()
	if killed != nil {
		return killed
	}
	return engine.Ended(ctx, nil)
}

// Reserve raises the limit of memory until the returned function is called, if others may have reached it: DuckDB can
// neither finish nor undo a change without memory.
func (c *Conn) Reserve() (done func()) {
	if c.Instance.readOnly || !c.Instance.Memory.Pressed(&c.Client) {
		return func() {}
	}
	limit := c.Instance.Opts.MemoryLimit
	c.Instance.limit(limit + max(limit/4, 64<<20))
	return func() { c.Instance.limit(limit) }
}

// TrimCache releases table blocks beyond the given bytes that DuckDB keeps in memory after writing them, up to its
// memory limit. Lowering the limit for a moment is the only way; it is done while no other connection uses the instance
// or can begin to.
func (c *Conn) TrimCache(to int64) {
	if limit := c.Instance.Opts.MemoryLimit; limit > to && c.Alone != nil {
		c.Alone(func() {
			c.Instance.limit(to)
			c.Instance.limit(limit)
		})
	}
}

// limit sets the limit of memory, unless more is in use. The connection is of its own: a refused SET would end a
// transaction.
func (in *Instance) limit(n int64) {
	_ = in.With(func(k bindings.Connection) error {
		return RawExec(k, fmt.Sprintf(`SET GLOBAL memory_limit='%dB'`,
			n))
	})
}
