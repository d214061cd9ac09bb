package analyze

import "github.com/dig-cli/dig/pkg/trinosql"

// Reaches has what the columns in an expression belong to.
type Reaches struct {
	Own         bool // one belongs to the query that the expression is in
	Outer       bool // one belongs to an outer query and is not in a subquery of the expression
	OuterWithin bool // one belongs to an outer query and is in a subquery of the expression
}

// Reaches finds the queries that the columns in an expression belong to. Columns of its subqueries belong to none of
// them.
func (a *Analysis) Reaches(x trinosql.Node) Reaches {
	var in Reaches
	a.reach(x, 0, &in)
	return in
}

// WindowReaches finds those of a call of a window function and of its window.
func (a *Analysis) WindowReaches(fn *trinosql.Func, w *Window) Reaches {
	in := a.Reaches(fn)
	for _, x := range w.PartitionBy {
		a.reach(x, 0, &in)
	}
	for _, s := range w.OrderBy {
		a.reach(s.Expr, 0, &in)
	}
	if w.Frame != nil {
		a.reach(w.Frame, 0, &in)
	}
	return in
}

func (a *Analysis) reach(n trinosql.Node, depth int, in *Reaches) {
	trinosql.Inspect(n, func(m trinosql.Node) bool {
		if q, ok := m.(*trinosql.Query); ok && m != n {
			a.reach(q, depth+1, in)
			return false
		}
		x, ok := m.(trinosql.Expr)
		if !ok {
			return true
		}
		ref := a.Columns[x]
		switch {
		case ref == nil || ref.Outer < depth:
		case ref.Outer == depth:
			in.Own = in.Own || !ref.OfOutput
		case depth == 0:
			in.Outer = true
		default:
			in.OuterWithin = true
		}
		return true
	})
}
