package translate

import (
	"slices"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// query writes a query and returns the names of its columns.
func (p *printer) query(q *trinosql.Query) []string {
	columns, grouped, inGroups, own := p.columns, p.grouped, p.inGroups, p.own
	defer func() { p.columns, p.grouped, p.inGroups, p.own = columns, grouped, inGroups, own }()
	if p.grouped != nil {
		p.outGrouped = append(p.outGrouped, p.grouped)
		defer func() { p.outGrouped = p.outGrouped[:len(p.outGrouped)-1] }()
	}
	p.grouped = nil
	if q.Routines != nil {
		p.refuse(q.Routines[0], "WITH FUNCTION is not supported on zone local: DuckDB has no routines")
	}
	if q.With != nil {
		p.with(q.With)
	}
	info := p.a.Queries[q]
	sel, ok := q.Body.(*trinosql.Select)
	switch {
	case q.WithTies || ok && p.sortsOutputs(info, sel):
		p.sortedAround(q, sel)
		return p.columns
	case ok:
		p.columns = p.selectBody(sel, nil)
	case len(q.OrderBy) > 0 || q.Offset != nil || q.Limit != nil || q.Fetch:
		p.put("SELECT * FROM (")
		p.columns = p.body(q.Body)
		p.put(") AS ", p.name("r"))
	default:
		p.columns = p.body(q.Body)
		return p.columns
	}
	if ok {
		p.orderBy(info, p.selected(sel))
	} else {
		p.orderBy(info, nil)
	}
	p.limit(q)
	return p.columns
}

// limit writes LIMIT and OFFSET.
func (p *printer) limit(q *trinosql.Query) {
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
}

// count writes the number of LIMIT or OFFSET.
func (p *printer) count(x trinosql.Expr) {
	if n, ok := x.(*trinosql.IntLit); ok {
		p.put(n.Text)
		return
	}
	p.expr(x)
}

// output is the name of an output column of the query whose ORDER BY is written.
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
		text := p.capture(func() { n.columns = p.query(q.Query) })
		p.named[q] = n
		p.put(n.name, " AS (", text, ")")
	})
	p.put(" ")
}

// body writes the body of a query, with the column types that an enclosing set operation requires, and returns the
// names of its columns.
func (p *printer) body(b trinosql.QueryBody) []string {
	if s, ok := b.(*trinosql.Select); ok {
		return p.selectBody(s, nil)
	}
	info := p.a.Bodies[b]
	if info == nil || info.Coerced == nil {
		return p.plainBody(b)
	}
	var columns []string
	text := p.capture(func() { columns = p.plainBody(b) })
	names := make([]string, len(columns))
	p.put("SELECT ")
	p.list(len(columns), func(i int) {
		names[i] = p.name("c")
		p.convert(b, info.Fields[i].Type, info.Coerced[i], operand{write: func() { p.put(columns[i]) }, cheap: true})
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
		names := p.setSide(b, b.Left, 0)
		p.put(") ", b.Op)
		if b.All {
			p.put(" ALL")
		}
		p.put(" (")
		p.setSide(b, b.Right, 1)
		p.put(")")
		return names
	}
	t := b.(*trinosql.TableBody)
	names := make([]string, len(p.a.Bodies[b].Fields))
	from := p.capture(func() { p.tableUse(p.a.Tables[t], p.a.Bodies[b].Fields) })
	p.put("SELECT ")
	p.list(len(names), func(i int) {
		names[i] = p.name("c")
		p.put(p.fields[p.a.Bodies[b].Fields[i]], " AS ", names[i])
	})
	p.put(" FROM ", from)
	return names
}

// setSide writes an operand of a set operation, with the columns that it takes. Where rows are compared, equal maps
// must be identical to DuckDB.
func (p *printer) setSide(op *trinosql.SetOp, b trinosql.QueryBody, side int) []string {
	info := p.a.Bodies[op]
	maps := !op.All && slices.ContainsFunc(info.Fields, func(f *analyze.Field) bool { return hasMap(f.Type) })
	if !maps && info.Corresponding == nil {
		return p.body(b)
	}
	var columns []string
	text := p.capture(func() { columns = p.body(b) })
	names := make([]string, len(info.Fields))
	p.put("SELECT ")
	p.list(len(names), func(i int) {
		names[i] = p.name("c")
		column := columns[i]
		if info.Corresponding != nil {
			column = columns[info.Corresponding[side][i]]
		}
		if maps {
			p.canonical(info.Fields[i].Type, p.alias(column))
		} else {
			p.put(column)
		}
		p.put(" AS ", names[i])
	})
	p.put(" FROM (", text, ")")
	return names
}

// values writes VALUES as a query with named columns.
func (p *printer) values(v *trinosql.Values) []string {
	fields := p.a.Bodies[v].Fields
	names := make([]string, len(fields))
	for i := range names {
		names[i] = p.name("c")
	}
	if len(fields) > 1 || p.typeOf(v.Rows[0]).Kind == types.Row {
		for _, r := range v.Rows {
			if _, ok := r.(*trinosql.Row); !ok {
				p.rowValues(v, names)
				return names
			}
		}
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

// rowValues writes VALUES in which some rows are not row constructors.
func (p *printer) rowValues(v *trinosql.Values, names []string) {
	fields := p.a.Bodies[v].Fields
	args := make([]*types.Type, len(fields))
	for i, f := range fields {
		args[i] = f.Type
	}
	common, row := types.NewRow(nil, args), p.name("c")
	p.put("SELECT ")
	p.list(len(names), func(i int) { p.put(field(row, i), " AS ", names[i]) })
	p.put(" FROM (VALUES ")
	p.list(len(v.Rows), func(i int) { p.put("(", func() { p.cell(v.Rows[i], common) }, ")") })
	p.put(") AS ", p.name("r"), "(", row, ")")
}

// cell writes an expression as a value of a column of a type.
func (p *printer) cell(x trinosql.Expr, t *types.Type) {
	if p.grouped == nil && p.a.Coercions[x] == nil && !types.Equal(p.a.Types[x], t) && p.remade(x, t) {
		return
	}
	p.convert(x, p.typeOf(x), t, p.operand(x))
}
