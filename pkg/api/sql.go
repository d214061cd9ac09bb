package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// SQLService has the methods of one group of endpoints.
type SQLService struct{ c *Client }

// Transpile runs POST /sql/transpile/{dialect}.
//
// With project, the statement refers to the tables of that project; only zone local supports it.
func (s *SQLService) Transpile(ctx context.Context, dialect, project string,
	body TranspileRequest) (TranspileResult, error) {
	at := spec.TranspileSql.At(dialect)
	if project != "" {
		at = at.With("projectId", project)
	}
	return call[TranspileResult](ctx, s.c, at, body)
}
