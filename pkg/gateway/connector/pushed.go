package connector

import (
	"context"
	"io"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// pushedRows is the number of rows that are collected for a batch.
const pushedRows = 1024

// Pushed returns the rows that a function passes to push, for a source that calls back for each row. The function runs
// in a goroutine until it returns, push fails or the batches are closed; Close waits for its end.
func Pushed(ctx context.Context, run func(ctx context.Context, push func(row []any) error) error) engine.Batches {
	ctx, cancel := context.WithCancel(ctx)
	b := &pushed{cancel: cancel, rows: make(chan [][]any, 1), end: make(chan struct{})}
	safely.Go(func() {
		defer close(b.end)
		defer close(b.rows)
		b.err = safely.Try(func() error { return b.run(ctx, run) })
	})
	return b
}

type pushed struct {
	cancel context.CancelFunc
	rows   chan [][]any
	end    chan struct{}
	err    error // set before rows is closed
}

func (b *pushed) run(ctx context.Context, run func(context.Context, func([]any) error) error) error {
	var batch [][]any
	send := func() error {
		select {
		case b.rows <- batch:
			batch = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := run(ctx, func(row []any) error {
		if batch = append(batch, row); len(batch) == pushedRows {
			return send()
		}
		return nil
	})
	if err != nil || len(batch) == 0 {
		return err
	}
	return send()
}

// Next implements engine.Batches.
func (b *pushed) Next(ctx context.Context) ([][]any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case rows, ok := <-b.rows:
		if ok {
			return rows, nil
		}
		if b.err != nil {
			return nil, b.err
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the function and waits for it, so that its connection is free.
func (b *pushed) Close() error {
	b.cancel()
	<-b.end
	return nil
}
