package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// SQLService holds the operations of its group of endpoints.
type SQLService struct{ c *Client }

// Transpile runs POST /sql/transpile/{dialect}.
//
// With project it is about the tables of that project, which zone local alone knows.
func (s *SQLService) Transpile(ctx context.Context, dialect, project string, body TranspileRequest) (TranspileResult, error) {
	at := spec.TranspileSql.At(dialect)
	if project != "" {
		at = at.With("projectId", project)
	}
	return call[TranspileResult](ctx, s.c, at, body)
}
