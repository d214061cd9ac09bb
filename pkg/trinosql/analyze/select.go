package analyze

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// selectState is a SELECT that is being resolved.
type selectState struct {
	windows map[string]*window // the named ones
}

// selectBody resolves a SELECT. The query is the one whose ORDER BY and LIMIT belong to it, nil for an operand of a set
// operation.
func (z *analyzer) selectBody(b *trinosql.Select, q *trinosql.Query, s *scope) []*Field {
	info := &Select{}
	z.an.Selects[b] = info
	outer := z.sel
	z.sel = &selectState{windows: map[string]*window{}}
	defer func() { z.sel = outer }()

	source := s.inner(z.from(b.From, s))
	info.From = source.fields
	z.namedWindows(b, source)
	var order []*trinosql.SortItem
	if q != nil {
		order = q.OrderBy
	}
	z.callWindows(b, order)
	if b.Where != nil {
		z.scalarOnly(b.Where, b.Where, "WHERE clause")
		z.condition(b.Where, source, "WHERE")
	}
	z.items(b, info, source)
	z.groupBy(b, info, source)
	if b.Having != nil {
		if w := collect([]trinosql.Expr{b.Having}, isWindowFunction); len(w) > 0 {
			fail("NESTED_WINDOW", w[0], "HAVING clause cannot contain window functions or row pattern measures")
		}
		z.condition(b.Having, source, "HAVING")
	}
	z.outputs(b, info)
	if q != nil {
		if len(order) > 0 {
			out := source.inner(newRelation(info.Fields))
			out.output = true
			info.OrderBy = z.orderBy(order, out, b)
		}
		z.limits(q)
	}
	z.aggregation(b, info, source)
	z.windowCalls(b, info)
	if b.Distinct && len(info.OrderBy) > 0 {
		z.distinctOrder(b, info)
	}
	return info.Fields
}

func (z *analyzer) condition(x trinosql.Expr, s *scope, clause string) {
	t := z.visit(x, context{scope: s, noOuter: z.noOuter})
	if t.Kind == types.Unknown {
		z.rec.Coercions[x] = boolean
	} else if t.Kind != types.Boolean {
		fail("TYPE_MISMATCH", x, "%s clause must evaluate to a boolean: actual type %s", clause, t)
	}
}

// items resolves the select list and expands its stars.
func (z *analyzer) items(b *trinosql.Select, info *Select, s *scope) {
	for _, item := range b.Items {
		switch item := item.(type) {
		case *trinosql.SelectStar:
			z.star(item, b, info, s)
		case *trinosql.SelectExpr:
			t := z.visit(item.Expr, context{scope: s, noOuter: z.noOuter})
			if b.Distinct && !t.Comparable() {
				fail("TYPE_MISMATCH", b, "DISTINCT can only be applied to comparable types (actual: %s): %s", t,
					show(item.Expr))
			}
			name := ""
			if item.Alias != nil {
				name = item.Alias.Name
			} else {
				name = lastName(item.Expr)
			}
			info.Items = append(info.Items, Item{Expr: item.Expr, Type: t, Name: name})
		}
	}
}

// lastName is the implicit name of a column of the select list.
func lastName(x trinosql.Expr) string {
	switch x := x.(type) {
	case *trinosql.Ident:
		return x.Name
	case *trinosql.Deref:
		if qualifiedName(x) != nil {
			return x.Field.Name
		}
	}
	return ""
}

func (z *analyzer) star(item *trinosql.SelectStar, b *trinosql.Select, info *Select, s *scope) {
	add := func(it Item, i int) {
		it.Star = item
		if item.Columns != nil {
			it.Name = windowKey(item.Columns[i]) // in upper case unless it is quoted
		}
		if b.Distinct && !it.Type.Comparable() {
			fail("TYPE_MISMATCH", b, "DISTINCT can only be applied to comparable types (actual: %s)", it.Type)
		}
		info.Items = append(info.Items, it)
	}
	count := func(n int) {
		if item.Columns != nil && len(item.Columns) != n {
			fail("MISMATCHED_COLUMN_ALIASES", item.Columns[0],
				"Column alias list has %d entries but relation has %d columns", len(item.Columns), n)
		}
	}
	if item.Target == nil {
		visible := s.visible()
		if len(visible) == 0 {
			if len(b.From) == 0 {
				fail("COLUMN_NOT_FOUND", item, "SELECT * not allowed in queries without FROM clause")
			}
			fail("COLUMN_NOT_FOUND", item, "SELECT * not allowed from relation that has no columns")
		}
		for i, f := range visible {
			add(Item{Source: f, Type: f.Type, Name: f.Name}, i)
		}
		return
	}
	if name := qualifiedName(item.Target); name != nil {
		if fields, outer, ok := z.starTable(item, name, s); ok {
			if len(fields) == 0 {
				fail("COLUMN_NOT_FOUND", item, "SELECT * not allowed from relation that has no columns")
			}
			count(len(fields))
			for i, f := range fields {
				if outer > 0 && f.Name == "" {
					fail("NOT_SUPPORTED", b, "SELECT * from outer scope table not supported with anonymous columns")
				}
				if outer > 0 {
					z.correlate(item.Target, outer)
				}
				add(Item{Source: f, Outer: outer, Type: f.Type, Name: f.Name}, i)
			}
			return
		}
	}
	t := z.visit(item.Target, context{scope: s, noOuter: z.noOuter})
	if t.Kind != types.Row {
		fail("TYPE_MISMATCH", b, "expected expression of type Row")
	}
	count(len(t.Args))
	for i, f := range t.Args {
		add(Item{Row: item.Target, Index: i, Type: f, Name: t.FieldName(i)}, i)
	}
}

