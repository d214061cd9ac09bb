//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/transpile"
)

var _ engine.Transpiler = (*project)(nil)

// Transpile writes a statement of Trino's dialect in another one. What that has not is refused by name.
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
	tree, err := s.parseTrino(q.SQL)
	if err != nil {
		return "", err
	}
	query, ok := tree.(*trinosql.Query)
	if !ok {
		return "", placedAt(tree.Pos(), &engine.Error{Kind: engine.KindUnsupported, Message: "a statement that is answered by the gateway cannot be written in another dialect"})
	}
	cat := &trinoCatalog{s: s, ctx: ctx, uses: map[*analyze.Table]*used{}}
	a, _, err := s.analyzeTrino(query, cat, nil, 0)
	if err != nil {
		return "", cat.analysisError(err)
	}
	text, err := transpile.Query(query, a, to)
	var refused *transpile.Unsupported
	if errors.As(err, &refused) {
		return "", placedAt(refused.At, &engine.Error{Kind: engine.KindUnsupported, Message: refused.Msg, Err: err})
	}
	return text, err
}
