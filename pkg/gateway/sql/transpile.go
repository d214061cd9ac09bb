package sql

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/transpile"
)

// Transpile translates the statement to another dialect.
func (s *Session) Transpile(ctx context.Context, to transpile.Target) (string, error) {
	tree, err := s.parse(s.Query.SQL)
	if err != nil {
		return "", err
	}
	query, ok := tree.(*trinosql.Query)
	if !ok {
		return "", Placed(tree.Pos(), &engine.Error{Kind: engine.KindUnsupported, Message: "a statement that is answered by the gateway cannot be written in another dialect"})
	}
	cat := &catalog{s: s, ctx: ctx, relations: map[*analyze.Table]*Relation{}}
	a, _, err := s.analyze(query, cat, nil, 0)
	if err != nil {
		return "", cat.analysisError(err)
	}
	text, err := transpile.Query(query, a, to)
	var refused *transpile.Unsupported
	if errors.As(err, &refused) {
		return "", Placed(refused.At, &engine.Error{Kind: engine.KindUnsupported, Message: refused.Msg, Err: err})
	}
	return text, err
}
