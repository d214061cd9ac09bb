package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// join writes a join. The columns of USING are compared in the type that the analysis determined, and represent both
// sides.
func (p *printer) join(j *trinosql.Join) {
	left := p.capture(func() { p.relation(j.Left) })
	info := p.a.Relations[j]
	kind := j.Kind
	if info.Using != nil || j.Natural {
		if kind == "CROSS" || kind == "" {
			kind = "INNER"
		}
	}
	right := p.capture(func() { p.relation(j.Right) })
	if p.a.Relations[j.Right].Lateral {
		switch kind {
		case "RIGHT":
			p.eachRight(j, left, right)
			return
		case "FULL":
			kind = "LEFT" // each row of the left side is joined with the rows of the right side that belong to it
		}
	}
	if j.On != nil && (kind == "LEFT" || kind == "RIGHT" || kind == "FULL") {
		left, right = p.joinSubqueries(j, left, right)
	}
	p.put("(", left, " ", kind, " JOIN ", right)
	if j.On != nil || j.Natural || len(info.Using) > 0 {
		p.put(" ON ", p.joinCondition(j, kind))
	}
	p.put(")")
}

// joinCondition is the condition of a join, true if it has none. It records the references of the columns of USING.
func (p *printer) joinCondition(j *trinosql.Join, kind string) string {
	info := p.a.Relations[j]
	return p.capture(func() {
		switch {
		case j.On != nil:
			p.condition(j.On)
		case len(info.Using) == 0:
			p.put("true")
		default:
			p.put("(")
			for i, u := range info.Using {
				if i > 0 {
					p.put(" AND ")
				}
				l, r := p.side(u.Left, u.Out.Type, j), p.side(u.Right, u.Out.Type, j)
				p.put(p.equal(j, u.Out.Type, l, r))
				switch kind {
				case "RIGHT":
					p.fields[u.Out] = r
				case "FULL":
					p.fields[u.Out] = "coalesce(" + l + ", " + r + ")"
				default:
					p.fields[u.Out] = l
				}
			}
			p.put(")")
		}
	})
}

// eachRight writes a RIGHT JOIN with a lateral relation. Trino does it for each row of the left side: the rows of the
// right side are repeated as often, and those that do not meet the condition come without the columns of the left side.
func (p *printer) eachRight(j *trinosql.Join, left, right string) {
	met, name := p.name("c"), p.name("r")
	condition := p.joinCondition(j, "RIGHT")
	info := p.a.Relations[j]
	var outer, inner []string
	add := func(f *analyze.Field, form string) {
		c, value := p.name("c"), p.name("c")
		inner = append(inner, p.fields[f]+" AS "+value)
		outer = append(outer, fmt.Sprintf(form, value)+" AS "+c)
		p.fields[f] = name + "." + c
	}
	for _, u := range info.Using {
		add(u.Out, "%s")
	}
	for _, f := range p.a.Relations[j.Left].Fields {
		add(f, "CASE WHEN "+met+" THEN %s END")
	}
	for _, f := range p.a.Relations[j.Right].Fields {
		add(f, "%s")
	}
	p.put("(SELECT ", strings.Join(outer, ", "), " FROM (SELECT ", condition, " AS ", met, ", ",
		strings.Join(inner, ", "),
		" FROM (", left, " CROSS JOIN ", right, "))) AS ", name)
}

// side is a column of USING in the common type.
func (p *printer) side(f *analyze.Field, t *types.Type, at trinosql.Node) string {
	return p.capture(func() {
		p.convert(at, f.Type, t, operand{write: func() { p.put(p.fields[f]) },
			cheap: true})
	})
}

