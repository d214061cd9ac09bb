package translate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func nestedRules(reg *registry) {
	checked := mustParts(`CASE WHEN abs(CAST($2 AS HUGEINT) - $1) >= 10000 THEN "~error"('result of sequence ` +
		`function must not have more than 10000 entries') WHEN $2 = 9223372036854775807 OR $2 = -9223372036854775807 ` +
		`- 1 THEN list_transform(system.main.range(CAST(abs(CAST($2 AS HUGEINT) - $1) AS BIGINT) + 1), lambda "~i": ` +
		`CAST($1 + CASE WHEN $1 <= $2 THEN "~i" ELSE -"~i" END AS BIGINT)) WHEN $1 <= $2 THEN system.main.range($1, ` +
		`$2 + 1) ELSE system.main.range($1, $2 - 1, -1) END`)
	// constant arguments make it a constant in DuckDB, too, which is evaluated once
	reg.rules["sequence"] = func(p *printer, c *call) {
		from, ok1 := p.constant(c.args[0].expr)
		to, ok2 := p.constant(c.args[1].expr)
		if p.tried == nil && ok1 && ok2 && from.Cmp(to) <= 0 && to.IsInt64() && to.Int64() < 1<<32 && from.IsInt64() &&
			to.Int64()-from.Int64() < 10000 {
			p.put(fmt.Sprintf("range(CAST(%d AS BIGINT), CAST(%d AS BIGINT))", from.Int64(), to.Int64()+1))
			return
		}
		p.expand(c, checked)
	}
	for _, which := range []string{"any", "all", "none"} {
		reg.rules["match "+which] = func(p *printer, c *call) { p.match(c, which) }
	}
	reg.rules["reduce"] = (*printer).reduce
	reg.rules["concat arrays"] = func(p *printer, c *call) {
		if len(c.args) == 1 {
			p.put(`CAST("~error"('There must be two or more arguments to concat') AS `,
				p.duckType(c.node, c.bound.Result), ")")
			return
		}
		p.bindOnce(c.args, func(args []operand) {
			p.put("CASE WHEN ")
			p.allNotNull(args)
			p.put(" THEN list_concat(", args, ") END")
		})
	}
	reg.casts[kinds{types.Array, types.Array}] = (*printer).castArray
	reg.casts[kinds{types.Row, types.Row}] = (*printer).castRow
}

// bodyOf writes the body of a lambda with texts in place of its parameters.
func (p *printer) bodyOf(l *trinosql.Lambda, params ...string) {
	p.lambdas[l] = params
	p.expr(l.Body)
}

// lambdaOf is the lambda that an argument is.
func (p *printer) lambdaOf(a operand) *trinosql.Lambda {
	l, ok := a.expr.(*trinosql.Lambda)
	if !ok {
		panic("no lambda")
	}
	return l
}

// entries writes the rest of a call over the entries of a map; its lambda has the parameters key and value.
func (p *printer) entries(c *call, closing string) {
	name := p.name("x")
	p.put(c.args[0], "), lambda ", name, ": ")
	p.bodyOf(p.lambdaOf(c.args[1]), "struct_extract_at("+name+", 1)", "struct_extract_at("+name+", 2)")
	p.put(closing)
}

// bindArg binds an argument so that it is evaluated once.
func (p *printer) bindArg(c *call, i int, write func(a operand)) {
	if c.args[i].cheap {
		write(c.args[i])
		return
	}
	write(p.openBinding(c.args[i]))
	p.put(")[1]")
}

// match writes any_match and similar: the result is NULL if no element decides it and the predicate was NULL for one.
func (p *printer) match(c *call, which string) {
	if l := p.lambdaOf(c.args[1]); fails(p.capture(func() { p.bodyOf(l, `"~x"`) })) {
		p.matchInOrder(c, which)
		return
	}
	found := operand{write: func() { p.put("list_transform(", c.args[0], ", ", c.args[1], ")") }}
	decides, then, otherwise := "true", "true", "false"
	switch which {
	case "all":
		decides, then, otherwise = "false", "false", "true"
	case "none":
		then, otherwise = "false", "true"
	}
	p.fill(c.node, "CASE WHEN list_contains($1, "+decides+") THEN "+then+
		" WHEN $1 IS NULL OR list_position($1, NULL) IS NOT NULL THEN NULL ELSE "+otherwise+" END", found)
}

