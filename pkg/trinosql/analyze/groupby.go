package analyze

import (
	"math"

	"github.com/dig-cli/dig/pkg/trinosql"
)

const maxGroupingSets = 2048

func (z *analyzer) groupBy(b *trinosql.Select, info *Select, s *scope) {
	if b.GroupBy == nil {
		info.Grouped = b.Having != nil
		return
	}
	info.Grouped = true
	checkSets(b.GroupBy)
	places := map[int]int{} // by key, the index in info.Keys
	add := func(k GroupKey) int {
		if i, ok := places[k.key]; ok {
			return i
		}
		places[k.key] = len(info.Keys)
		info.Keys = append(info.Keys, k)
		return len(info.Keys) - 1
	}
	sets := [][]int{{}}
	for _, e := range b.GroupBy.Elements {
		var of [][]int
		if e.Kind == "AUTO" {
			of = [][]int{nil}
			for n, it := range info.Items {
				if f, ok := it.Expr.(*trinosql.Func); ok && isAggregate(f) {
					continue
				}
				if it.Expr != nil {
					z.scalarOnly(it.Expr, it.Expr, "GROUP BY clause")
				}
				of[0] = append(of[0], add(GroupKey{Expr: it.Expr, Item: n, Type: it.Type, key: z.itemKey(it)}))
			}
		} else if e.Kind == "" {
			var set []int
			for _, x := range e.Sets[0].Exprs {
				set = append(set, add(z.groupKey(x, info, s)))
			}
			of = [][]int{set}
		} else {
			var parts [][]int
			for _, g := range e.Sets {
				var set []int
				for _, x := range groupExprs(e, g) {
					t := z.visit(x, context{scope: s, noOuter: z.noOuter})
					if z.rec.Columns[x] == nil {
						fail("INVALID_COLUMN_REFERENCE", x, "GROUP BY expression must be a column reference: %s",
							show(x))
					}
					set = append(set, add(GroupKey{Expr: x, Item: -1, Type: t, key: z.an.key(x)}))
				}
				parts = append(parts, set)
			}
			of = expand(e.Kind, parts)
		}
		var product [][]int
		for _, a := range sets {
			for _, c := range of {
				product = append(product, union(a, c))
			}
		}
		sets = product
	}
	for _, k := range info.Keys {
		if !k.Type.Comparable() {
			fail("TYPE_MISMATCH", b, "%s is not comparable, and therefore cannot be used in GROUP BY", k.Type)
		}
	}
	if b.GroupBy.Distinct {
		sets = distinctSets(sets)
	}
	info.Sets = sets
}

// groupExprs are the columns of one set of an element: (a, b) in parentheses is one set of ROLLUP and CUBE.
func groupExprs(e *trinosql.GroupingElement, g *trinosql.GroupingSet) []trinosql.Expr {
	if len(g.Exprs) == 1 && e.Kind != "GROUPING SETS" {
		if r, ok := g.Exprs[0].(*trinosql.Row); ok && r.Bare {
			return r.Items
		}
	}
	return g.Exprs
}

func (z *analyzer) groupKey(x trinosql.Expr, info *Select, s *scope) GroupKey {
	n, ok := ordinal(x)
	if !ok {
		z.scalarOnly(x, x, "GROUP BY clause")
		t := z.visit(x, context{scope: s, noOuter: z.noOuter})
		return GroupKey{Expr: x, Item: -1, Type: t, key: z.an.key(x)}
	}
	if n < 1 || n > int64(len(info.Items)) {
		fail("INVALID_COLUMN_REFERENCE", x, "GROUP BY position %d is not in select list", n)
	}
	it := info.Items[n-1]
	if it.Expr != nil {
		z.scalarOnly(it.Expr, it.Expr, "GROUP BY clause")
	}
	return GroupKey{Expr: it.Expr, Item: int(n) - 1, Type: it.Type, key: z.itemKey(it)}
}

// checkSets rejects a GROUP BY with too many grouping sets.
func checkSets(g *trinosql.GroupBy) {
	var at trinosql.Node = g.Elements[0]
	if g.Distinct || g.All {
		at = clause{g}
	}
	product := 1
	for _, e := range g.Elements {
		n := 1
		switch e.Kind {
		case "CUBE":
			if len(e.Sets) > 30 {
				fail("TOO_MANY_GROUPING_SETS", at, "GROUP BY has more than %d grouping sets but can contain at most %d",
					math.MaxInt32, maxGroupingSets)
			}
			n = 1 << len(e.Sets)
		case "ROLLUP":
			n = len(e.Sets) + 1
		case "GROUPING SETS":
			n = len(e.Sets)
		}
		if product > math.MaxInt32/max(n, 1) {
			fail("TOO_MANY_GROUPING_SETS", at, "GROUP BY has more than %d grouping sets but can contain at most %d",
				math.MaxInt32, maxGroupingSets)
		}
		if product *= n; product > maxGroupingSets {
			fail("TOO_MANY_GROUPING_SETS", at, "GROUP BY has %d grouping sets but can contain at most %d", product,
				maxGroupingSets)
		}
	}
}

// expand returns the grouping sets of an element.
func expand(kind string, parts [][]int) [][]int {
	var sets [][]int
	switch kind {
	case "ROLLUP":
		for n := len(parts); n >= 0; n-- {
			var set []int
			for _, p := range parts[:n] {
				set = union(set, p)
			}
			sets = append(sets, set)
		}
	case "CUBE":
		for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
			var set []int
			for i, p := range parts {
				if mask>>(len(parts)-1-i)&1 == 1 {
					set = union(set, p)
				}
			}
			sets = append(sets, set)
		}
	default:
		return parts
	}
	return sets
}

// union is a followed by the members of b that are not in it.
func union(a, b []int) []int {
	out := append([]int{}, a...)
next:
	for _, n := range b {
		for _, m := range out {
			if n == m {
				continue next
			}
		}
		out = append(out, n)
	}
	return out
}

func distinctSets(sets [][]int) [][]int {
	seen := map[string]bool{}
	var out [][]int
	for _, s := range sets {
		bits := make([]byte, 0, len(s))
		in := map[int]bool{}
		top := -1
		for _, n := range s {
			in[n] = true
			top = max(top, n)
		}
		for i := 0; i <= top; i++ {
			if in[i] {
				bits = append(bits, '1')
			} else {
				bits = append(bits, '0')
			}
		}
		if !seen[string(bits)] {
			seen[string(bits)] = true
			out = append(out, s)
		}
	}
	return out
}
