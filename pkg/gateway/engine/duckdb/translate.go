//go:build cgo

package duckdb

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
)

// translation is a statement ready for DuckDB.
type translation struct {
	of   *trino.Text
	text string // what DuckDB runs
}

// translate checks a statement and writes it for DuckDB. If named is set, the columns of the text have the names and types of the
// result, as a stored table needs it.
func (s *statement) translate(ctx context.Context, sql string, named bool) (*translation, error) {
	x, err := s.Translate(ctx, sql)
	if err != nil {
		return nil, err
	}
	t := &translation{of: x, text: x.SQL}
	if named {
		if err := x.KeepsZones(); err != nil {
			return nil, err
		}
		t.text, err = x.Named()
	}
	return t, err
}
