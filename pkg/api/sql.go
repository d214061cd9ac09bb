package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// SQLService holds the operations of its group of endpoints.
type SQLService struct{ c *Client }

// Transpile runs POST /sql/transpile/{dialect}.
func (s *SQLService) Transpile(ctx context.Context, dialect string, body TranspileRequest) (TranspileResult, error) {
	return call[TranspileResult](ctx, s.c, spec.TranspileSql.At(dialect), body)
}
