package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// aggregate writes the call of an aggregate or a window function, with what stands in and behind its parentheses.
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
	args := c.args
	if distinct && len(args) == 1 && c.bound.Args[0].Kind == types.Map {
		args = []operand{{write: func() { p.canonical(c.bound.Args[0], c.args[0]) }}}
	}
	for i, part := range parts {
		text := part.text
		if last := i == len(parts)-1; last {
			text = strings.TrimSuffix(text, ")")
		}
		if distinct && part.text != "" && strings.Contains(text, "(") {
			text = strings.Replace(text, "(", "(DISTINCT ", 1)
			distinct = false
		}
		if part.text != "" {
			p.put(text)
		} else {
			p.part(c, part, args)
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
	if fn.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.condition(fn.Filter)
		p.put(")")
	}
	if w := p.a.Windows[fn]; w != nil {
		p.over(w)
	}
}

// sortItems writes sort keys that no ordinal can be meant by. NULL comes last whatever the direction.
func (p *printer) sortItems(items []*trinosql.SortItem) {
	p.list(len(items), func(i int) {
		p.notOrdinal(items[i].Expr)
		p.direction(items[i])
	})
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

// notOrdinal writes an expression where DuckDB would take a number for the place of a column.
func (p *printer) notOrdinal(x trinosql.Expr) {
	if p.a.Columns[x] != nil {
		p.expr(x)
		return
	}
	p.put("CAST(")
	p.expr(x)
	p.put(" AS ", p.duckType(x, p.typeOf(x)), ")")
}