// unnest writes UNNEST as a query over the elements: shorter lists are padded with NULL.
func (p *printer) unnest(u *trinosql.Unnest, fields []*analyze.Field) {
	rel := p.name("r")
	var values, lists, columns, lengths []string
	direct := p.unnestsDirectly(u)
	for i, x := range u.Exprs {
		in, out := p.name("u"), p.name("u")
		if value := p.capture(func() { p.expr(x) }); direct {
			in = value
		} else {
			values = append(values, value+" AS "+in)
		}
		length := "len(" + in + ")"
		switch t := p.typeOf(x); {
		case t.Kind == types.Map:
			second := p.name("u")
			lists = append(lists, "unnest(map_keys("+in+")) AS "+out, "unnest(map_values("+in+")) AS "+second)
			columns = append(columns, out, second)
			length = "cardinality(" + in + ")"
		case t.Kind == types.Array && t.Args[0].Kind == types.Row:
			lists = append(lists, "unnest("+in+") AS "+out)
			for k := range p.a.Relations[u].Unnest[i] {
				columns = append(columns, fmt.Sprintf("struct_extract_at(%s, %d)", out, k+1))
			}
		case t.Kind == types.Unknown:
			lists = append(lists, "unnest(CAST(NULL AS INTEGER[])) AS "+out)
			columns = append(columns, out)
			length = "0"
		default:
			lists = append(lists, "unnest("+in+") AS "+out)
			columns = append(columns, out)
		}
		lengths = append(lengths, "coalesce(CAST("+length+" AS BIGINT), 0)")
	}
	if u.Ordinality {
		out := p.name("u")
		lists = append(lists, "unnest(range(1, 1 + greatest("+strings.Join(lengths, ", ")+"))) AS "+out)
		columns = append(columns, out)
	}
	p.put("LATERAL (SELECT ")
	p.list(len(fields), func(i int) {
		c := p.name("c")
		p.put(columns[i], " AS ", c)
		p.fields[fields[i]] = rel + "." + c
	})
	p.put(" FROM (SELECT ", strings.Join(lists, ", "))
	if !direct {
		p.put(" FROM (SELECT ", strings.Join(values, ", "), ")")
	}
	p.put(")) AS ", rel)
}

// unnestsDirectly reports whether the arguments of UNNEST can be those of unnest: each is written once, or is a column.
// DuckDB then unnests row by row, in the order of the rows; otherwise it joins the rows with the elements. Arguments of
// an outer query cannot: DuckDB confuses their columns.
func (p *printer) unnestsDirectly(u *trinosql.Unnest) bool {
	return !slices.ContainsFunc(u.Exprs, func(x trinosql.Expr) bool {
		if len(p.outerColumns(x)) > 0 {
			return true
		}
		twice := u.Ordinality || p.typeOf(x).Kind == types.Map
		return twice && p.a.Columns[x] == nil || strings.Contains(p.capture(func() { p.expr(x) }), "SELECT ")
	})
}

// lateral writes LATERAL (query). Where the right side of a LEFT JOIN is an aggregate over no rows, DuckDB makes NULLs
// of all columns unless some expression may be other than NULL though its operands are NULL.
func (p *printer) lateral(q *trinosql.Query, fields []*analyze.Field) {
	name := p.name("r")
	var columns []string
	text := p.capture(func() { columns = p.query(q) })
	p.put("LATERAL (SELECT ")
	p.list(len(fields), func(i int) {
		c := p.name("c")
		if i == 0 {
			p.put("CASE WHEN true THEN ", columns[i], " END AS ", c)
		} else {
			p.put(columns[i], " AS ", c)
		}
		p.fields[fields[i]] = name + "." + c
	})
	p.put(" FROM (", text, ")) AS ", name)
}

// sampled writes TABLESAMPLE.
func (p *printer) sampled(r *trinosql.Sampled) {
	n, ok := r.Percentage.(*trinosql.IntLit)
	d, ok2 := r.Percentage.(*trinosql.DecimalLit)
	if !ok && !ok2 {
		p.refuse(r, "TABLESAMPLE needs a constant percentage on zone local")
	}
	text := ""
	if ok {
		text = n.Text
	} else {
		text = d.Text
	}
	rel := p.name("r")
	fields := p.a.Relations[r].Fields
	inner := p.capture(func() { p.relation(r.Relation) })
	of := p.a.Relations[r.Relation].Fields
	p.put("(SELECT ")
	columns := make([]string, len(fields))
	p.list(len(of), func(i int) {
		columns[i] = p.name("c")
		p.put(p.fields[of[i]], " AS ", columns[i])
	})
	p.put(" FROM ", inner, " WHERE random() * 100 < ", text, ") AS ", rel)
	for i, f := range fields {
		p.fields[f] = rel + "." + columns[i]
		p.fields[of[i]] = p.fields[f]
	}
}
