package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func arrayRules(reg *registry) {
	reg.rules["contains"] = func(p *printer, c *call) {
		p.search(c, `CASE WHEN list_contains($1, $2) THEN true WHEN $2 IS NULL OR list_position($1, NULL) IS NOT NULL THEN NULL ELSE list_contains($1, $2) END`,
			`CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN list_position($3, 1) < coalesce(list_position($3, 2), 2147483647) THEN ${FAIL}
			WHEN list_position($3, 2) IS NOT NULL THEN true WHEN list_position($1, NULL) IS NULL THEN false END`)
	}
	reg.rules["array_position"] = func(p *printer, c *call) {
		p.search(c, `CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE CAST(coalesce(list_position($1, $2), 0) AS BIGINT) END`,
			`CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN list_position($3, 1) < coalesce(list_position($3, 2), 2147483647) THEN ${FAIL}
			ELSE CAST(coalesce(list_position($3, 2), 0) AS BIGINT) END`)
	}
	reg.rules["array_remove"] = func(p *printer, c *call) {
		p.search(c, `CASE WHEN $2 IS NOT NULL THEN list_filter($1, lambda "~e": "~e" IS DISTINCT FROM $2) END`,
			`CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN list_contains($3, 1) THEN ${FAIL} ELSE list_filter($1, lambda "~e", "~i": $3["~i"] IS DISTINCT FROM 2) END`)
	}
	for _, which := range []string{"max", "min"} {
		reg.rules["array_"+which] = func(p *printer, c *call) {
			if float(c.bound.Result) {
				p.fill(c.node, `CASE WHEN list_position($1, NULL) IS NULL THEN coalesce(list_`+which+`(list_filter($1, lambda "~e": NOT isnan("~e"))), list_`+which+`($1)) END`, c.args...)
				return
			}
			list := "$1"
			if e := p.name("x"); hasFloat(c.bound.Result) {
				list = "list_transform($1, lambda " + e + ": " + p.withoutNaN(c.bound.Result, e, "array_"+which) + ")"
			}
			p.fill(c.node, "CASE WHEN list_position($1, NULL) IS NULL THEN list_"+which+"("+list+") END", c.args...)
		}
	}
	for name, text := range map[string]string{
		"array_distinct":    `list_filter($1, lambda "~e", "~i": list_position($1, "~e") = "~i")`,
		"array_union":       `CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN list_filter(list_concat($1, $2), lambda "~e", "~i": list_position(list_concat($1, $2), "~e") = "~i") END`,
		"array_intersect":   `CASE WHEN $2 IS NOT NULL THEN list_filter($1, lambda "~e", "~i": list_position($1, "~e") = "~i" AND list_position($2, "~e") IS NOT NULL) END`,
		"array_except":      `CASE WHEN len($2) = 0 THEN $1 WHEN $2 IS NOT NULL THEN list_filter($1, lambda "~e", "~i": list_position($1, "~e") = "~i" AND list_position($2, "~e") IS NULL) END`,
		"contains_sequence": `CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN len($2) = 0 THEN true ELSE list_contains(list_transform(system.main.range(1, len($1) - len($2) + 2), lambda "~i": list_slice($1, "~i", "~i" + len($2) - 1) IS NOT DISTINCT FROM $2), true) END`,
		"array_histogram":   `CASE WHEN list_contains(list_transform($1, lambda "~e": "~e" IS NOT NULL), true) THEN CAST(list_histogram($1) AS ${R}) WHEN $1 IS NOT NULL THEN CAST(map([], []) AS ${R}) END`,
	} {
		reg.rules[name] = func(p *printer, c *call) {
			if name == "array_histogram" && float(c.bound.Args[0].Args[0]) { // DuckDB loses numbers beside NaN
				p.letArg(c, 0, func(list operand) {
					p.fill(c.node, "CASE WHEN $1 IS NOT NULL THEN ", list)
					p.counts(c.node, list)
					p.put(" END")
				})
				return
			}
			args := make([]operand, len(c.args))
			for i, a := range c.args {
				args[i] = a
				if hasMap(c.bound.Args[i]) {
					args[i] = operand{write: func() { p.canonical(c.bound.Args[i], a) }}
				}
			}
			p.fill(c.node, strings.ReplaceAll(text, "${R}", p.duckType(c.node, c.bound.Result)), args...)
		}
	}
	reg.rules["array_sort by"] = (*printer).sortBy
	reg.rules["zip_with"] = func(p *printer, c *call) {
		p.lets(c.args[:2], func(args []operand) {
			l, r, i := p.apart(args[0].write), p.apart(args[1].write), p.name("x")
			p.put("CASE WHEN ", l, " IS NOT NULL AND ", r, " IS NOT NULL THEN list_transform(system.main.range(1, greatest(len(", l, "), len(", r, ")) + 1), lambda ", i, ": ")
			p.bodyOf(p.lambdaOf(c.args[2]), "list_extract("+l+", "+i+")", "list_extract("+r+", "+i+")")
			p.put(") END")
		})
	}
	reg.rules["zip"] = func(p *printer, c *call) {
		p.lets(c.args, func(args []operand) {
			var lens, fields, given []string
			i := p.name("x")
			for _, a := range args {
				text := p.apart(a.write)
				given = append(given, text+" IS NOT NULL")
				lens = append(lens, "len("+text+")")
				fields = append(fields, "list_extract("+text+", "+i+")")
			}
			p.put("CASE WHEN ", strings.Join(given, " AND "), " THEN list_transform(system.main.range(1, greatest(", strings.Join(lens, ", "), ") + 1), lambda ", i, ": ", pack(fields), ") END")
		})
	}
	reg.rules["array_join"] = (*printer).arrayJoin
	reg.rules["combinations"] = func(p *printer, c *call) {
		i := p.name("x")
		p.lets(c.args, func(args []operand) {
			list := p.apart(args[0].write)
			p.put(`list_transform(CAST(CAST("~combinations"(CAST(len(`, list, `) AS VARCHAR), CAST(`)
			args[1].write()
			p.put(" AS VARCHAR)) AS JSON) AS BIGINT[][]), lambda ", i, ": list_select(", list, ", ", i, "))")
		})
	}
	reg.rules["cosine_similarity"] = func(p *printer, c *call) {
		const norm = `sqrt(coalesce(list_sum(list_transform(map_values(%), lambda "~e": "~e" * "~e")), 0))`
		p.fill(c.node, `CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL AND list_position(map_values($1), NULL) IS NULL AND list_position(map_values($2), NULL) IS NULL THEN
			CAST(coalesce(list_sum(list_transform(map_entries($1), lambda "~e": struct_extract_at("~e", 2) * map_extract_value($2, struct_extract_at("~e", 1)))), 0) AS DOUBLE) / (`+
			strings.ReplaceAll(norm, "%", "$1")+" * "+strings.ReplaceAll(norm, "%", "$2")+") END", c.args...)
	}
}

