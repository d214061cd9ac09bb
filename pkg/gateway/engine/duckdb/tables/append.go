//go:build cgo

package tables

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

const (
	flushBytes = 32 << 20 // of text, after which the appender flushes its rows to the table
	flushRows  = 20480    // or this many rows; ten times as many are not faster and take 40 MB more
	trimRows   = 102400   // rows after which blocks already written are released
	trimmed    = 64 << 20 // bytes that may remain
)

// appender adds batches to a table within the connection's transaction.
type appender struct {
	c    conn
	ap   bindings.Appender
	text int // bytes since the last flush
	rows int // since the last flush
	kept int // rows since the last trim
}

func (c conn) openAppender(schema, table string) (*appender, error) {
	return c.openAppenderIn(naming.Store, schema, table)
}

func (c conn) openAppenderIn(catalog, schema, table string) (*appender, error) {
	a := &appender{c: c}
	if bindings.AppenderCreateExt(c.Raw, catalog, schema, table, &a.ap) == bindings.StateError {
		err := a.fail()
		a.destroy()
		return nil, err
	}
	return a, nil
}

func (a *appender) fail() error {
	return a.c.Fault(context.Background(), bindings.ErrorTypeInvalid, bindings.AppenderError(a.ap))
}

func (a *appender) append(b *values.Chunk) error {
	if !b.AppendTo(a.ap) {
		return a.fail()
	}
	a.text += b.Text()
	a.rows += b.N
	if a.text < flushBytes && a.rows < flushRows {
		return nil
	}
	if bindings.AppenderFlush(a.ap) == bindings.StateError {
		return a.fail()
	}
	if a.kept += a.rows; a.kept >= trimRows {
		a.kept = 0
		a.c.TrimCache(trimmed)
	}
	a.text, a.rows = 0, 0
	return nil
}

// finish flushes the last rows and reports their errors.
func (a *appender) finish() error {
	if bindings.AppenderClose(a.ap) == bindings.StateError {
		return a.fail()
	}
	return nil
}

// destroy discards rows that are not flushed.
func (a *appender) destroy() {
	bindings.AppenderClear(a.ap)
	bindings.AppenderDestroy(&a.ap)
}

// openBatch creates an empty batch for the columns of a table.
func openBatch(t *table) *values.Chunk {
	types := make([]string, len(t.cols))
	for i, col := range t.cols {
		types[i] = col.Type
	}
	return values.NewChunk(types)
}