// matchInOrder is match with a predicate that may fail: it is not evaluated after the element that decides. The state
// is a tally.
func (p *printer) matchInOrder(c *call, which string) {
	p.bindArg(c, 0, func(list operand) {
		start, end, worse := "0", "2", "greatest"
		if which == "all" {
			start, end, worse = "2", "0", "least"
		}
		yes, no := "true", "false"
		if which == "none" {
			yes, no = no, yes
		}
		p.put("CASE WHEN ", list, " IS NOT NULL THEN CASE ")
		p.fold(c, list, p.alias(start), func(state, element string) {
			pred := p.capture(func() { p.bodyOf(p.lambdaOf(c.args[1]), element) })
			p.put("CASE WHEN ", state, " = ", end, " THEN ", end, " ELSE ", worse, "(", state, ", ",
				tally(pred), ") END")
		}, types.Of(types.Integer), c.bound.Args[0].Args[0])
		p.put(" WHEN 2 THEN ", yes, " WHEN 0 THEN ", no, " END END")
	})
}

// reduce folds pairs of a state and an element, because the fold of DuckDB requires one type for both.
func (p *printer) reduce(c *call) {
	if strings.Contains(p.capture(c.args[1].write), "SELECT ") {
		p.bindOnce(c.args[:2], func(args []operand) {
			with := *c
			with.args = append(slices.Clone(args), c.args[2:]...)
			p.reduceBound(&with, args[0])
		})
		return
	}
	p.bindArg(c, 0, func(list operand) { p.reduceBound(c, list) })
}

func (p *printer) reduceBound(c *call, list operand) {
	p.put("CASE WHEN ", list, " IS NOT NULL THEN ")
	r := p.name("x")
	p.put("list_transform([")
	p.fold(c, list, c.args[1], func(state, element string) { p.bodyOf(p.lambdaOf(c.args[2]), state, element) },
		c.bound.Args[1], c.bound.Args[0].Args[0])
	p.put("], lambda ", r, ": ", func() { p.bodyOf(p.lambdaOf(c.args[3]), r) }, ")[1] END")
}

// fold writes the final state of folding a list.
func (p *printer) fold(c *call, list, initial operand, step func(state, element string), stateType,
	elementType *types.Type) {
	state, element := p.duckType(c.node, stateType), p.duckType(c.node, elementType)
	x, a, b := p.name("x"), p.name("x"), p.name("x")
	p.put("struct_extract_at(list_reduce(list_prepend(struct_pack(s := CAST(", initial, " AS ", state,
		"), x := CAST(NULL AS ", element, ")), list_transform(", list, ", lambda ", x,
		": struct_pack(s := CAST(NULL AS ", state, "), x := ", x, "))), lambda ", a, ", ", b, ": struct_pack(s := ")
	v := p.name("x")
	size := p.size(stateType, v)
	if size != "" {
		p.put("list_transform([")
	}
	p.put("CAST(")
	step(field(a, 0), field(b, 1))
	p.put(" AS ", state, ")")
	if size != "" {
		p.put("], lambda ", v, ": CASE WHEN ", size, " > ", strconv.Itoa(maxState),
			` THEN "~error"('a state of more than `,
			strconv.Itoa(maxState>>20), " MiB in reduce is not supported on zone local') ELSE ", v, " END)[1]")
	}
	p.put(", x := CAST(NULL AS ", element, "))), 1)")
}

// maxState is the size of a state of reduce, in bytes: 16 for each element of a list, and those of texts. A step that
// doubles it would soon take all memory, in a call that nothing interrupts.
const maxState = 8 << 20