// pack is the text of a row of texts.
func pack(fields []string) string {
	var b strings.Builder
	b.WriteString("struct_pack(")
	for i, f := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("f" + strconv.Itoa(i+1) + " := " + f)
	}
	b.WriteString(")")
	return b.String()
}

// fill writes a template with arguments.
func (p *printer) fill(at trinosql.Node, text string, args ...operand) {
	parts, err := parseParts(text)
	if err != nil {
		panic(err)
	}
	x, _ := at.(trinosql.Expr)
	p.expand(&call{node: x, args: args}, parts)
}

// hasMap reports whether values of a type are maps or hold some: DuckDB tells maps with their keys in another order apart.
func hasMap(t *types.Type) bool {
	if t.Kind == types.Map {
		return true
	}
	for _, a := range t.Args {
		if nested(t) && hasMap(a) {
			return true
		}
	}
	return false
}

// search looks for a value in an array. Where DuckDB compares the elements as Trino does, native is the template; otherwise general, in which $3 is
// the list of what comparing gave: 2 for equal, 1 for unknown, 0 for unlike and NULL where an element is NULL.
func (p *printer) search(c *call, native, general string) {
	t := c.bound.Args[0].Args[0]
	if !nested(t) && !float(t) {
		p.fill(c.node, native, c.args...)
		return
	}
	fail := `"~error"('` + c.bound.Function.Name + ` does not support arrays with elements that are null or contain null')`
	p.lets(c.args, func(args []operand) {
		e := p.name("x")
		list := p.apart(args[0].write)
		found := operand{write: func() {
			p.put("list_transform(", list, ", lambda ", e, ": CASE WHEN ", e, " IS NOT NULL THEN ", tally(p.equal(c.node, t, e, p.apart(args[1].write))), " END)")
		}}
		p.fill(c.node, strings.ReplaceAll(general, "${FAIL}", fail), args[0], args[1], found)
	})
}

