package friendly

import (
	"context"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// isAll reports whether an expression is the word ALL.
func isAll(x trinosql.Expr) bool {
	id, ok := x.(*trinosql.Ident)
	return ok && !id.Quoted && id.Lower() == "all"
}

// groupByAll writes the numbers of the items without an aggregate for ALL, unless there is a column of that name.
func (r *rewriter) groupByAll(ctx context.Context, s *trinosql.Select, sc *scope) ([]sqltext.Edit, error) {
	g := s.GroupBy
	if g == nil || len(g.Elements) != 1 || g.Elements[0].Kind != "" || !g.Elements[0].Sets[0].Bare ||
		!isAll(g.Elements[0].Sets[0].Exprs[0]) || r.named(ctx, "all", s, sc) {
		return nil, nil
	}
	var numbers []string
	n := 0
	for _, item := range s.Items {
		switch item := item.(type) {
		case *trinosql.SelectStar:
			at, _ := item.Span()
			cols, err := r.starOf(ctx, at, item.Target, s, sc)
			if err != nil {
				return nil, err
			}
			for range cols {
				n++
				numbers = append(numbers, strconv.Itoa(n))
			}
		case *trinosql.SelectExpr:
			if n++; !aggregates(item.Expr) {
				numbers = append(numbers, strconv.Itoa(n))
			}
		}
	}
	from, to := g.Elements[0].Span()
	if len(numbers) == 0 {
		return []sqltext.Edit{sqltext.Words(from, to, "()")}, nil
	}
	return []sqltext.Edit{sqltext.Words(from, to, strings.Join(numbers, ", "))}, nil
}

// aggregates reports whether an expression has an aggregate or a window function, outside of its subqueries.
func aggregates(x trinosql.Expr) (found bool) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Query:
			return false
		case *trinosql.Listagg, *trinosql.Grouping:
			found = true
		case *trinosql.Func:
			found = found || n.Over != nil || n.OverName != nil || n.Star || len(n.Name) == 1 &&
				functions.IsKind(n.Name[0].Lower(), functions.Aggregate)
		}
		return !found
	})
	return found
}

// orderByAll writes the numbers of the columns for ALL, unless there is a column of that name.
func (r *rewriter) orderByAll(ctx context.Context, q *trinosql.Query, sc *scope) ([]sqltext.Edit, error) {
	if len(q.OrderBy) != 1 || !isAll(q.OrderBy[0].Expr) {
		return nil, nil
	}
	n := 0
	if s, ok := q.Body.(*trinosql.Select); ok {
		if r.named(ctx, "all", s, sc) {
			return nil, nil
		}
		for _, item := range s.Items {
			x, plain := item.(*trinosql.SelectExpr)
			if !plain {
				n = 0
				break
			}
			if x.Alias != nil && strings.EqualFold(x.Alias.Name, "all") {
				return nil, nil
			}
			n++
		}
	}
	if n == 0 {
		at, _ := q.Body.Span()
		cols, err := r.ask(ctx, sc, at, false, words("SELECT * FROM ("), nodeOf(q.Body), words(") LIMIT 0"))
		if err != nil {
			return nil, err
		}
		if has(cols, "all") {
			return nil, nil
		}
		n = len(cols)
	}
	_, after := q.OrderBy[0].Expr.Span()
	from, to := q.OrderBy[0].Span()
	var with []sqltext.EditPart
	for i := range n {
		number := strconv.Itoa(i + 1)
		if i > 0 {
			number = ", " + number
		}
		with = append(with, words(number))
		if after < to {
			with = append(with, copyOf(after, to))
		}
	}
	return []sqltext.Edit{{From: from, To: to, With: with}}, nil
}
