package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// call is a call of a function or operator.
type call struct {
	node  trinosql.Expr
	bound *functions.Bound
	args  []operand
	fn    *trinosql.Func // nil for operators and forms with their own syntax
}

// operand is an argument of a call, or anything else that can be printed in its position.
type operand struct {
	expr  trinosql.Expr // nil if it has only write
	write func()
	cheap bool // may be written more than once
}

// rule writes a call that no template can express.
type rule func(p *printer, c *call)

// operand is the operand for an expression, coerced.
func (p *printer) operand(x trinosql.Expr) operand {
	return operand{expr: x, write: func() { p.expr(x) }, cheap: p.cheap(x)}
}

// cheap reports whether an expression may be written more than once: a column, a literal or a lambda parameter.
func (p *printer) cheap(x trinosql.Expr) bool {
	if _, lit := p.numeral(x); lit != nil {
		return true
	}
	if _, ok := x.(*trinosql.NullLit); ok {
		return true
	}
	if t := p.a.Coercions[x]; t != nil && !(t.Kind == types.Varchar && p.a.Types[x].Kind == types.Varchar &&
		t.N >= p.a.Types[x].N) && t.Kind != types.Opaque {
		return false
	}
	return p.plainCheap(x)
}

// plainCheap is cheap for an expression without its coercion.
func (p *printer) plainCheap(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.NullLit, *trinosql.BoolLit, *trinosql.StringLit, *trinosql.IntLit, *trinosql.DecimalLit,
		*trinosql.DoubleLit:
		return true
	case *trinosql.Ident:
		return p.a.Columns[x] != nil || p.a.Lambdas[x] != nil
	case *trinosql.Deref:
		return p.a.Columns[x] != nil
	}
	return false
}

// operator writes an operator.
func (p *printer) operator(x trinosql.Expr, b *functions.Bound, args ...trinosql.Expr) {
	c := &call{node: x, bound: b}
	for _, a := range args {
		c.args = append(c.args, p.operand(a))
	}
	p.call(c)
}

// call writes a call according to the template of its signature.
func (p *printer) call(c *call) {
	key := c.bound.Function.Key
	t := templates()[key]
	name := c.bound.Function.Name
	switch {
	case t == nil:
		if why := unavailable(c.bound); why != "" {
			p.refuse(c.node, "%s is not supported on zone local: %s are not available", name, why)
		}
		p.refuse(c.node, "%s is not supported on zone local", key)
	case t.reason != "":
		p.refuse(c.node, "%s is not supported on zone local: %s", name, t.reason)
	case t.rule != "":
		r := writers.get().rules[t.rule]
		if r == nil {
			panic("no rule " + t.rule)
		}
		r(p, c)
	case t.agg:
		p.aggregate(c, t)
	default:
		if !p.simpler(c, key) {
			p.expand(c, t.parts)
		}
	}
}

// unavailable is the family of functions of a call that has no translation, "" for one of its own.
func unavailable(b *functions.Bound) string {
	switch b.Function.Plugin {
	case "geospatial":
		return "geospatial functions"
	case "ml":
		return "functions of machine learning"
	}
	for _, t := range append(b.Args[:len(b.Args):len(b.Args)], b.Result) {
		switch t.Base() {
		case "HyperLogLog", "P4HyperLogLog", "qdigest", "tdigest", "SetDigest":
			return "sketch algorithms"
		}
	}
	return ""
}

// expand writes a template. Arguments that occur in it more than once are bound to parameters of lambdas, over lists of
// one element, so that each is evaluated once.
func (p *printer) expand(c *call, parts []part) {
	uses := make([]int, len(c.args)+1)
	for _, part := range parts {
		if part.arg > 0 && part.arg <= len(c.args) {
			uses[part.arg]++
		}
	}
	repeated := false
	for i, a := range c.args {
		repeated = repeated || uses[i+1] > 1 && !a.cheap
	}
	write := func(args []operand) {
		for _, part := range parts {
			p.part(c, part, args)
		}
	}
	if !repeated {
		write(c.args)
		return
	}
	args := make([]operand, len(c.args))
	for i, a := range c.args {
		args[i] = a
		args[i].cheap = a.cheap || uses[i+1] == 0
	}
	p.bindOnce(args, write)
}

// bindOnce binds operands so that each is evaluated once. DuckDB allows no subquery in a lambda: if an operand contains
// one, all operands are bound as the fields of one row; so are many operands, since the time to plan lambdas doubles
// with each level.
func (p *printer) bindOnce(args []operand, write func(args []operand)) {
	bound := make([]operand, len(args))
	texts := make([]string, len(args))
	queries, n := false, 0
	for i, a := range args {
		bound[i] = a
		if !a.cheap {
			texts[i] = p.capture(a.write)
			queries = queries || strings.Contains(texts[i], "SELECT ")
			n++
		}
	}
	if n == 0 {
		write(args)
		return
	}
	const many = 8
	if (queries || n > many) && n > 1 {
		row := p.name("x")
		p.put("list_transform([struct_pack(")
		k := 0
		for i, a := range args {
			if a.cheap {
				continue
			}
			if k > 0 {
				p.put(", ")
			}
			p.put("f", strconv.Itoa(k+1), " := ", texts[i])
			bound[i] = p.alias(field(row, k))
			k++
		}
		p.put(")], lambda ", row, ": ")
		write(bound)
		p.put(")[1]")
		return
	}
	for i, a := range args {
		if !a.cheap {
			bound[i] = p.openBinding(operand{write: func() { p.put(texts[i]) }})
		}
	}
	write(bound)
	for range n {
		p.put(")[1]")
	}
}

// alias is an operand that is a name, or as cheap as one.
func (p *printer) alias(name string) operand {
	return operand{write: func() { p.put(name) }, cheap: true}
}

// openBinding starts binding an operand, so that it is evaluated once; the expression that uses it must be followed by
// ")[1]".
func (p *printer) openBinding(a operand) operand {
	name := p.name("x")
	p.put("list_transform([", a, "], lambda ", name, ": ")
	return p.alias(name)
}

func (p *printer) part(c *call, part part, args []operand) {
	switch {
	case part.all:
		p.list(len(args), func(i int) { args[i].write() })
	case part.arg > len(args):
		panic(c.bound.Function.Key + ": the template has more arguments than the call")
	case part.arg > 0:
		args[part.arg-1].write()
	case part.typ == "r":
		p.put(p.duckType(c.node, c.bound.Result))
	case part.typ != "":
		p.put(p.duckType(c.node, p.variable(c, part.typ)))
	default:
		p.put(part.text)
	}
}

func (p *printer) variable(c *call, name string) *types.Type {
	t := c.bound.Types[name]
	if t == nil {
		panic(c.bound.Function.Key + ": no type variable " + name)
	}
	return t
}
