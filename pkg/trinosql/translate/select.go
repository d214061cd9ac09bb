package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// selectBody writes a SELECT and returns the names of its columns. The function more, if not nil, writes additional
// columns after them.
func (p *printer) selectBody(s *trinosql.Select, more func()) []string {
	info := p.a.Selects[s]
	from := p.capture(func() { p.list(len(s.From), func(i int) { p.relation(s.From[i]) }) })
	p.own = p.anyOf(s)
	keys := p.groupKeys(s, info)
	p.inGroups = info.Grouped
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
			text := p.fields[it.Source]
			if p.grouped != nil {
				if key, ok := p.grouped[p.a.FieldKey(it.Source)]; ok {
					text = key
				}
			}
			item = p.alias(text)
		default:
			item.write = func() { p.rowField(it) }
		}
		to := it.Type
		if coerced != nil && coerced.Coerced != nil {
			to = coerced.Coerced[i]
		}
		if s.Distinct && hasMap(from) {
			given := item
			item = operand{write: func() { p.canonical(from, given) }}
		}
		if from.Kind == types.Unknown && to.Kind == types.Unknown {
			p.put("CAST(", item) // NULL too, but the item may be an aggregate, or fail
			p.put(" AS INTEGER)")
		} else {
			p.convert(s, from, to, item)
		}
		p.put(" AS ", names[i])
	})
	if more != nil {
		more()
	}
	if len(s.From) > 0 {
		p.put(" FROM ", from)
	}
	if s.Where != nil {
		p.put(" WHERE ")
		p.condition(s.Where)
	}
	if info.Grouped {
		p.groupBy(info, keys)
	}
	if s.Having != nil {
		p.put(" HAVING ")
		p.condition(s.Having)
	}
	return names
}

// rowField writes a column of row.*.
func (p *printer) rowField(it analyze.Item) {
	row := p.capture(func() { p.expr(it.Row) })
	if strings.Contains(row, "(SELECT ") {
		p.refuse(it.Star, "the fields of a row that a subquery returns are not supported on zone local")
	}
	p.put("struct_extract_at(", row, ", ", strconv.Itoa(it.Index+1), ")")
}
