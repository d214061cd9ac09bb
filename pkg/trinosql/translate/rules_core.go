package translate

import (
	"strconv"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func init() {
	for _, op := range []string{"+", "-", "*", "/", "%"} {
		rules["decimal "+op] = func(p *printer, c *call) { p.decimals(c, op) }
	}
	rules["divide //"] = func(p *printer, c *call) { p.divide(c, "//", divisor) }
	rules["divide %"] = func(p *printer, c *call) { p.divide(c, "%", modulus) }
	rules["typeof"] = func(p *printer, c *call) { p.put(quoteText(c.bound.Args[0].String())) }
	rules["nullif"] = (*printer).nullif
	specials["*trinosql.Current"] = func(p *printer, x trinosql.Expr) { p.current(x.(*trinosql.Current)) }
}

// decimals computes with exactly the precision and scale of the result.
func (p *printer) decimals(c *call, op string) {
	r, x, y := c.bound.Result, c.bound.Args[0], c.bound.Args[1]
	to := p.duckType(c.node, r)
	switch {
	case op == "/":
		p.put(`CAST("~divide"(CAST(`)
		c.args[0].write()
		p.put(" AS VARCHAR), CAST(")
		c.args[1].write()
		p.put(" AS VARCHAR), '", strconv.Itoa(r.Scale), "') AS ", to, ")")
		return
	case op == "%":
		// DuckDB computes a remainder of decimals in their common type, which must exist.
		scale := max(x.Scale, y.Scale)
		common := types.NewDecimal(min(38, max(x.N-x.Scale, y.N-y.Scale)+scale), scale)
		t := p.duckType(c.node, common)
		p.put("CAST(CAST(")
		c.args[0].write()
		p.put(" AS ", t, ") % ")
		divisor := operand{write: func() {
			p.put("CAST(")
			c.args[1].write()
			p.put(" AS ", t, ")")
		}}
		p.expand(&call{node: c.node, args: []operand{divisor}}, nonZero)
		p.put(" AS ", to, ")")
		return
	case op == "*" && x.N+y.N <= 38:
		p.put("CAST(")
		c.args[0].write()
		p.put(" * ")
		c.args[1].write()
	case op == "*":
		p.refuse(c.node, "multiplying %s by %s is not supported on zone local", x, y)
	default:
		p.put("CAST(CAST(")
		c.args[0].write()
		p.put(" AS ", to, ") ", op, " CAST(")
		c.args[1].write()
		p.put(" AS ", to, ")")
	}
	p.put(" AS ", to, ")")
}

var (
	divisor = mustParts(`($1 // CASE WHEN $2 = 0 THEN "~error"('Division by zero') ELSE $2 END)`)
	modulus = mustParts(`($1 % CASE $2 WHEN 0 THEN "~error"('Division by zero') WHEN -1 THEN 1 ELSE $2 END)`) // the least integer % -1 is an overflow in DuckDB
)

// divide divides integers. A constant other than zero and -1 needs no check.
func (p *printer) divide(c *call, op string, checked []part) {
	if n, ok := p.constant(c.args[1].expr); ok && n.Sign() > 0 {
		p.put("(")
		c.args[0].write()
		p.put(" ", op, " ")
		c.args[1].write()
		p.put(")")
		return
	}
	p.expand(c, checked)
}

var nonZero = mustParts(`CASE WHEN $1 = 0 THEN "~error"('Division by zero') ELSE $1 END`)

func mustParts(text string) []part {
	parts, err := parseParts(text)
	if err != nil {
		panic(err)
	}
	return parts
}

// nullif compares in a common type and gives the first argument as it was.
func (p *printer) nullif(c *call) {
	l, r := c.fn.Args[0], c.fn.Args[1]
	from, other := p.typeOf(l), p.typeOf(r)
	common := types.Common(from, other)
	if types.Equal(from, common) && !nested(common) && (!float(common) || p.finite(l) || p.finite(r)) {
		p.put("nullif(")
		p.expr(l)
		p.put(", ")
		p.cell(r, common)
		p.put(")")
		return
	}
	p.lets([]operand{p.operand(l), p.operand(r)}, func(args []operand) {
		as := func(x trinosql.Expr, o operand) operand {
			return operand{expr: x, write: func() {
				p.cast(&conversion{node: c.node, from: p.typeOf(x), to: common, operand: o})
			}}
		}
		p.put("CASE WHEN ")
		p.comparison(c.node, "=", common, as(l, args[0]), as(r, args[1]))
		p.put(" THEN NULL ELSE ")
		args[0].write()
		p.put(" END")
	})
}

// current writes what the session tells.
func (p *printer) current(x *trinosql.Current) {
	switch x.What {
	case "CURRENT_CATALOG":
		p.put(quoteText(p.o.Catalog))
	case "CURRENT_SCHEMA":
		p.put(quoteText(p.o.Schema))
	case "CURRENT_USER":
		p.put(quoteText(p.o.User))
	case "CURRENT_DATE":
		p.put("CAST(now() AS DATE)")
	default:
		if f := literals[x.What]; f != nil {
			f(p, &trinosql.TypedLit{Type: x.What, Value: x.Precision})
			return
		}
		p.refuse(x, "%s is not supported on zone local", x.What)
	}
}

// like writes LIKE. Without ESCAPE a pattern has no escape character, which is DuckDB's rule too.
func (p *printer) like(x *trinosql.LikeExpr) {
	if t := p.typeOf(x.X); t.Kind == types.Char {
		p.refuse(x, "LIKE on %s is not supported on zone local", t)
	}
	p.put("(")
	p.expr(x.X)
	if x.Not {
		p.put(" NOT")
	}
	p.put(" LIKE ")
	p.expr(x.Pattern)
	if x.Escape != nil {
		pattern, ok1 := x.Pattern.(*trinosql.StringLit)
		escape, ok2 := x.Escape.(*trinosql.StringLit)
		if !ok1 || !ok2 {
			p.refuse(x, "LIKE with an ESCAPE needs a constant pattern on zone local")
		}
		if e := []rune(escape.Value); len(e) != 1 {
			p.put(` || CAST("~error"('Escape string must be a single character') AS VARCHAR))`)
			return
		} else if !escapes([]rune(pattern.Value), e[0]) {
			p.put(` || CAST("~error"('Escape character must be followed by ''%'', ''_'' or the escape character itself') AS VARCHAR))`)
			return
		}
		p.put(" ESCAPE ")
		p.expr(x.Escape)
	}
	p.put(")")
}

// escapes reports whether each escape character stands before something that it may escape.
func escapes(pattern []rune, escape rune) bool {
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == escape {
			if i++; i == len(pattern) || pattern[i] != '%' && pattern[i] != '_' && pattern[i] != escape {
				return false
			}
		}
	}
	return true
}
