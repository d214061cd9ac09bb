package translate

import (
	"fmt"
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
	p.put("nullif(")
	p.list(len(c.fn.Args), func(i int) { p.expr(c.fn.Args[i]) })
	p.put(")")
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

// scalar writes a query as a value: of several columns it is a row.
func (p *printer) scalar(x *trinosql.Subquery) {
	p.put("(")
	n := len(p.a.Queries[x.Query].Fields)
	if n > 1 {
		var columns []string
		text := p.apart(func() { columns = p.query(x.Query) })
		p.put("SELECT struct_pack(")
		p.list(n, func(i int) { p.put(fmt.Sprintf("f%d := ", i+1), columns[i]) })
		p.put(") FROM (", text, ")")
	} else {
		p.query(x.Query)
	}
	p.put(")")
}

// inQuery writes IN (query) and comparisons with ANY and ALL: both sides have their common type.
func (p *printer) inQuery(x *trinosql.InQuery) {
	p.put("(")
	if x.Not {
		p.put("NOT ")
	}
	p.predicate(x, x.X, "IN ", x.Query)
	p.put(")")
}

func (p *printer) quantified(x *trinosql.Quantified) {
	p.put("(")
	q := x.Quantifier
	if q == "SOME" {
		q = "ANY"
	}
	p.predicate(x, x.X, x.Op+" "+q, x.Query)
	p.put(")")
}

func (p *printer) predicate(at trinosql.Expr, x trinosql.Expr, how string, q *trinosql.Query) {
	info := p.a.Predicates[at]
	if len(info.Common.Args) != 1 {
		p.refuse(at, "comparing several columns with a query is not supported on zone local")
	}
	common := info.Common.Args[0]
	if nested(common) {
		p.refuse(at, "comparing values of type %s with a query is not supported on zone local", common)
	}
	p.cell(x, common)
	p.put(" ", how, " (")
	field := p.a.Queries[q].Fields[0]
	if types.Equal(field.Type, common) {
		p.query(q)
	} else {
		var columns []string
		text := p.apart(func() { columns = p.query(q) })
		p.put("SELECT ")
		p.cast(&conversion{node: q, from: field.Type, to: common, operand: operand{write: func() { p.put(columns[0]) }, cheap: true}})
		p.put(" FROM (", text, ")")
	}
	p.put(")")
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
