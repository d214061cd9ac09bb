package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func coreRules(reg *registry) {
	for _, op := range []string{"+", "-", "*", "/", "%"} {
		reg.rules["decimal "+op] = func(p *printer, c *call) { p.decimals(c, op) }
	}
	reg.rules["divide"] = func(p *printer, c *call) { p.divide(c, "//", "quotient") }
	reg.rules["modulus"] = func(p *printer, c *call) { p.divide(c, "%", "remainder") }
	reg.rules["typeof"] = func(p *printer, c *call) { p.put(quoteText(c.bound.Args[0].String())) }
	reg.rules["nullif"] = (*printer).nullif
}

// divide divides integers. A constant other than zero and -1 needs no check.
func (p *printer) divide(c *call, op, checked string) {
	if n, ok := p.constant(c.args[1].expr); ok && n.Sign() > 0 {
		p.put("(", c.args[0], " ", op, " ", c.args[1], ")")
		return
	}
	p.put(`"~`, checked, "_", c.bound.Result.String(), `"(`, c.args[0], ", ", c.args[1], ")")
}

func mustParts(text string) []part {
	parts, err := parseParts(text)
	if err != nil {
		panic(err)
	}
	return parts
}

// nullif compares in a common type and returns the first argument uncoerced.
func (p *printer) nullif(c *call) {
	l, r := c.fn.Args[0], c.fn.Args[1]
	from, other := p.typeOf(l), p.typeOf(r)
	common := types.Common(from, other)
	if types.Equal(from, common) && !nested(common) && (!float(common) || p.finite(l) || p.finite(r)) {
		if p.a.Columns[r] != nil || constant(r) {
			// nullif is a macro of DuckDB. Where it is bound a second time, as in aggregates with columns of outer
			// queries, its name as the field of a row is lost.
			p.put("CASE WHEN TRUE THEN nullif(", l, ", ", func() { p.cell(r, common) }, ") END")
			return
		}
		second := operand{write: func() { p.cell(r, common) }}
		// which DuckDB does not allow where the first is bound
		if strings.Contains(p.capture(second.write), "SELECT ") {
			p.bindOnce([]operand{p.operand(l), second}, func(args []operand) {
				p.put("nullif(", args[0], ", ", args[1], ")")
			})
			return
		}
		// the second argument is not evaluated if the first is NULL
		p.bindOnce([]operand{p.operand(l)}, func(args []operand) {
			p.put("CASE WHEN ", args[0], " IS NOT NULL THEN nullif(", args[0], ", ")
			p.cell(r, common)
			p.put(") END")
		})
		return
	}
	p.bindOnce([]operand{p.operand(l), p.operand(r)}, func(args []operand) {
		as := func(x trinosql.Expr, o operand) operand {
			return operand{expr: x, write: func() { p.convert(c.node, p.typeOf(x), common, o) }}
		}
		p.put("CASE WHEN ")
		p.comparison(c.node, "=", common, as(l, args[0]), as(r, args[1]))
		p.put(" THEN NULL ELSE ", args[0], " END")
	})
}

// current writes current_catalog and similar.
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
		if f := writers.get().literals[x.What]; f != nil {
			f(p, &trinosql.TypedLit{Type: x.What, Value: x.Precision})
			return
		}
		p.refuse(x, "%s is not supported on zone local", x.What)
	}
}
