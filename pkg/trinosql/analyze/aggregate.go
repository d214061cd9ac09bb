package analyze

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

// aggregation collects the aggregates of a SELECT and checks that every other expression is constant within a group.
func (z *analyzer) aggregation(b *trinosql.Select, info *Select, s *scope) {
	var list, order []trinosql.Expr
	for _, it := range info.Items {
		list = append(list, some(it.Expr)...)
	}
	outputs := len(list)
	list = append(list, some(b.Having)...)
	for _, w := range b.Windows {
		list = append(list, windowParts(w.Window)...)
	}
	for _, k := range info.OrderBy {
		if k.Output < 0 {
			order = append(order, k.Item.Expr)
		}
	}
	both := append(list[:len(list):len(list)], order...)
	for _, x := range collect(both, isGrouping) {
		info.Groupings = append(info.Groupings, x.(*trinosql.Grouping))
	}
	if len(info.Groupings) > 0 && b.GroupBy == nil {
		fail("MISSING_GROUP_BY", b,
			"A GROUPING() operation can only be used with a corresponding GROUPING SET/CUBE/ROLLUP/GROUP BY clause")
	}
	info.Aggregates = collect(both, isAggregate)
	if b.GroupBy == nil && len(collect(append(list[:outputs:outputs], order...), isAggregate)) > 0 {
		info.Grouped = true
	}
	if !info.Grouped {
		return
	}
	if info.Sets == nil {
		info.Sets = [][]int{{}}
	}
	g := &groupCheck{z: z, keys: map[int]bool{}, known: map[trinosql.Expr]bool{}}
	for _, k := range info.Keys {
		g.keys[k.key] = true
	}
	for _, it := range info.Items {
		if it.Expr == nil && it.Source != nil && it.Outer == 0 && !g.keys[z.an.fieldKey(it.Source)] {
			g.starFails(b, it, s)
		}
		if it.Row != nil && !g.same(it.Row) {
			fail("EXPRESSION_NOT_AGGREGATE", it.Row,
				"'%s' must be an aggregate expression or appear in GROUP BY clause", show(it.Row)+"["+itoa(it.Index+1)+
					"]")
		}
		if it.Expr != nil {
			g.check(it.Expr)
		}
	}
	for _, x := range list[outputs:] {
		g.check(x)
	}
	g.sorting = true
	g.known = map[trinosql.Expr]bool{}
	for _, x := range order {
		g.check(x)
	}
}

// groupCheck determines which expressions are constant within a group.
type groupCheck struct {
	z       *analyzer
	keys    map[int]bool
	known   map[trinosql.Expr]bool
	sorting bool // in ORDER BY, where output columns are visible too
}

func (g *groupCheck) check(x trinosql.Expr) {
	if !g.same(x) {
		fail("EXPRESSION_NOT_AGGREGATE", x, "'%s' must be an aggregate expression or appear in GROUP BY clause",
			show(x))
	}
}

func (g *groupCheck) starFails(b *trinosql.Select, it Item, s *scope) {
	column := "'" + it.Source.Name + "'"
	switch {
	case it.Source.Name == "":
		for i, f := range s.fields {
			if f == it.Source {
				column = itoa(i + 1)
			}
		}
	case len(it.Source.Alias) > 0:
		column = "'" + join(it.Source.Alias) + "." + it.Source.Name + "'"
	}
	failNowhere("EXPRESSION_NOT_AGGREGATE", "Column %s not in GROUP BY clause", column)
}

// same reports whether an expression is constant within a group.
func (g *groupCheck) same(x trinosql.Expr) bool {
	if v, ok := g.known[x]; ok {
		return v
	}
	v := g.isKey(x) || g.look(x)
	g.known[x] = v
	return v
}

func (g *groupCheck) isKey(x trinosql.Expr) bool {
	return g.keys[g.z.an.key(x)] && !(g.sorting && g.usesOutput(x)) && !g.usesLambda(x)
}

// usesOutput reports whether an expression refers to an output column.
func (g *groupCheck) usesOutput(x trinosql.Expr) bool { return g.firstOutput(x) != nil }

// firstOutput is the first reference to an output column in an expression or in its subqueries, nil if there is none.
func (g *groupCheck) firstOutput(x trinosql.Expr) (first trinosql.Expr) {
	look := func(x trinosql.Expr) {
		if ref := g.z.rec.Columns[x]; ref != nil && ref.OfOutput && first == nil {
			first = x
		}
	}
	collect([]trinosql.Expr{x}, func(x trinosql.Expr) bool {
		if q := query(x); q != nil {
			for _, r := range g.z.outer[q] {
				if r.level == 1 {
					look(r.expr)
				}
			}
		}
		look(x)
		return false
	})
	return first
}

// usesLambda reports whether an expression refers to a parameter of an enclosing lambda.
func (g *groupCheck) usesLambda(x trinosql.Expr) bool {
	inside := map[*trinosql.Lambda]bool{}
	var refs []*LambdaRef
	collect([]trinosql.Expr{x}, func(x trinosql.Expr) bool {
		switch x := x.(type) {
		case *trinosql.Lambda:
			inside[x] = true
		case *trinosql.Ident:
			if r := g.z.rec.Lambdas[x]; r != nil {
				refs = append(refs, r)
			}
		}
		return false
	})
	for _, r := range refs {
		if !inside[r.Lambda] {
			return true
		}
	}
	return false
}

