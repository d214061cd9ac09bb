package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// DuckDB takes no query in the condition of an outer join. Each is computed beside the side that it refers to, in a column of its own.

// queriesBeside finds the parts of an outer join's condition that hold a query, has them written as columns, and returns what those columns are
// computed by, for the left and the right side.
func (p *printer) queriesBeside(j *trinosql.Join) (left, right string) {
	columns := map[*analyze.Field]bool{} // whether it is one of the left side
	for _, f := range p.a.Relations[j.Left].Fields {
		columns[f] = true
	}
	for _, f := range p.a.Relations[j.Right].Fields {
		columns[f] = false
	}
	for _, x := range withQueries(j.On) {
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
		*side += " CROSS JOIN LATERAL (SELECT " + p.apart(func() { p.plain(x) }) + " AS " + c + ") AS " + q
		p.literal[x] = q + "." + c
	}
	return left, right
}

// withQueries are the smallest parts of an expression that hold its queries.
func withQueries(x trinosql.Expr) (found []trinosql.Expr) {
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
