package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// join writes a join. The columns of USING are compared in the type that the analysis determined, and represent both sides.
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
	if j.On != nil && (kind == "LEFT" || kind == "RIGHT" || kind == "FULL") {
		l, r := p.joinSubqueries(j)
		if l != "" {
			left = "(" + left + l + ")"
		}
		if r != "" {
			right = "(" + right + r + ")"
		}
	}
	p.put("(", left, " ", kind, " JOIN ", right)
	switch {
	case j.On != nil:
		p.put(" ON ")
		p.condition(j.On)
	case len(info.Using) > 0:
		p.put(" ON (")
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
	case j.Natural:
		p.put(" ON true")
	}
	p.put(")")
}

// side is a column of USING in the common type.
func (p *printer) side(f *analyze.Field, t *types.Type, at trinosql.Node) string {
	return p.capture(func() {
		p.cast(&conversion{node: at, from: f.Type, to: t, operand: operand{write: func() { p.put(p.fields[f]) }, cheap: true}})
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

// unnestsDirectly reports whether the arguments of UNNEST can be those of unnest: each is written once, or is a column. DuckDB then unnests row by
// row, in the order of the rows; otherwise it joins the rows with the elements.
func (p *printer) unnestsDirectly(u *trinosql.Unnest) bool {
	return !slices.ContainsFunc(u.Exprs, func(x trinosql.Expr) bool {
		twice := u.Ordinality || p.typeOf(x).Kind == types.Map
		return twice && p.a.Columns[x] == nil || strings.Contains(p.capture(func() { p.expr(x) }), "SELECT ")
	})
}

// lateral writes LATERAL (query).
func (p *printer) lateral(q *trinosql.Query, fields []*analyze.Field) {
	p.put("LATERAL ")
	p.subquery(q, fields)
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
