package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// DuckDB allows no subquery in the condition of an outer join. Each one is computed next to the side that it refers to, as an
// additional column.

// joinSubqueries replaces the parts of an outer join's condition that contain a subquery with columns, and returns the texts
// that compute those columns, for the left and the right side.
func (p *printer) joinSubqueries(j *trinosql.Join) (left, right string) {
	columns := map[*analyze.Field]bool{} // true for a column of the left side
	for _, f := range p.a.Relations[j.Left].Fields {
		columns[f] = true
	}
	for _, f := range p.a.Relations[j.Right].Fields {
		columns[f] = false
	}
	for _, x := range subqueryParts(j.On) {
		ofLeft, ofRight := false, false
		trinosql.Inspect(x, func(n trinosql.Node) bool {
			if e, ok := n.(trinosql.Expr); ok && p.a.Columns[e] != nil {
				if is, ok := columns[p.a.Columns[e].Field]; ok {
					ofLeft, ofRight = ofLeft || is, ofRight || !is
				}
			}
			return true
		})
		if ofLeft && ofRight {
			p.refuse(x, "a subquery that is compared with columns of both sides of an outer join is not supported on zone local")
		}
		side := &left
		if ofRight {
			side = &right
		}
		q, c := p.name("q"), p.name("c")
		*side += " CROSS JOIN LATERAL (SELECT " + p.capture(func() { p.plain(x) }) + " AS " + c + ") AS " + q
		p.literal[x] = q + "." + c
	}
	return left, right
}

// subqueryParts are the smallest subexpressions that contain the subqueries of an expression.
func subqueryParts(x trinosql.Expr) (found []trinosql.Expr) {
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Subquery, *trinosql.Exists, *trinosql.InQuery, *trinosql.Quantified:
			found = append(found, n.(trinosql.Expr))
			return false
		}
		return true
	})
	return found
}
