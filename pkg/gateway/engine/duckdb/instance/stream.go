//go:build cgo

package instance

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
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

// All runs a statement that DuckDB expands to several, which cannot be prepared.
func (c *Conn) All(ctx context.Context, sql string) error {
	stop := c.Watch(ctx)
	defer stop()
	err := RawExec(c.Raw, sql)
	if err != nil && ctx.Err() != nil {
		return engine.Ended(ctx, nil)
	}
	return err
}
