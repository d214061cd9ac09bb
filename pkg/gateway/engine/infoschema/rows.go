package infoschema

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Rows is an engine.Scanner over rows in memory.
type Rows struct {
	Cols []engine.ColumnInfo
	Data [][]any
}

// Columns implements engine.Scanner.
func (s *Rows) Columns(context.Context) ([]engine.ColumnInfo, error) { return s.Cols, nil }

// Scan implements engine.Scanner.
func (s *Rows) Scan(_ context.Context, req engine.ScanRequest) (engine.Batches, error) {
	var idx []int
	for _, name := range req.Columns {
		idx = append(idx, slices.IndexFunc(s.Cols, func(c engine.ColumnInfo) bool { return c.Name == name }))
	}
	if slices.Contains(idx, -1) {
		return nil, errors.New("no such column")
	}
	return &batch{rows: s.Data, idx: idx}, nil
}

type batch struct {
	rows [][]any
	idx  []int
}

// Next implements engine.Batches.
func (b *batch) Next(context.Context) ([][]any, error) {
	if len(b.rows) == 0 {
		return nil, io.EOF
	}
	n := min(len(b.rows), 2000)
	out := make([][]any, n)
	for i, r := range b.rows[:n] {
		for _, k := range b.idx {
			out[i] = append(out[i], r[k])
		}
	}
	b.rows = b.rows[n:]
	return out, nil
}

// Close implements engine.Batches.
func (b *batch) Close() error { return nil }
