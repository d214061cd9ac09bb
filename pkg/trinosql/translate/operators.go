package translate

import "github.com/dig-cli/dig/pkg/trinosql"

func (p *printer) unary(x *trinosql.Unary) {
	b := p.a.Operators[x]
	if b == nil { // + or the sign of a literal
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
