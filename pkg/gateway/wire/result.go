package wire

import (
	"context"
	"errors"
	"io"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// Result is a running statement whose rows are written as replies have them.
type Result struct {
	Running engine.Rows
	cols    []api.ResultColumn
}

// NewResult describes the columns of running rows. A column is an unchanged copy of one of the table in origins.
func NewResult(rows engine.Rows, origins []engine.TableName) *Result {
	r := &Result{Running: rows}
	for i, c := range rows.Columns() {
		o := origins[i]
		r.cols = append(r.cols, api.ResultColumn{CatalogName: o.Catalog, SchemaName: o.Schema, TableName: o.Table,
			Name: c.Name, DisplayName: c.Name,
			DataType: TypeName(c.Type)})
	}
	return r
}

// Columns describes the columns of the rows.
func (r *Result) Columns() []api.ResultColumn { return r.cols }

// Close ends the statement if it still runs.
func (r *Result) Close() error { return r.Running.Close() }

// next fetches rows; ok is false at the end. Sums beyond bigint are an error here, before a row of the batch is
// written.
func (r *Result) next(ctx context.Context) (rows *batch.Batch, ok bool, err error) {
	rows, err = r.Running.Next(ctx)
	if errors.Is(err, io.EOF) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for i := range rows.Columns {
		if rows.Columns[i].Overflows(rows.Len) {
			return nil, false, &engine.Error{Kind: engine.KindValue, Message: "bigint addition overflow in column '" +
				r.cols[i].Name + "'"}
		}
	}
	return rows, true, nil
}

// Rows calls yield for each row with the values as text; nil is NULL. The slices are reused.
func (r *Result) Rows(ctx context.Context, yield func(row [][]byte) error) (int64, error) {
	row := make([][]byte, len(r.cols))
	bufs := make([][]byte, len(r.cols))
	for i := range bufs {
		bufs[i] = make([]byte, 0, 64) // so that an empty text is not nil
	}
	var total int64
	for {
		rows, ok, err := r.next(ctx)
		if err != nil || !ok {
			return total, err
		}
		for i := range rows.Len {
			for k := range rows.Columns {
				if row[k] = nil; !rows.Columns[k].Null(i) {
					bufs[k] = rows.Columns[k].AppendText(bufs[k][:0], i)
					row[k] = bufs[k]
				}
			}
			if err := yield(row); err != nil {
				return total, err
			}
			total++
		}
	}
}

// Encode streams the whole result as one reply document in the given format. It returns the number of rows written. On
// an error in the middle it returns without writing the closing brackets, so that a reader sees a truncated document.
// start is called once, before the first byte is written; on an error before that, nothing is.
func (r *Result) Encode(ctx context.Context, w io.Writer, format api.Format, start func()) (int64, error) {
	if b, ok := w.(engine.Breaker); ok {
		for _, c := range []context.Context{ctx, r.Running.Context()} {
			defer safely.AfterContext(c, func() { b.Break(engine.Ended(c, nil)) })()
		}
	}
	e := newEncoder(w, format, r.cols, start)
	e.head()
	var total int64
	for {
		rows, ok, err := r.next(ctx)
		if err != nil {
			return e.cut(total, err)
		}
		if !ok {
			return total, e.tail()
		}
		err = e.rows(rows.Columns, rows.Len)
		if total += int64(rows.Len); err != nil {
			return e.cut(total, err)
		}
	}
}
