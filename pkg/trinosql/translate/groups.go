package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// groupKeys writes the grouping keys. A key that is not a column is translated once, and its text is written verbatim
// wherever the key occurs.
func (p *printer) groupKeys(s *trinosql.Select, info *analyze.Select) []string {
	p.grouped = nil
	keys := make([]string, len(info.Keys))
	for i, k := range info.Keys {
		switch {
		case k.Expr == nil && info.Items[k.Item].Source == nil:
			p.refuse(s.GroupBy, "grouping by the field of a row is not supported on zone local")
		case k.Expr == nil:
			keys[i] = p.fields[info.Items[k.Item].Source]
			if hasMap(k.Type) {
				keys[i] = p.capture(func() { p.canonical(k.Type, p.alias(keys[i])) })
				p.recordKeyText(p.a.FieldKey(info.Items[k.Item].Source), keys[i])
			}
		case hasMap(k.Type):
			keys[i] = p.capture(func() { p.canonical(k.Type, operand{write: func() { p.plain(k.Expr) }}) })
			p.recordKeyText(p.a.Key(k.Expr), keys[i])
		case p.a.Columns[k.Expr] != nil:
			keys[i] = p.capture(func() { p.plain(k.Expr) })
		case constant(k.Expr):
			keys[i] = p.capture(func() { p.notOrdinal(k.Expr) })
		default:
			keys[i] = p.capture(func() { p.plain(k.Expr) })
			// the expression is translated to a number, which would be an ordinal
			if _, err := strconv.Atoi(keys[i]); err == nil {
				keys[i] = p.capture(func() { p.notOrdinal(k.Expr) })
			}
			p.recordKeyText(p.a.Key(k.Expr), keys[i])
		}
	}
	return keys
}

// recordKeyText records the text of a grouping key.
func (p *printer) recordKeyText(key int, text string) {
	if p.grouped == nil {
		p.grouped = map[int]string{}
	}
	p.grouped[key] = text
}

// noOuterMap rejects a column with a map of an outer query that groups by it: the key there is the canonical form of
// the map, which DuckDB does not find in a subquery.
func (p *printer) noOuterMap(at trinosql.Expr, f *analyze.Field) {
	if !hasMap(f.Type) {
		return
	}
	for _, grouped := range p.outGrouped {
		if _, ok := grouped[p.a.FieldKey(f)]; ok {
			p.refuse(at,
				"a subquery with a column of type %s that the outer query groups by is not supported on zone local",
				f.Type)
		}
	}
}

// groupBy writes GROUP BY with the grouping sets.
func (p *printer) groupBy(info *analyze.Select, keys []string) {
	switch {
	case len(info.Sets) == 1 && len(info.Sets[0]) == len(keys) && len(keys) > 0:
		p.put(" GROUP BY ", strings.Join(keys, ", "))
		return
	case len(info.Sets) == 1 && len(info.Sets[0]) == 0:
		if len(info.Aggregates) == 0 {
			p.put(" GROUP BY ()")
		}
		return
	}
	p.put(" GROUP BY GROUPING SETS (")
	p.list(len(info.Sets), func(i int) {
		set := make([]string, len(info.Sets[i]))
		for j, k := range info.Sets[i] {
			set[j] = keys[k]
		}
		p.put("(", strings.Join(set, ", "), ")")
	})
	p.put(")")
}

// constant reports whether DuckDB would interpret an expression as an ordinal.
func constant(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.IntLit, *trinosql.NullLit, *trinosql.StringLit, *trinosql.BoolLit, *trinosql.DecimalLit,
		*trinosql.DoubleLit, *trinosql.BinaryLit:
		return true
	case *trinosql.Unary:
		return constant(x.X)
	}
	return false
}

// grouping writes GROUPING(columns).
func (p *printer) grouping(x *trinosql.Grouping) {
	p.put("CAST(grouping(", x.Columns, ") AS ", p.duckType(x, p.a.Types[x]), ")")
}
