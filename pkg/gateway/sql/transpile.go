package sql

import (
	"context"
	"errors"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/transpile"
)

// Transpile writes a SELECT with the same meaning in another dialect, with full table names. What cannot be translated
// is *engine.Error with KindUnsupported. Nothing is run.
func Transpile(ctx context.Context, p engine.Project, q Query, dialect string) (string, error) {
	to := transpile.Target(dialect)
	if !slices.Contains(transpile.Targets(), to) {
		return "", &engine.Error{Kind: engine.KindUnsupported, Message: "there is no dialect " + dialect}
	}
	ctx, cancel := deadline(ctx, q)
	defer cancel()
	s := newSession(q, p)
	tree, err := s.parse(s.Query.SQL)
	if err != nil {
		return "", err
	}
	query, ok := tree.(*trinosql.Query)
	if !ok {
		return "", engine.Placed(tree.Pos(), &engine.Error{Kind: engine.KindUnsupported,
			Message: "a statement that is answered by the gateway cannot be written in another dialect"})
	}
	cat := &catalog{s: s, ctx: ctx, relations: map[*analyze.Table]*relation{}}
	a, _, err := s.analyze(query, cat, nil, 0)
	if err != nil {
		return "", cat.analysisError(err)
	}
	text, err := transpile.Query(query, a, to)
	var refused *trinosql.Unsupported
	if errors.As(err, &refused) {
		return "", engine.Placed(refused.At, &engine.Error{Kind: engine.KindUnsupported, Message: refused.Msg,
			Err: err})
	}
	return text, err
}
