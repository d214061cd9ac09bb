package connector

import (
	"context"
	"errors"
	"io"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Counted reads a single number from answer and returns that number of rows without columns. It closes answer.
func Counted(answer engine.Batches) engine.Batches { return &counted{answer: answer, left: -1} }

// Number returns n rows without columns.
func Number(n int64) engine.Batches { return &counted{left: n} }

type counted struct {
	answer engine.Batches // nil if the number is known
	left   int64          // -1 until the answer was read
}

var _ engine.Filler = (*counted)(nil)

// Fill implements engine.Filler.
func (c *counted) Fill(ctx context.Context, _ []engine.Vector, n int) (int, error) {
	if c.left < 0 {
		rows, err := c.answer.Next(ctx)
		if err == nil {
			_, err = c.answer.Next(ctx) // to the end, so that the session can be reused
		}
		if err != io.EOF {
			return 0, err
		}
		if len(rows) != 1 || len(rows[0]) != 1 {
			return 0, errors.New("the source does not return the number of rows")
		}
		if c.left, _ = rows[0][0].(int64); c.left < 0 {
			return 0, errors.New("the source returns a negative number of rows")
		}
	}
	if c.left == 0 {
		return 0, io.EOF
	}
	n = int(min(c.left, int64(n)))
	c.left -= int64(n)
	return n, nil
}

// Next implements engine.Batches.
func (c *counted) Next(ctx context.Context) ([][]any, error) {
	n, err := c.Fill(ctx, nil, nextRows)
	if err != nil {
		return nil, err
	}
	return make([][]any, n), nil
}

func (c *counted) Close() error {
	if c.answer == nil {
		return nil
	}
	return c.answer.Close()
}