// size is about the size of a value; "" if all values of the type are small.
func (p *printer) size(t *types.Type, x string) string {
	list := func(elements string, element *types.Type) string {
		e := p.name("x")
		if of := p.size(element, e); of != "" {
			return "16 * len(" + elements + ") + coalesce(list_sum(list_transform(" + elements + ", lambda " + e +
				": " +
				of + ")), 0)"
		}
		return "16 * len(" + elements + ")"
	}
	switch t.Kind {
	case types.Varchar, types.Char, types.JSON:
		return "strlen(" + x + ")"
	case types.Varbinary:
		return "octet_length(" + x + ")"
	case types.Array:
		return list(x, t.Args[0])
	case types.Map:
		return list("map_keys("+x+")", t.Args[0]) + " + " + list("map_values("+x+")", t.Args[1])
	case types.Row:
		var parts []string
		for i, f := range t.Args {
			if of := p.size(f, field(x, i)); of != "" {
				parts = append(parts, "coalesce("+of+", 0)")
			}
		}
		return strings.Join(parts, " + ")
	}
	return ""
}

// castArray casts the elements.
func (p *printer) castArray(c *conversion) {
	from, to := c.from.Args[0], c.to.Args[0]
	switch {
	case from.Kind == types.Unknown:
		p.native(c)
		return
	case sameStorage(from, to):
		c.write()
		return
	}
	defer p.inTry(c.try)()
	e := p.name("x")
	p.put("list_transform(", c, ", lambda ", e, ": ")
	p.convert(c.node, from, to, p.alias(e))
	p.put(")")
}

// castRow casts the fields by position. TRY_CAST applies to each separately.
func (p *printer) castRow(c *conversion) {
	if sameStorage(c.from, c.to) {
		c.write()
		return
	}
	p.bindOnce([]operand{c.operand}, func(args []operand) {
		row := p.capture(args[0].write)
		fields := make([]string, len(c.to.Args))
		for i := range fields {
			fields[i] = p.capture(func() {
				p.cast(&conversion{node: c.node, from: c.from.Args[i], to: c.to.Args[i], try: c.try,
					operand: p.alias(field(row, i))})
			})
		}
		p.put("CASE WHEN ", row, " IS NOT NULL THEN ", pack(fields), " END")
	})
}

// sameStorage reports whether two types have the same storage and need no conversion.
func sameStorage(a, b *types.Type) bool {
	x, ok1 := DuckType(a)
	y, ok2 := DuckType(b)
	return ok1 && ok2 && x == y && sameTexts(a, b)
}

// sameTexts reports whether strings and times in a need no conversion to those in b: types with other parameters have
// the same storage, and need one unless a varchar becomes longer.
func sameTexts(a, b *types.Type) bool {
	if len(a.Args) != len(b.Args) || a.Kind != b.Kind {
		return false
	}
	if len(a.Args) == 0 {
		return a.Kind == types.Varchar && b.N >= a.N || a.N == b.N
	}
	for i := range a.Args {
		if !sameTexts(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// array writes an array constructor.
func (p *printer) array(x *trinosql.Array) {
	if len(x.Items) == 0 || p.a.Types[x].Args[0].Kind == types.Unknown {
		p.put("CAST([", x.Items, "] AS ", p.duckType(x, p.a.Types[x]), ")")
		return
	}
	p.put("[", x.Items, "]")
}

// row writes a row constructor.
func (p *printer) row(x *trinosql.Row) {
	p.put("struct_pack(")
	p.list(len(x.Items), func(i int) {
		p.put(fmt.Sprintf("f%d := ", i+1))
		if p.typeOf(x.Items[i]).Kind == types.Unknown {
			p.put("CAST(NULL AS INTEGER)")
			return
		}
		p.expr(x.Items[i])
	})
	p.put(")")
}

// subscript writes x[i], also of a row.
func (p *printer) subscript(x *trinosql.Subscript) {
	if b := p.a.Operators[x]; b != nil {
		p.operator(x, b, x.X, x.Index)
		return
	}
	p.put("struct_extract_at(", x.X, ", ", fmt.Sprint(p.a.Fields[x]+1), ")")
}