// sortBy sorts by a comparison: the place of an element is how many come before it.
func (p *printer) sortBy(c *call) {
	p.letArg(c, 0, func(list operand) {
		l := p.apart(list.write)
		x, i, y, j, r, v := p.name("x"), p.name("x"), p.name("x"), p.name("x"), p.name("x"), p.name("x")
		compared := p.apart(func() {
			p.lambdas[p.lambdaOf(c.args[1])] = []string{y, x}
			p.expr(p.lambdaOf(c.args[1]).Body)
		})
		checked := "list_transform([" + compared + "], lambda " + v + ": CASE WHEN " + v + " BETWEEN -1 AND 1 THEN " + v + ` ELSE CAST("~error"('Lambda comparator must return either -1, 0, or 1') AS INTEGER) END)[1]`
		p.put("CASE WHEN len(", l, ") < 2 THEN ", l, " ELSE list_transform(list_sort(list_transform(", l, ", lambda ", x, ", ", i, ": struct_pack(f1 := len(list_filter(", l, ", lambda ", y, ", ", j, ": ",
			j, " <> ", i, " AND ", checked, " < CASE WHEN ", j, " < ", i, " THEN 1 ELSE 0 END)), f2 := ", i, "))), lambda ", r, ": list_extract(", l, ", ", field(r, 1), ")) END")
	})
}

// arrayJoin writes the elements as texts.
func (p *printer) arrayJoin(c *call) {
	element := c.bound.Args[0].Args[0]
	if nested(element) || element.Kind == types.Varbinary {
		panic(failure{&analyze.Error{Kind: "OPERATOR_NOT_FOUND", At: c.node.Pos(), Msg: "Cannot cast " + element.String() + " to varchar"}})
	}
	e := p.name("x")
	text := func(list operand) operand {
		return operand{write: func() {
			p.put("list_transform(")
			list.write()
			p.put(", lambda ", e, ": ")
			p.cast(&conversion{node: c.node, from: element, to: types.Of(types.Varchar), operand: p.alias(e)})
			p.put(")")
		}}
	}
	p.lets(c.args, func(args []operand) {
		texts := text(args[0])
		given := []string{"IS NOT NULL"}
		if len(args) > 2 {
			texts = operand{write: func() { p.fill(c.node, `list_transform($1, lambda "~e": coalesce("~e", $2))`, text(args[0]), args[2]) }}
			given = append(given, "IS NOT NULL")
		}
		p.put("CASE WHEN ")
		args[0].write()
		for i, g := range given {
			p.put(" ", g, " AND ")
			args[i+1].write()
		}
		p.put(" IS NOT NULL THEN ")
		if _, ok := args[1].expr.(*trinosql.StringLit); ok {
			p.fill(c.node, "coalesce(array_to_string($1, $2), '')", texts, args[1])
		} else {
			there := operand{write: func() { p.fill(c.node, `list_filter($1, lambda "~e": "~e" IS NOT NULL)`, texts) }}
			p.fill(c.node, `CASE WHEN len($1) = 0 THEN '' ELSE list_reduce($1, lambda "~a", "~b": "~a" || $2 || "~b") END`, there, args[1])
		}
		p.put(" END")
	})
}
