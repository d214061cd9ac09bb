package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// orderBy writes ORDER BY. selected is set if sort keys in the select list must be replaced by its columns.
func (p *printer) orderBy(info *analyze.Query, selected map[int]int) {
	for i, k := range info.OrderBy {
		if i == 0 {
			p.put(" ORDER BY ")
		} else {
			p.put(", ")
		}
		p.sorted(k.Type, k.Item, func() { p.sortKey(k, selected) })
	}
}

func (p *printer) sortKey(k analyze.SortKey, selected map[int]int) {
	if k.Output >= 0 {
		p.put(p.columns[k.Output])
		return
	}
	if selected != nil {
		if i, ok := selected[p.a.Key(k.Item.Expr)]; ok {
			p.put(p.columns[i])
			return
		}
	}
	p.notOrdinal(k.Item.Expr)
}

// selected are the indices of the expressions of a SELECT DISTINCT, the only possible sort keys.
func (p *printer) selected(s *trinosql.Select) map[int]int {
	if !s.Distinct {
		return nil
	}
	m := map[int]int{}
	for i, it := range p.a.Selects[s].Items {
		switch {
		case it.Expr != nil:
			m[p.a.Key(it.Expr)] = i
		case it.Source != nil:
			m[p.a.FieldKey(it.Source)] = i
		}
	}
	return m
}

// sortsOutputs reports whether a sort key is written as an expression over columns of the result. Where DuckDB finds
// the name of such a column in an expression it computes the column again, which it refuses for subqueries and which
// gives random functions other values.
func (p *printer) sortsOutputs(info *analyze.Query, sel *trinosql.Select) bool {
	for _, k := range info.OrderBy {
		if k.Output < 0 && p.a.Columns[k.Item.Expr] == nil && p.usesOutput(k.Item.Expr) || hasFloat(k.Type) &&
			p.sortsComputed(k, sel) {
			return true
		}
	}
	return false
}

// sortsComputed reports whether a sort key is a column of the result that is not a column of FROM.
func (p *printer) sortsComputed(k analyze.SortKey, sel *trinosql.Select) bool {
	i := k.Output
	if c := p.a.Columns[k.Item.Expr]; i < 0 && c != nil && c.OfOutput {
		i = c.Index
	}
	if selected := p.selected(sel); i < 0 && selected != nil {
		at, ok := selected[p.a.Key(k.Item.Expr)]
		if !ok {
			return false
		}
		i = at
	}
	if i < 0 {
		return false
	}
	x := p.a.Selects[sel].Items[i].Expr
	return x != nil && p.a.Columns[x] == nil
}

// usesOutput reports whether an expression refers to an output column of the enclosing query.
func (p *printer) usesOutput(x trinosql.Expr) bool {
	found := false
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if e, ok := n.(trinosql.Expr); ok {
			if c := p.a.Columns[e]; c != nil && c.OfOutput {
				found = true
			}
		}
		return !found
	})
	return found
}

// usesLambda reports whether an expression contains a lambda or a reference to a lambda parameter.
func (p *printer) usesLambda(x trinosql.Expr) bool {
	found := false
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Lambda:
			found = true
		case *trinosql.Ident:
			found = found || p.a.Lambdas[n] != nil
		}
		return !found
	})
	return found
}

// sortedAround writes a query whose sort keys are in an enclosing query, where the columns of its result are plain
// columns. Other columns that the keys need are selected in addition.
func (p *printer) sortedAround(q *trinosql.Query, sel *trinosql.Select) {
	info := p.a.Queries[q]
	literal := p.literal
	defer func() { p.literal = literal }()
	var selected map[int]int
	inner := p.capture(func() {
		switch {
		case sel == nil:
			p.columns = p.body(q.Body)
		case sel.Distinct:
			p.columns = p.selectBody(sel, nil)
			selected = p.selected(sel)
		default:
			given := map[trinosql.Expr]string{}
			p.columns = p.selectBody(sel, func() {
				for _, k := range info.OrderBy {
					if k.Output < 0 {
						p.selectExtra(k.Item.Expr, p.a.Selects[sel].From, given)
					}
				}
			})
			for x, name := range literal {
				given[x] = name
			}
			p.literal = given
		}
	})
	p.grouped = nil
	if !q.WithTies {
		p.put("SELECT ", strings.Join(p.columns, ", "), " FROM (", inner, ") AS ", p.name("r"))
		p.orderBy(info, selected)
		p.limit(q)
		return
	}
	p.ties(q, inner, func() { p.orderBy(info, selected) })
}

// selectExtra selects the parts of an expression that are not output columns.
func (p *printer) selectExtra(x trinosql.Expr, from []*analyze.Field, given map[trinosql.Expr]string) {
	inner := map[*analyze.Field]bool{} // columns that subqueries may need
	below := func(n trinosql.Node) bool {
		if e, ok := n.(trinosql.Expr); ok {
			if c := p.a.Columns[e]; c != nil && inner[c.Field] && !c.OfOutput {
				p.selectOne(e, given)
				return false
			}
		}
		return true
	}
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if q, ok := n.(*trinosql.Query); ok {
			for _, f := range from {
				inner[f] = true
			}
			trinosql.Inspect(q, below)
			return false
		}
		e, ok := n.(trinosql.Expr)
		if !ok || p.a.Types[e] == nil {
			return true
		}
		if c := p.a.Columns[e]; c != nil && c.OfOutput {
			return false
		}
		if p.usesOutput(e) || p.usesLambda(e) {
			return true
		}
		p.selectOne(e, given)
		return false
	})
}

func (p *printer) selectOne(x trinosql.Expr, given map[trinosql.Expr]string) {
	name := p.name("k")
	p.put(", ", func() { p.plain(x) }, " AS ", name)
	given[x] = name
}

// ties writes FETCH FIRST n ROWS WITH TIES: the rows after the offset up to rank n, where rows with equal keys have the
// same rank.
func (p *printer) ties(q *trinosql.Query, inner string, order func()) {
	window, place, row := p.name("w"), p.name("k"), p.name("k")
	p.put("SELECT ", strings.Join(p.columns, ", "), " FROM (SELECT *, rank() OVER ", window, " AS ", place,
		", row_number() OVER ", window, " AS ", row,
		" FROM (", inner, ") WINDOW ", window, " AS (")
	order()
	p.put(")) WHERE ", place, " <= ")
	if q.Limit != nil {
		p.count(q.Limit)
	} else {
		p.put("1")
	}
	if q.Offset != nil {
		p.put(" + ", func() { p.count(q.Offset) }, " AND ", row, " > ", func() { p.count(q.Offset) })
	}
	p.put(" ORDER BY ", row)
}
