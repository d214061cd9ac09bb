package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// anyOf is the reference of a column of FROM of a SELECT, "" if there is none.
func (p *printer) anyOf(s *trinosql.Select) string {
	for _, r := range s.From {
		for _, f := range p.a.Relations[r].Fields {
			if p.fields[f] != "" {
				return p.fields[f]
			}
		}
	}
	return ""
}

// ownFilter returns the condition, true for all rows, that keeps an aggregate in its query, "" if it needs none: DuckDB
// takes an aggregate with columns of outer queries alone for one of the outer query, as the standard does; columns in
// its subqueries do not count. [O]
func (p *printer) ownFilter(x trinosql.Expr) string {
	if in := p.a.Reaches(x); !in.Outer || in.Own {
		return ""
	}
	if p.own == "" {
		p.refuse(x, "an aggregate of columns of an outer query in a query without columns of its own is not "+
			"supported on zone local")
	}
	return "(" + p.own + " IS NULL) IS NOT NULL"
}

// filter writes the FILTER clause of an aggregate.
func (p *printer) filter(x, given trinosql.Expr) {
	own := p.ownFilter(x)
	if own == "" && given == nil {
		return
	}
	p.put(" FILTER (WHERE ", own)
	switch {
	case own == "":
		p.condition(given)
	case given != nil:
		p.put(" AND (", func() { p.condition(given) }, ")")
	}
	p.put(")")
}

// noOuterWindow rejects a window function of columns of outer queries.
func (p *printer) noOuterWindow(fn *trinosql.Func, w *analyze.Window) {
	if p.a.WindowReaches(fn, w).Outer {
		p.refuse(fn, "a window function of columns of an outer query is not supported on zone local")
	}
}
