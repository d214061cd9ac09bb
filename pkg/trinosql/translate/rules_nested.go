package translate

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func init() {
	specials["*trinosql.Array"] = func(p *printer, x trinosql.Expr) {
		a := x.(*trinosql.Array)
		if len(a.Items) == 0 || p.a.Types[x].Args[0].Kind == types.Unknown {
			p.put("CAST([")
			p.list(len(a.Items), func(i int) { p.expr(a.Items[i]) })
			p.put("] AS ", p.duckType(x, p.a.Types[x]), ")")
			return
		}
		p.put("[")
		p.list(len(a.Items), func(i int) { p.expr(a.Items[i]) })
		p.put("]")
	}
	specials["*trinosql.Row"] = func(p *printer, x trinosql.Expr) {
		r := x.(*trinosql.Row)
		p.put("struct_pack(")
		p.list(len(r.Items), func(i int) {
			p.put(fmt.Sprintf("f%d := ", i+1))
			if p.typeOf(r.Items[i]).Kind == types.Unknown {
				p.put("CAST(NULL AS INTEGER)")
				return
			}
			p.expr(r.Items[i])
		})
		p.put(")")
	}
	specials["*trinosql.Subscript"] = func(p *printer, x trinosql.Expr) {
		s := x.(*trinosql.Subscript)
		if b := p.a.Operators[x]; b != nil {
			p.operator(x, b, s.X, s.Index)
			return
		}
		p.put("struct_extract_at(")
		p.expr(s.X)
		p.put(", ", fmt.Sprint(p.a.Fields[x]+1), ")")
	}
	for _, which := range []string{"any", "all", "none"} {
		rules["match "+which] = func(p *printer, c *call) { p.match(c, which) }
	}
	rules["reduce"] = (*printer).reduce
	rules["concat arrays"] = func(p *printer, c *call) {
		given := c.args[0]
		for _, a := range c.args[1:] {
			left := given
			given = operand{write: func() {
				p.expand(&call{node: c.node, args: []operand{left, a}}, concatArrays)
			}}
		}
		given.write()
	}
	rules["zip_with"] = func(p *printer, c *call) {
		name := p.name("x")
		p.put("list_transform(list_zip(")
		c.args[0].write()
		p.put(", ")
		c.args[1].write()
		p.put("), lambda ", name, ": ")
		p.bodyOf(p.lambdaOf(c.args[2]), "struct_extract_at("+name+", 1)", "struct_extract_at("+name+", 2)")
		p.put(")")
	}
	rules["zip"] = func(p *printer, c *call) {
		name := p.name("x")
		p.put("CASE WHEN ")
		args := make([]operand, len(c.args))
		for i, a := range c.args {
			if i > 0 {
				p.put(" AND ")
			}
			args[i] = a
			a.write()
			p.put(" IS NOT NULL")
		}
		p.put(" THEN list_transform(list_zip(")
		p.list(len(args), func(i int) { args[i].write() })
		p.put("), lambda ", name, ": struct_pack(")
		p.list(len(args), func(i int) { p.put(fmt.Sprintf("f%d := struct_extract_at(%s, %d)", i+1, name, i+1)) })
		p.put(")) END")
	}
	rules["map_filter"] = func(p *printer, c *call) {
		p.put("map_from_entries(list_filter(map_entries(")
		p.entries(c, "))")
	}
	rules["transform_values"] = func(p *printer, c *call) {
		p.letArg(c, 0, func(m operand) {
			p.put("map(map_keys(")
			m.write()
			p.put("), list_transform(map_entries(")
			p.entries(&call{node: c.node, args: []operand{m, c.args[1]}}, "))")
		})
	}
	rules["transform_keys"] = func(p *printer, c *call) {
		p.letArg(c, 0, func(m operand) {
			keys := operand{write: func() {
				p.put("list_transform(map_entries(")
				p.entries(&call{node: c.node, args: []operand{m, c.args[1]}}, ")")
			}}
			p.expand(&call{node: c.node, args: []operand{keys, m}}, newKeys)
		})
	}
	rules["map_concat"] = func(p *printer, c *call) {
		p.put("map_concat(")
		p.list(len(c.args), func(i int) { c.args[i].write() })
		p.put(")")
	}
	rules["array_join"] = (*printer).arrayJoin
	casts[kinds{types.Array, types.Array}] = (*printer).castArray
	casts[kinds{types.Row, types.Row}] = (*printer).castRow
	casts[kinds{types.Map, types.Map}] = (*printer).castMap
}

var (
	concatArrays = mustParts("CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN list_concat($1, $2) END")
	newKeys      = mustParts(`CASE WHEN list_position($1, NULL) IS NOT NULL THEN "~error"('map key cannot be null') WHEN len(list_distinct($1)) < len($1) THEN "~error"('Duplicate keys are not allowed') ELSE map($1, map_values($2)) END`)
)

// bodyOf writes the body of a lambda with texts in the place of its parameters.
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

// entries writes the rest of a call over the entries of a map, whose lambda takes key and value.
func (p *printer) entries(c *call, closing string) {
	name := p.name("x")
	c.args[0].write()
	p.put("), lambda ", name, ": ")
	p.bodyOf(p.lambdaOf(c.args[1]), "struct_extract_at("+name+", 1)", "struct_extract_at("+name+", 2)")
	p.put(closing)
}

// letArg computes an argument once for what write writes.
func (p *printer) letArg(c *call, i int, write func(a operand)) {
	if c.args[i].cheap {
		write(c.args[i])
		return
	}
	write(p.let(c.args[i]))
	p.put(")[1]")
}

