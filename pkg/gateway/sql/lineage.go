package sql

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/lineage"
)

// Lineage follows the columns of a SELECT to the columns of the tables it names. It returns nil for a statement that is
// not supported.
func Lineage(ctx context.Context, p engine.Project, q Query) ([]engine.ColumnOrigin, error) {
	q, err := asked(q)
	if err != nil {
		return nil, err
	}
	s := newSession(q, p)
	s.untyped = true // the statement is not run
	tree, err := s.parse(s.Query.SQL)
	if err != nil {
		return nil, err
	}
	query, ok := tree.(*trinosql.Query)
	if !ok {
		return nil, nil
	}
	r, err := s.analysed(ctx, query)
	var e *engine.Error
	if errors.As(err, &e) && e.Kind == engine.KindUnsupported {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return originsIn(query, r.analysis, s.Query.SQL), nil
}

func originsIn(query *trinosql.Query, a *analyze.Analysis, text string) (out []engine.ColumnOrigin) {
	for _, c := range lineage.Of(query, a, text) {
		o := engine.ColumnOrigin{Expression: c.Expression}
		for _, read := range c.Reads {
			o.Reads = append(o.Reads, engine.ColumnRead{Table: engine.TableName(read.Table), Column: read.Column})
		}
		out = append(out, o)
	}
	return out
}
