package translate

import (
	"slices"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func scalarRules(reg *registry) {
	reg.rules["round integer"] = (*printer).roundInteger
	reg.rules["round float"] = (*printer).roundFloat
	reg.rules["random"] = (*printer).random
	reg.rules["uuid"] = func(p *printer, c *call) { p.volatile(c, "uuid()") }
	reg.rules["shuffle"] = func(p *printer, c *call) {
		if p.tried != nil {
			p.refuse(c.node, "shuffle in TRY is not supported on zone local")
		}
		p.expand(c, mustParts(`list_transform(list_sort(list_transform($1, lambda "~e", "~i": struct_pack(r := `+
			`random(), i := "~i", e := "~e"))), lambda "~s": struct_extract_at("~s", 3))`))
	}
	reg.rules["greatest"] = func(p *printer, c *call) { p.extreme(c, "greatest") }
	reg.rules["least"] = func(p *printer, c *call) { p.extreme(c, "least") }
	for _, f := range []string{"lpad", "rpad"} {
		checked := `CASE WHEN $1 IS NULL OR $2 IS NULL OR $3 IS NULL THEN NULL WHEN $2 < 0 OR $2 > 2147483647 THEN ` +
			`"~error"('Target length must be in the range [0..2147483647]') WHEN $3 = '' THEN "~error"('Padding ` +
			`string must not be empty') ELSE `
		reg.rules["pad "+f] = outsideTry(checked+f+`($1, CAST($2 AS INTEGER), $3) END`, checked+`"~`+f+
			`"($1, CAST($2 AS VARCHAR), $3) END`)
	}
	reg.rules["replace"] = outsideTry(`CASE WHEN $2 = '' THEN CASE WHEN $1 = '' THEN $3 ELSE $3 || `+
		`list_reduce(list_transform(string_split($1, ''), lambda "~e": "~e" || $3), lambda "~a", "~b": "~a" || "~b") `+
		`END ELSE replace($1, $2, $3) END`, `"~replace"($1, $2, $3)`)
	reg.rules["replace nothing"] = outsideTry(`replace($1, $2, '')`, `"~replace"($1, $2, '')`)
	reg.rules["concat"] = func(p *printer, c *call) {
		if len(c.args) == 1 {
			p.put(`CAST("~error"('There must be two or more concatenation arguments') AS `,
				p.duckType(c.node, c.bound.Result), ")")
			return
		}
		if c.bound.Result.Kind == types.Varbinary { // DuckDB gives it no type where an operand is a constant NULL
			p.put("CAST(")
			defer p.put(" AS BLOB)")
		}
		p.put("(")
		p.w.Join(" || ", len(c.args), func(i int) { c.args[i].write() })
		p.put(")")
	}
	reg.rules["concat_ws"] = func(p *printer, c *call) {
		if len(c.args) == 1 {
			p.raise(c.node, c.bound.Result, "There must be two or more arguments", c.args[0])
			return
		}
		p.put("concat_ws(", c.args, ")")
	}
	reg.rules["concat_ws array"] = func(p *printer, c *call) {
		p.bindOnce(c.args, func(args []operand) {
			there := operand{write: func() {
				p.fill(c.node, `list_filter($1, lambda "~e": "~e" IS NOT NULL)`,
					args[1])
			}}
			p.put("CASE WHEN ", args[0], " IS NOT NULL AND ", args[1], " IS NOT NULL THEN ")
			if _, ok := args[0].expr.(*trinosql.StringLit); ok {
				p.fill(c.node, "coalesce(list_aggregate($1, 'string_agg', $2), '')", there, args[0])
			} else { // DuckDB's separator must be constant
				p.fill(c.node,
					`CASE WHEN len($1) = 0 THEN '' ELSE list_reduce($1, lambda "~a", "~b": "~a" || $2 || "~b") END`,
					there, args[0])
			}
			p.put(" END")
		})
	}
	reg.rules["regexp_replace lambda"] = func(p *printer, c *call) {
		e := p.name("x")
		p.put(`coalesce(list_reduce(list_transform(CAST(CAST("~regexp_pieces"(`, c.args[0], ", ", c.args[1],
			") AS JSON) AS STRUCT(f1 VARCHAR, f2 VARCHAR[])[]), lambda ", e, ": ", field(e, 0), " || CASE WHEN ",
			field(e, 1), " IS NULL THEN '' ELSE ")
		p.bodyOf(p.lambdaOf(c.args[2]), field(e, 1))
		p.put(` END), lambda "~a", "~b": "~a" || "~b"))`)
	}
	reg.rules["normalize"] = func(p *printer, c *call) {
		if form, ok := c.args[len(c.args)-1].expr.(*trinosql.StringLit); ok && form.Value == "NFC" || len(c.args) == 1 {
			p.put("nfc_normalize(", c.args[0], ")")
			return
		}
		p.refuse(c.node, "normalize to another form than NFC is not supported on zone local")
	}
	// Patterns and similar are strings until they are used.
	reg.casts[kinds{types.Varchar, types.Opaque}] = func(p *printer, c *conversion) { c.write() }

}

// outsideTry writes a call with one template, and within TRY with another: DuckDB does not allow the functions with
// limited results there.
func outsideTry(plain, tried string) rule {
	outside, inside := mustParts(plain), mustParts(tried)
	return func(p *printer, c *call) {
		if p.tried != nil {
			p.expand(c, inside)
		} else {
			p.expand(c, outside)
		}
	}
}

// formCall writes a call with its own syntax.
func (p *printer) formCall(x trinosql.Expr, args ...trinosql.Expr) {
	c := &call{node: x, bound: p.a.Calls[x]}
	for _, a := range args {
		if a != nil {
			c.args = append(c.args, p.operand(a))
		}
	}
	p.call(c)
}

// integerLimits are the minimum and maximum of a type and Trino's message for values beyond them.
var integerLimits = map[types.Kind]struct{ least, most, beyond string }{
	types.Tinyint:  {"-128", "127", "'Out of range for tinyint: ' || $1"},
	types.Smallint: {"-32768", "32767", "'Out of range for smallint: ' || $1"},
	types.Integer:  {"-2147483648", "2147483647", "'integer overflow'"},
	types.Bigint:   {"-9223372036854775808", "9223372036854775807", "'numerical overflow: ' || $2"},
}

// roundInteger rounds to tens, hundreds and so on, half away from zero.
func (p *printer) roundInteger(c *call) {
	t := c.bound.Result
	limits, to := integerLimits[t.Kind], p.duckType(c.node, t)
	p.bindOnce(c.args, func(args []operand) {
		p.fill(c.node, `CASE WHEN $2 >= 0 THEN $1 WHEN $2 < -18 THEN CASE WHEN $1 IS NOT NULL THEN `+
			`CAST("~error"('numerical overflow: ' || $1) AS `+to+`) END ELSE `, args...)
		tens := operand{write: func() { p.fill(c.node, "CAST(pow(10, 0 - $2) AS HUGEINT)", args...) }}
		p.bindOnce([]operand{tens}, func(tens []operand) {
			value := operand{write: func() {
				p.fill(c.node, "CAST(sign($1) AS HUGEINT) * ((abs(CAST($1 AS HUGEINT)) + $2 // 2) // $2) * $2",
					args[0], tens[0])
			}}
			p.bindOnce([]operand{value}, func(value []operand) {
				p.fill(c.node, "CASE WHEN $1 < "+limits.least+" OR $1 > "+limits.most+` THEN CAST("~error"(`+
					limits.beyond+`) AS `+to+`) ELSE CAST($1 AS `+to+`) END`, value[0], args[0])
			})
		})
		p.put(" END")
	})
}

// roundFloat rounds as Java does: in doubles, half away from zero. A value that overflows when it is scaled is
// unchanged.
func (p *printer) roundFloat(c *call) {
	t := p.duckType(c.node, c.bound.Result)
	if len(c.args) == 1 {
		p.expand(c, mustParts("CAST(CASE WHEN $1 = 0 THEN 0 WHEN isfinite($1) THEN round($1) ELSE $1 END AS "+t+")"))
		return
	}
	p.expand(c, mustParts("CAST(CASE WHEN $2 IS NULL THEN NULL WHEN NOT isfinite($1) OR isinf(pow(10.0, $2)) OR "+
		"isinf(abs($1) * pow(10.0, $2)) THEN $1"+
		" ELSE sign($1) * round(abs($1) * pow(10.0, $2)) / pow(10.0, $2) END AS "+t+")"))
}

// random writes a non-deterministic call, with another number in each row.
func (p *printer) random(c *call) {
	if len(c.args) == 0 {
		p.volatile(c, "random()")
		return
	}
	t := p.duckType(c.node, c.bound.Result)
	with := *c
	with.args = append(slices.Clone(c.args), operand{write: func() { p.volatile(c, "random()") }, cheap: true})
	if len(c.args) == 1 {
		p.expand(&with,
			mustParts(`CAST(CASE WHEN $1 <= 0 THEN "~error"('bound must be positive') ELSE floor($2 * $1) END AS `+t+
				")"))
		return
	}
	p.expand(&with, mustParts(`CAST(CASE WHEN $1 >= $2 THEN "~error"('start value must be less than stop value') `+
		`ELSE $1 + floor($3 * ($2 - $1)) END AS `+t+")"))
}

// extreme writes greatest and least, which are NULL if any argument is.
func (p *printer) extreme(c *call, name string) {
	args := make([]operand, len(c.args))
	closing := 0
	for i, a := range c.args {
		if args[i] = a; !a.cheap {
			args[i] = p.openBinding(a)
			closing++
		}
	}
	if nested(c.bound.Result) {
		p.nestedExtreme(c, name, args)
		for range closing {
			p.put(")[1]")
		}
		return
	}
	p.put("CASE WHEN ")
	p.allNotNull(args)
	// NaN is the greatest in DuckDB; in Trino only if all arguments are NaN
	if name == "greatest" && float(c.bound.Result) {
		p.put(" THEN coalesce(greatest(")
		p.list(len(args), func(i int) { p.put("CASE WHEN NOT isnan(", args[i], ") THEN ", args[i], " END") })
		p.put("), CAST('NaN' AS ", p.duckType(c.node, c.bound.Result), ")) END")
	} else {
		p.put(" THEN ", name, "(", args, ") END")
	}
	for range closing {
		p.put(")[1]")
	}
}

// nestedExtreme compares arrays and rows one after the other, in Trino's order.
func (p *printer) nestedExtreme(c *call, name string, args []operand) {
	if hasFloat(c.bound.Result) { // Trino takes the operand that is not NaN
		p.refuse(c.node, "%s of values of type %s is not supported on zone local", name, c.bound.Result)
	}
	op := map[string]string{"greatest": ">", "least": "<"}[name]
	p.put("CASE WHEN ")
	p.allNotNull(args)
	p.put(" THEN ")
	best, closing := args[0], 0
	for i, a := range args[1:] {
		l, r := p.capture(a.write), p.capture(best.write)
		next := operand{write: func() {
			p.put("CASE WHEN ", p.compared(c.node, op, c.bound.Result, l, r), " THEN ", l, " ELSE ", r, " END")
		}}
		if i < len(args)-2 {
			next = p.openBinding(next)
			closing++
		}
		best = next
	}
	best.write()
	for range closing {
		p.put(")[1]")
	}
	p.put(" END")
}

func hasFloat(t *types.Type) bool {
	return float(t) || nested(t) && slices.ContainsFunc(t.Args, hasFloat)
}

// normalize writes NORMALIZE.
func (p *printer) normalize(x *trinosql.Normalize) {
	c := &call{node: x, bound: p.a.Calls[x], args: []operand{p.operand(x.X)}}
	if x.Form != "" && x.Form != "NFC" {
		p.refuse(x, "normalize to another form than NFC is not supported on zone local")
	}
	writers.get().rules["normalize"](p, c)
}
