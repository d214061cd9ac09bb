package translate

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func (p *printer) unary(x *trinosql.Unary) {
	b := p.a.Operators[x]
	if b == nil { // + or a sign that belongs to a number
		if x.Op == "-" {
			p.signed("-", x.X)
			return
		}
		p.expr(x.X)
		return
	}
	p.operator(x, b, x.X)
}

func (p *printer) binary(x *trinosql.Binary) {
	b := p.a.Operators[x]
	if b == nil {
		b = p.a.Calls[x]
	}
	p.operator(x, b, x.L, x.R)
}

// nested reports whether values of a type hold others.
func nested(t *types.Type) bool {
	return t.Kind == types.Array || t.Kind == types.Map || t.Kind == types.Row
}

func (p *printer) compare(x *trinosql.Compare) {
	if t := p.typeOf(x.L); nested(t) {
		if r := rules["compare"]; r != nil {
			r(p, &call{node: x, bound: p.a.Operators[x], args: []operand{p.operand(x.L), p.operand(x.R)}})
			return
		}
		p.refuse(x, "comparing values of type %s is not supported on zone local", t)
	}
	p.put("(")
	p.expr(x.L)
	p.put(" ", x.Op, " ")
	p.expr(x.R)
	p.put(")")
}

func (p *printer) between(x *trinosql.Between) {
	p.put("(")
	p.expr(x.X)
	if x.Not {
		p.put(" NOT")
	}
	p.put(" BETWEEN ")
	p.expr(x.Lo)
	p.put(" AND ")
	p.expr(x.Hi)
	p.put(")")
}

func (p *printer) inList(x *trinosql.InList) {
	p.put("(")
	p.expr(x.X)
	if x.Not {
		p.put(" NOT")
	}
	p.put(" IN (")
	p.list(len(x.List), func(i int) { p.expr(x.List[i]) })
	p.put("))")
}

func (p *printer) isDistinct(x *trinosql.IsDistinct) {
	p.put("(")
	p.expr(x.L)
	if x.Not {
		p.put(" IS NOT DISTINCT FROM ")
	} else {
		p.put(" IS DISTINCT FROM ")
	}
	p.expr(x.R)
	p.put(")")
}
