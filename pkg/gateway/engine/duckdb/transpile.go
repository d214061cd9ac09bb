//go:build cgo

package duckdb

import (
	"context"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql/transpile"
)

var _ engine.Transpiler = (*project)(nil)

// Transpile translates a statement of Trino's dialect to another one. What that does not support is an error that names it.
func (p *project) Transpile(ctx context.Context, q engine.Query, dialect string) (string, error) {
	to := transpile.Target(dialect)
	if !slices.Contains(transpile.Targets(), to) {
		return "", &engine.Error{Kind: engine.KindUnsupported, Message: "there is no dialect " + dialect}
	}
	ctx, cancel := deadline(ctx, q)
	defer cancel()
	s, err := p.statement(ctx, q)
	if err != nil {
		return "", err
	}
	defer s.close()
	return s.sql.Transpile(ctx, to)
}
