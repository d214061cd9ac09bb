package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// aggregate writes the call of an aggregate or a window function, with its arguments and the clauses after them.
func (p *printer) aggregate(c *call, t *template) {
	for _, part := range t.wrap {
		if part.call {
			break
		}
		p.part(c, part, c.args)
	}
	p.aggregateCall(c, t.parts)
	behind := false
	for _, part := range t.wrap {
		if behind {
			p.part(c, part, c.args)
		}
		behind = behind || part.call
	}
}

func (p *printer) aggregateCall(c *call, parts []part) {
	fn := c.fn
	distinct := fn != nil && fn.Distinct
	if distinct {
		c = p.distinctMaps(c)
	}
	for i, part := range parts {
		text := part.text
		if last := i == len(parts)-1; last {
			text = strings.TrimSuffix(text, ")")
		}
		if fn != nil && text == "count(*" && mayEndBeforeStart(p.a.Windows[fn]) {
			text = "count(1" // for count(*) DuckDB subtracts the bounds
		}
		if distinct && part.text != "" && strings.Contains(text, "(") {
			text = strings.Replace(text, "(", "(DISTINCT ", 1)
			distinct = false
		}
		if part.text != "" {
			p.put(text)
		} else {
			p.part(c, part, c.args)
		}
	}
	if fn == nil {
		p.put(")")
		return
	}
	if fn.Nulls == "IGNORE" {
		p.put(" IGNORE NULLS")
	}
	if len(fn.OrderBy) > 0 {
		p.put(" ORDER BY ")
		p.sortItems(fn.OrderBy)
	}
	p.put(")")
	w := p.a.Windows[fn]
	if w == nil {
		p.filter(fn, fn.Filter)
		return
	}
	if fn.Filter != nil {
		p.put(" FILTER (WHERE ", func() { p.condition(fn.Filter) }, ")")
	}
	p.over(w)
}

// distinctMaps replaces the maps among the arguments with their canonical form, in which equal maps are identical.
func (p *printer) distinctMaps(c *call) *call {
	with := *c
	with.args = append([]operand{}, c.args...)
	for i, a := range c.args {
		if i < len(c.bound.Args) && hasMap(c.bound.Args[i]) {
			with.args[i] = operand{write: func() { p.canonical(c.bound.Args[i], a) }}
		}
	}
	return &with
}

// sortItems writes sort keys that cannot be mistaken for ordinals. The default is NULLS LAST in both directions.
func (p *printer) sortItems(items []*trinosql.SortItem) {
	p.list(len(items), func(i int) {
		x := items[i].Expr
		p.sorted(p.typeOf(x), items[i], func() { p.notOrdinal(x) })
	})
}

// sorted writes a sort key. With NULLS FIRST NaN is less than any number, otherwise greater, as in DuckDB.
func (p *printer) sorted(t *types.Type, s *trinosql.SortItem, key func()) {
	own := p.a.Types[s.Expr] // nil for an ordinal, which is not the value to sort by
	finite := own != nil && float(own) && p.finite(s.Expr)
	if s.Nulls == "FIRST" && float(t) && !finite {
		key = func(text string) func() {
			p.put("isnan(", text, ")")
			if s.Desc {
				p.put(" ASC NULLS FIRST, ")
			} else {
				p.put(" DESC NULLS FIRST, ")
			}
			return func() { p.put(text) }
		}(p.capture(key))
	}
	p.key(t, key)
	p.direction(s)
}

// key writes a key to sort or partition by. DuckDB returns a sorted column from its sort keys, which do not tell -0.0
// from 0.0, so that the key must not be the column itself.
func (p *printer) key(t *types.Type, write func()) {
	switch {
	case float(t):
		p.put("(")
		write()
		p.put(" + 0)")
	case nested(t) && hasFloat(t):
		p.put("list_extract([")
		write()
		p.put("], 1)")
	default:
		write()
	}
}

func (p *printer) direction(s *trinosql.SortItem) {
	if s.Desc {
		p.put(" DESC")
	} else {
		p.put(" ASC")
	}
	if s.Nulls == "FIRST" {
		p.put(" NULLS FIRST")
	} else {
		p.put(" NULLS LAST")
	}
}

// notOrdinal writes an expression where DuckDB would interpret a number as an ordinal.
func (p *printer) notOrdinal(x trinosql.Expr) {
	if p.a.Columns[x] != nil {
		p.expr(x)
		return
	}
	p.put("CAST(", x, " AS ", p.duckType(x, p.typeOf(x)), ")")
}