func (g *groupCheck) all(list []trinosql.Expr) bool {
	for _, x := range list {
		if !g.same(x) {
			return false
		}
	}
	return true
}

func (g *groupCheck) look(x trinosql.Expr) bool {
	if ref := g.z.rec.Columns[x]; ref != nil {
		return ref.Outer > 0 || g.sorting && ref.OfOutput
	}
	if q := query(x); q != nil {
		for _, r := range g.z.outer[q] {
			ref := g.z.rec.Columns[r.expr]
			if r.level != 1 || ref == nil || g.keys[g.z.an.key(r.expr)] || g.sorting && ref.OfOutput {
				continue
			}
			fail("EXPRESSION_NOT_AGGREGATE", r.expr, "Subquery uses '%s' which must appear in GROUP BY clause",
				show(r.expr))
		}
	}
	switch x := x.(type) {
	case *trinosql.Ident:
		return true // a lambda's parameter
	case *trinosql.Func:
		return g.call(x)
	case *trinosql.Listagg:
		g.aggregate(x, "listagg", []trinosql.Expr{x.X}, x.Distinct, x.Within, x.Filter)
		return true
	case *trinosql.Grouping:
		g.grouping(x)
		return true
	}
	return g.all(children(x))
}

func (g *groupCheck) call(x *trinosql.Func) bool {
	name := funcName(x)
	if functions.IsKind(name, functions.Aggregate) {
		if !isWindow(x) {
			g.aggregate(x, name, x.Args, x.Distinct, x.OrderBy, x.Filter)
			return true
		}
	} else {
		if x.Filter != nil {
			fail("FUNCTION_NOT_AGGREGATE", x, "Filter is only valid for aggregation functions")
		}
		if x.OrderBy != nil {
			fail("FUNCTION_NOT_AGGREGATE", x, "ORDER BY is only valid for aggregation functions")
		}
	}
	if x.Over != nil {
		g.over(x.Over)
	}
	return g.all(x.Args)
}

func (g *groupCheck) over(w *trinosql.WindowSpec) {
	for _, p := range w.PartitionBy {
		if !g.same(p) {
			fail("EXPRESSION_NOT_AGGREGATE", p,
				"PARTITION BY expression '%s' must be an aggregate expression or appear in GROUP BY clause", show(p))
		}
	}
	for _, s := range w.OrderBy {
		if !g.same(s.Expr) {
			fail("EXPRESSION_NOT_AGGREGATE", s.Expr,
				"ORDER BY expression '%s' must be an aggregate expression or appear in GROUP BY clause", show(s.Expr))
		}
	}
	if w.Frame == nil {
		return
	}
	for i, b := range []*trinosql.FrameBound{w.Frame.Start, w.Frame.End} {
		if b != nil && b.Value != nil && !g.same(b.Value) {
			fail("EXPRESSION_NOT_AGGREGATE", b.Value,
				"Window frame %s must be an aggregate expression or appear in GROUP BY clause",
				[...]string{"start", "end"}[i])
		}
	}
}

func (g *groupCheck) aggregate(x trinosql.Expr, name string, args []trinosql.Expr, distinct bool,
	order []*trinosql.SortItem, filter trinosql.Expr) {
	parts := append(sortKeys(order), args...)
	if filter != nil {
		parts = append(parts, filter)
	}
	if nested := collect(parts, isAggregate); len(nested) > 0 {
		fail("NESTED_AGGREGATION", x, "Cannot nest aggregations inside aggregation '%s': [%s]", name, showList(nested))
	}
	if nested := collect(parts, isWindow); len(nested) > 0 {
		fail("NESTED_WINDOW", x, "Cannot nest window functions or row pattern measures inside aggregation '%s': [%s]",
			name, showList(nested))
	}
	if distinct && len(order) > 0 {
		given := map[int]bool{}
		for _, a := range args {
			given[g.z.an.key(a)] = true
		}
		for _, s := range order {
			if !given[g.z.an.key(s.Expr)] {
				fail("EXPRESSION_NOT_IN_DISTINCT", s.Expr,
					"For aggregate function with DISTINCT, ORDER BY expressions must appear in arguments")
			}
		}
	}
	if !g.sorting {
		return
	}
	for _, s := range order {
		if at := g.firstOutput(s.Expr); at != nil {
			fail("COLUMN_NOT_FOUND", at,
				"ORDER BY clause in aggregation function must not reference query output columns")
		}
	}
	for _, a := range append(args[:len(args):len(args)], some(filter)...) {
		if at := g.firstOutput(a); at != nil {
			fail("COLUMN_NOT_FOUND", at, "Invalid reference to output projection attribute from ORDER BY aggregation")
		}
	}
}

func (g *groupCheck) grouping(x *trinosql.Grouping) {
	for _, c := range x.Columns {
		if g.sorting && g.usesOutput(c) {
			failNowhere("INVALID_ARGUMENTS",
				"Invalid reference to output of SELECT clause from grouping() expression in ORDER BY")
		}
		if g.z.rec.Columns[c] == nil || !g.keys[g.z.an.key(c)] {
			fail("INVALID_ARGUMENTS", x, "The arguments to GROUPING() must be expressions referenced by the GROUP BY "+
				"at the associated query level. Mismatch due to %s.", show(c))
		}
	}
}