// match writes any_match and the like: what no element decides is NULL when one was NULL.
func (p *printer) match(c *call, which string) {
	found := operand{write: func() {
		p.put("list_transform(")
		c.args[0].write()
		p.put(", ")
		c.args[1].write()
		p.put(")")
	}}
	decides, then, otherwise := "true", "true", "false"
	switch which {
	case "all":
		decides, then, otherwise = "false", "false", "true"
	case "none":
		then, otherwise = "false", "true"
	}
	p.expand(&call{node: c.node, args: []operand{found}},
		mustParts("CASE WHEN list_contains($1, "+decides+") THEN "+then+" WHEN $1 IS NULL OR list_position($1, NULL) IS NOT NULL THEN NULL ELSE "+otherwise+" END"))
}

// reduce folds pairs of a state and an element, because the fold of DuckDB has one type for both.
func (p *printer) reduce(c *call) {
	state := p.duckType(c.node, c.bound.Args[1])
	element := p.duckType(c.node, c.bound.Args[0].Args[0])
	x, a, b, r := p.name("x"), p.name("x"), p.name("x"), p.name("x")
	p.put("list_transform([list_reduce(list_prepend(struct_pack(s := CAST(")
	c.args[1].write()
	p.put(" AS ", state, "), x := CAST(NULL AS ", element, ")), list_transform(")
	c.args[0].write()
	p.put(", lambda ", x, ": struct_pack(s := CAST(NULL AS ", state, "), x := ", x, "))), lambda ", a, ", ", b, ": struct_pack(s := ")
	p.bodyOf(p.lambdaOf(c.args[2]), "struct_extract_at("+a+", 1)", "struct_extract_at("+b+", 2)")
	p.put(", x := CAST(NULL AS ", element, ")))], lambda ", r, ": ")
	p.bodyOf(p.lambdaOf(c.args[3]), "struct_extract_at("+r+", 1)")
	p.put(")[1]")
}

// arrayJoin writes the elements as texts.
func (p *printer) arrayJoin(c *call) {
	element := c.bound.Args[0].Args[0]
	name := p.name("x")
	p.put("array_to_string(list_transform(")
	if len(c.args) == 2 {
		p.put("list_filter(")
	}
	c.args[0].write()
	if len(c.args) == 2 {
		p.put(`, lambda "~e": "~e" IS NOT NULL)`)
	}
	p.put(", lambda ", name, ": ")
	if len(c.args) > 2 {
		p.put("coalesce(")
	}
	p.cast(&conversion{node: c.node, from: element, to: types.Of(types.Varchar), operand: operand{write: func() { p.put(name) }, cheap: true}})
	if len(c.args) > 2 {
		p.put(", ")
		c.args[2].write()
		p.put(")")
	}
	p.put("), ")
	c.args[1].write()
	p.put(")")
}

// castArray casts the elements.
func (p *printer) castArray(c *conversion) {
	if c.try {
		p.put("TRY(")
		defer p.put(")")
	}
	from, to := c.from.Args[0], c.to.Args[0]
	if from.Kind == types.Unknown {
		p.put("CAST(")
		c.write()
		p.put(" AS ", p.duckType(c.node, c.to), ")")
		return
	}
	name := p.name("x")
	p.put("list_transform(")
	c.write()
	p.put(", lambda ", name, ": ")
	p.cast(&conversion{node: c.node, from: from, to: to, operand: operand{write: func() { p.put(name) }, cheap: true}})
	p.put(")")
}

// castRow casts the fields by their places.
func (p *printer) castRow(c *conversion) {
	if c.try {
		p.put("TRY(")
		defer p.put(")")
	}
	if DuckTypeEqual(c.from, c.to) {
		c.write()
		return
	}
	write := func(o operand) {
		text := p.apart(o.write)
		p.put("CASE WHEN ", text, " IS NOT NULL THEN struct_pack(")
		p.list(len(c.to.Args), func(i int) {
			p.put(fmt.Sprintf("f%d := ", i+1))
			p.cast(&conversion{node: c.node, from: c.from.Args[i], to: c.to.Args[i],
				operand: operand{write: func() { p.put(fmt.Sprintf("struct_extract_at(%s, %d)", text, i+1)) }, cheap: true}})
		})
		p.put(") END")
	}
	if c.cheap {
		write(c.operand)
		return
	}
	write(p.let(c.operand))
	p.put(")[1]")
}

// DuckTypeEqual reports whether values of two types are kept alike.
func DuckTypeEqual(a, b *types.Type) bool {
	x, ok1 := DuckType(a)
	y, ok2 := DuckType(b)
	return ok1 && ok2 && x == y && a.Kind == types.Row && sameTexts(a, b)
}

// sameTexts reports whether no text, time or character type differs, which are kept alike and converted all the same.
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

// castMap casts keys and values.
func (p *printer) castMap(c *conversion) {
	if c.from.Args[0].Kind == types.Unknown {
		p.native(c)
		return
	}
	if c.try {
		p.put("TRY(")
		defer p.put(")")
	}
	write := func(o operand) {
		text := p.apart(o.write)
		k, v := p.name("x"), p.name("x")
		p.put("map(list_transform(map_keys(", text, "), lambda ", k, ": ")
		p.cast(&conversion{node: c.node, from: c.from.Args[0], to: c.to.Args[0], operand: operand{write: func() { p.put(k) }, cheap: true}})
		p.put("), list_transform(map_values(", text, "), lambda ", v, ": ")
		p.cast(&conversion{node: c.node, from: c.from.Args[1], to: c.to.Args[1], operand: operand{write: func() { p.put(v) }, cheap: true}})
		p.put("))")
	}
	if c.cheap {
		write(c.operand)
		return
	}
	write(p.let(c.operand))
	p.put(")[1]")
}
