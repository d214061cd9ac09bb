package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// query writes a query and returns the names of its columns.
func (p *printer) query(q *trinosql.Query) []string {
	if q.With != nil {
		p.with(q.With)
	}
	if q.WithTies {
		return p.withTies(q)
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
	p.put("WITH ")
	for _, q := range w.Queries {
		if p.a.Recursive[q] != nil {
			p.put("RECURSIVE ")
			break
		}
	}
	p.list(len(w.Queries), func(i int) {
		q := w.Queries[i]
		n := &namedQuery{name: p.name("q")}
		if r := p.a.Recursive[q]; r != nil {
			p.recursive(q, r, n)
			return
		}
		text := p.apart(func() { n.columns = p.query(q.Query) })
		p.named[q] = n
		p.put(n.name, " AS (", text, ")")
	})
	p.put(" ")
}

// recursionLimit is how often Trino runs the step of a recursive query before it gives up.
const recursionLimit = 10

// recursive writes a query of WITH RECURSIVE that refers to itself, with a column that counts the steps.
func (p *printer) recursive(q *trinosql.NamedQuery, r *analyze.Recursion, n *namedQuery) {
	step, ok := r.Step.(*trinosql.Select)
	if ok && (p.a.Selects[step].Grouped || step.Distinct) {
		ok = false
	}
	if !ok {
		p.refuse(r.Step, "a recursive step of this form is not supported on zone local")
	}
	for range r.Fields {
		n.columns = append(n.columns, p.name("c"))
	}
	n.depth = p.name("d")
	p.named[q] = n
	anchor := p.apart(func() { p.body(r.Anchor) })
	p.put(n.name, "(", strings.Join(n.columns, ", "), ", ", n.depth, ") AS (SELECT *, 0 FROM (", anchor, ") UNION ALL ")
	p.depthOf = n
	p.selectBody(step)
	p.depthOf = nil
	p.put(")")
}

// body writes the body of a query, with the types that a set operation around it asks for, and returns the names of its columns.
func (p *printer) body(b trinosql.QueryBody) []string {
	if s, ok := b.(*trinosql.Select); ok {
		return p.selectBody(s)
	}
	info := p.a.Bodies[b]
	if info == nil || info.Coerced == nil {
		return p.plainBody(b)
	}
	var columns []string
	text := p.apart(func() { columns = p.plainBody(b) })
	names := make([]string, len(columns))
	p.put("SELECT ")
	p.list(len(columns), func(i int) {
		names[i] = p.name("c")
		p.cast(&conversion{node: b, from: info.Fields[i].Type, to: info.Coerced[i], operand: operand{write: func() { p.put(columns[i]) }, cheap: true}})
		p.put(" AS ", names[i])
	})
	p.put(" FROM (", text, ")")
	return names
}

func (p *printer) plainBody(b trinosql.QueryBody) []string {
	switch b := b.(type) {
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
	t := b.(*trinosql.TableBody)
	names := make([]string, len(p.a.Bodies[b].Fields))
	from := p.apart(func() { p.tableUse(p.a.Tables[t], p.a.Bodies[b].Fields) })
	p.put("SELECT ")
	p.list(len(names), func(i int) {
		names[i] = p.name("c")
		p.put(p.fields[p.a.Bodies[b].Fields[i]], " AS ", names[i])
	})
	p.put(" FROM ", from)
	return names
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
	sortBy := p.sortBy
	p.sortBy = nil
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
	if sortBy != nil {
		sortBy()
	}
	if n := p.depthOf; n != nil && n.ref != "" {
		p.depthOf = nil
		p.put(", CASE WHEN ", n.ref, " = ", strconv.Itoa(recursionLimit), ` THEN "~error"('Recursion depth limit exceeded (10). Use ''max_recursion_depth'' session property to modify the limit.') ELSE `, n.ref, " + 1 END")
	}
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

// withTies writes FETCH FIRST n ROWS WITH TIES: of the rows behind the offset those that are no further behind than the n-th, where equal ones
// share a place.
func (p *printer) withTies(q *trinosql.Query) []string {
	info := p.a.Queries[q]
	outer := p.columns
	defer func() { p.columns = outer }()
	keys := make([]string, len(info.OrderBy))
	inner := p.apart(func() {
		if s, ok := q.Body.(*trinosql.Select); ok && !s.Distinct {
			p.sortBy = func() {
				for i, k := range info.OrderBy {
					if k.Output < 0 && !p.ofOutput(k.Item.Expr) {
						keys[i] = p.name("k")
						p.put(", ")
						p.expr(k.Item.Expr)
						p.put(" AS ", keys[i])
					}
				}
			}
		}
		p.columns = p.body(q.Body)
	})
	order := p.apart(func() {
		p.list(len(info.OrderBy), func(i int) {
			k := info.OrderBy[i]
			switch {
			case keys[i] != "":
				p.put(keys[i])
			case k.Output >= 0:
				p.put(p.columns[k.Output])
			default:
				p.notOrdinal(k.Item.Expr)
			}
			p.direction(k.Item)
		})
	})
	place, row := p.name("k"), p.name("k")
	p.put("SELECT ", strings.Join(p.columns, ", "), " FROM (SELECT *, rank() OVER (ORDER BY ", order, ") AS ", place,
		", row_number() OVER (ORDER BY ", order, ") AS ", row, " FROM (", inner, ")) WHERE ", place, " <= ")
	if q.Limit != nil {
		p.count(q.Limit)
	} else {
		p.put("1")
	}
	if q.Offset != nil {
		p.put(" + ")
		p.count(q.Offset)
		p.put(" AND ", row, " > ")
		p.count(q.Offset)
	}
	p.put(" ORDER BY ", row)
	return p.columns
}

// ofOutput reports whether an expression of ORDER BY is about columns of the result alone.
func (p *printer) ofOutput(x trinosql.Expr) bool {
	all := true
	trinosql.Inspect(x, func(n trinosql.Node) bool {
		if e, ok := n.(trinosql.Expr); ok {
			if c := p.a.Columns[e]; c != nil && c.Outer == 0 && !c.OfOutput {
				all = false
			}
		}
		return all
	})
	return all
}
