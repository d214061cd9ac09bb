//go:build cgo

package duckdb

import (
	"context"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

var _ engine.Lineager = (*project)(nil)

// Lineage follows the columns of a SELECT to the columns of the tables it names. It returns nil for a statement that is not supported.
func (p *project) Lineage(ctx context.Context, q engine.Query) ([]engine.ColumnOrigin, error) {
	q, err := sql.Asked(q)
	if err != nil {
		return nil, err
	}
	s, err := p.statement(ctx, q)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.sql.Lineage(ctx)
}
