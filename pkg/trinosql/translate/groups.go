package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
)

// groupBy writes GROUP BY with sets of the keys.
func (p *printer) groupBy(s *trinosql.Select, info *analyze.Select) {
	keys := make([]string, len(info.Keys))
	for i, k := range info.Keys {
		keys[i] = p.apart(func() { p.key(s, info, k) })
	}
	if len(info.Sets) == 1 && len(info.Sets[0]) == len(keys) {
		if len(keys) > 0 {
			p.put(" GROUP BY ", strings.Join(keys, ", "))
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

// key writes what rows are grouped by, as it is written wherever else it stands.
func (p *printer) key(s *trinosql.Select, info *analyze.Select, k analyze.GroupKey) {
	switch {
	case k.Expr == nil:
		it := info.Items[k.Item]
		if it.Source == nil {
			p.refuse(s.GroupBy, "grouping by the field of a row is not supported on zone local")
		}
		p.put(p.fields[it.Source])
	case constant(k.Expr):
		p.notOrdinal(k.Expr)
	default:
		p.expr(k.Expr)
	}
}

// constant reports whether DuckDB would take an expression for the place of a column.
func constant(x trinosql.Expr) bool {
	switch x.(type) {
	case *trinosql.IntLit, *trinosql.NullLit, *trinosql.StringLit, *trinosql.BoolLit, *trinosql.Unary:
		return true
	}
	return false
}

// grouping writes GROUPING(columns).
func (p *printer) grouping(x *trinosql.Grouping) {
	p.put("CAST(grouping(")
	p.list(len(x.Columns), func(i int) { p.expr(x.Columns[i]) })
	p.put(") AS ", p.duckType(x, p.a.Types[x]), ")")
}

func init() {
	specials["*trinosql.Grouping"] = func(p *printer, x trinosql.Expr) { p.grouping(x.(*trinosql.Grouping)) }
}
