package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// DuckDB allows no subquery in the condition of an outer join. Each one is computed next to the side that it refers to,
// as an additional column.

// joinSubqueries replaces the parts of an outer join's condition that contain a subquery with columns, which it adds to
// the texts of both sides.
func (p *printer) joinSubqueries(j *trinosql.Join, left, right string) (withLeft, withRight string) {
	sides := [2]joinSide{{relation: j.Left}, {relation: j.Right}}
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
			p.refuse(x, "a subquery that is compared with columns of both sides of an outer join is not supported on "+
				"zone local")
		}
		side := &sides[0]
		if ofRight {
			side = &sides[1]
		}
		side.add(x, p)
	}
	return sides[0].with(p, left), sides[1].with(p, right)
}

// joinSide is a side of a join with the values that are computed next to its columns.
type joinSide struct {
	relation trinosql.Relation
	values   []trinosql.Expr
	texts    []string
}

func (s *joinSide) add(x trinosql.Expr, p *printer) {
	s.values = append(s.values, x)
	s.texts = append(s.texts, p.capture(func() { p.plain(x) }))
}

// with is the text of the side with its values. The references of its columns change.
func (s *joinSide) with(p *printer, text string) string {
	if len(s.values) == 0 {
		return text
	}
	name := p.name("r")
	return p.capture(func() {
		p.put("(SELECT ")
		fields := p.a.Relations[s.relation].Fields
		for _, f := range fields {
			c := p.name("c")
			p.put(p.fields[f], " AS ", c, ", ")
			p.fields[f] = name + "." + c
		}
		p.list(len(s.values), func(i int) {
			c := p.name("c")
			p.put(s.texts[i], " AS ", c)
			p.literal[s.values[i]] = name + "." + c
		})
		p.put(" FROM ", text, ") AS ", name)
	})
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
