package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// query writes a query and returns the names of its columns.
func (p *printer) query(q *trinosql.Query) []string {
	if q.With != nil {
		p.with(q.With)
	}
	info := p.a.Queries[q]
	outer := p.columns
	defer func() { p.columns = outer }()
	sel, ok := q.Body.(*trinosql.Select)
	if ok {
		p.columns = p.selectBody(sel)
	} else if len(q.OrderBy) > 0 || q.Offset != nil || q.Limit != nil || q.Fetch {
		rel := p.name("r")
		p.put("SELECT * FROM (")
		p.columns = p.body(q.Body)
		p.put(") AS ", rel)
	} else {
		p.columns = p.body(q.Body)
	}
	for i, k := range info.OrderBy {
		if i == 0 {
			p.put(" ORDER BY ")
		} else {
			p.put(", ")
		}
		if k.Output >= 0 {
			p.put(p.columns[k.Output])
		} else {
			p.notOrdinal(k.Item.Expr)
		}
		p.direction(k.Item)
	}
	switch {
	case q.WithTies:
		p.refuse(q, "WITH TIES is not supported on zone local")
	case q.Fetch && q.Limit == nil:
		p.put(" LIMIT 1")
	case q.Limit != nil:
		p.put(" LIMIT ")
		p.count(q.Limit)
	}
	if q.Offset != nil {
		p.put(" OFFSET ")
		p.count(q.Offset)
	}
	return p.columns
}

// count writes the number of LIMIT and OFFSET.
func (p *printer) count(x trinosql.Expr) {
	if n, ok := x.(*trinosql.IntLit); ok {
		p.put(n.Text)
		return
	}
	p.expr(x)
}

// output is the name of a column of the query whose ORDER BY is written.
func (p *printer) output(i int) string { return p.columns[i] }

func (p *printer) with(w *trinosql.With) {
	if w.Recursive {
		p.refuse(w, "WITH RECURSIVE is not supported on zone local")
	}
	p.put("WITH ")
	p.list(len(w.Queries), func(i int) {
		n := &namedQuery{name: p.name("q")}
		text := p.apart(func() { n.columns = p.query(w.Queries[i].Query) })
		p.named[w.Queries[i]] = n
		p.put(n.name, " AS (", text, ")")
	})
	p.put(" ")
}

// body writes the body of a query and returns the names of its columns.
func (p *printer) body(b trinosql.QueryBody) []string {
	switch b := b.(type) {
	case *trinosql.Select:
		return p.selectBody(b)
	case *trinosql.SubqueryBody:
		p.put("(")
		names := p.query(b.Query)
		p.put(")")
		return names
	case *trinosql.Values:
		return p.values(b)
	case *trinosql.SetOp:
		p.put("(")
		names := p.body(b.Left)
		p.put(") ", b.Op)
		if b.All {
			p.put(" ALL")
		}
		p.put(" (")
		p.body(b.Right)
		p.put(")")
		return names
	}
	p.refuse(b, "%T is not supported on zone local", b)
	return nil
}

// values writes VALUES as a query whose columns have names.
func (p *printer) values(v *trinosql.Values) []string {
	fields := p.a.Bodies[v].Fields
	names := make([]string, len(fields))
	for i := range names {
		names[i] = p.name("c")
	}
	p.put("SELECT * FROM (VALUES ")
	p.list(len(v.Rows), func(i int) {
		p.put("(")
		if row, ok := v.Rows[i].(*trinosql.Row); ok && len(row.Items) == len(fields) {
			p.list(len(row.Items), func(j int) { p.cell(row.Items[j], fields[j].Type) })
		} else {
			p.cell(v.Rows[i], fields[0].Type)
		}
		p.put(")")
	})
	p.put(") AS ", p.name("r"), "(")
	p.list(len(names), func(i int) { p.put(names[i]) })
	p.put(")")
	return names
}

// cell writes an expression that belongs to a column of a type.
func (p *printer) cell(x trinosql.Expr, t *types.Type) {
	p.cast(&conversion{node: x, from: p.typeOf(x), to: t, operand: p.operand(x)})
}

func (p *printer) selectBody(s *trinosql.Select) []string {
	info := p.a.Selects[s]
	from := p.apart(func() {
		p.list(len(s.From), func(i int) { p.relation(s.From[i]) })
	})
	coerced := p.a.Bodies[s]
	names := make([]string, len(info.Items))
	p.put("SELECT ")
	if s.Distinct {
		p.put("DISTINCT ")
	}
	p.list(len(info.Items), func(i int) {
		names[i] = p.name("c")
		it := info.Items[i]
		item := operand{expr: it.Expr}
		from := it.Type
		switch {
		case it.Expr != nil:
			item.write = func() { p.expr(it.Expr) }
			from = p.typeOf(it.Expr)
		case it.Source != nil:
			item.write = func() { p.put(p.fields[it.Source]) }
		default:
			p.refuse(it.Star, "the fields of a row are not supported on zone local")
		}
		to := it.Type
		if coerced != nil && coerced.Coerced != nil {
			to = coerced.Coerced[i]
		}
		if from.Kind == types.Unknown && to.Kind == types.Unknown {
			p.put("CAST(NULL AS INTEGER)")
		} else {
			p.cast(&conversion{node: s, from: from, to: to, operand: item})
		}
		p.put(" AS ", names[i])
	})
	if len(s.From) > 0 {
		p.put(" FROM ", from)
	}
	if s.Where != nil {
		p.put(" WHERE ")
		p.expr(s.Where)
	}
	if s.GroupBy != nil {
		p.groupBy(s, info)
	}
	if s.Having != nil {
		p.put(" HAVING ")
		p.expr(s.Having)
	}
	return names
}