// starTable finds the columns of the table that qualifies a star. ok is false if the name is that of a column of type
// row.
func (z *analyzer) starTable(item *trinosql.SelectStar, name []string, s *scope) (fields []*Field, outer int, ok bool) {
	for ; s != nil; s = s.parent {
		var table, row bool
		for _, f := range s.fields {
			if len(name) <= 3 && f.Alias != nil && qualifies(f.Alias, name) {
				table = true
			}
			if len(name) >= 2 && lowerEqual(f.Name, name[1]) && f.Type.Kind == types.Row && f.Alias != nil &&
				qualifies(f.Alias, name[:1]) {
				row = true
			}
		}
		switch {
		case table && row:
			fail("AMBIGUOUS_NAME", item, "Reference '%s' is ambiguous", strings.Join(name, "."))
		case table:
			for _, f := range s.fields {
				if !f.Hidden && f.Alias != nil && qualifies(f.Alias, name) {
					fields = append(fields, f)
				}
			}
			return fields, outer, true
		case row:
			return nil, 0, false
		}
		if s.boundary {
			outer++
		}
	}
	failNamed("TABLE_NOT_FOUND", strings.Join(name, "."), item, "Unable to resolve reference %s",
		strings.Join(name, "."))
	return nil, 0, false
}

// outputs creates the columns of the result.
func (z *analyzer) outputs(b *trinosql.Select, info *Select) {
	info.Fields = make([]*Field, len(info.Items))
	for i, it := range info.Items {
		f := &Field{Name: it.Name, Type: it.Type}
		source := it.Source
		if ref := z.rec.Columns[it.Expr]; ref != nil {
			source = ref.Field
		}
		if source != nil {
			f.From, f.Column, f.Table = []*Field{source}, source.Column, source.Table
		}
		info.Fields[i] = f
	}
}

// distinctOrder checks that the sort keys of a SELECT DISTINCT are in the select list.
func (z *analyzer) distinctOrder(b *trinosql.Select, info *Select) {
	keys, names := map[int]bool{}, map[string]bool{}
	for _, it := range info.Items {
		keys[z.itemKey(it)] = true
		if it.Name != "" {
			names[strings.ToLower(it.Name)] = true
		}
	}
	for _, k := range info.OrderBy {
		if k.Output >= 0 {
			continue
		}
		if id, ok := k.Item.Expr.(*trinosql.Ident); ok && names[id.Lower()] {
			continue
		}
		if !keys[z.an.key(k.Item.Expr)] {
			fail("EXPRESSION_NOT_IN_DISTINCT", b,
				"For SELECT DISTINCT, ORDER BY expressions must appear in select list")
		}
	}
	for _, k := range info.OrderBy {
		random := collect([]trinosql.Expr{k.Item.Expr}, func(x trinosql.Expr) bool {
			c := z.rec.Calls[x]
			return c != nil && c.Function.Nondeterministic && c.Function.Kind == functions.Scalar
		})
		if len(random) > 0 {
			fail("EXPRESSION_NOT_IN_DISTINCT", k.Item.Expr,
				"Non deterministic ORDER BY expression is not supported with SELECT DISTINCT")
		}
	}
}

// itemKey is the key of the expression of a column of the select list.
func (z *analyzer) itemKey(it Item) int {
	switch {
	case it.Expr != nil:
		return z.an.key(it.Expr)
	case it.Source != nil:
		return z.an.fieldKey(it.Source)
	}
	return z.an.keys.internRow(z.an.key(it.Row), it.Index)
}
