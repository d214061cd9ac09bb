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
		p.search(c, `CASE WHEN list_contains($1, $2) THEN true WHEN $2 IS NULL OR list_position($1, NULL) IS NOT `+
			`NULL THEN NULL ELSE list_contains($1, $2) END`,
			`CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN list_position($3, 1) < coalesce(list_position($3, 2), 2147483647) THEN ${FAIL}
			WHEN list_position($3, 2) IS NOT NULL THEN true WHEN list_position($1, NULL) IS NULL THEN false END`)
	}
	reg.rules["array_position"] = func(p *printer, c *call) {
		p.search(c, `CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL ELSE CAST(coalesce(list_position($1, $2), 0) AS `+
			`BIGINT) END`,
			`CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN list_position($3, 1) < coalesce(list_position($3, 2), 2147483647) THEN ${FAIL}
			ELSE CAST(coalesce(list_position($3, 2), 0) AS BIGINT) END`)
	}
	reg.rules["array_remove"] = func(p *printer, c *call) {
		p.search(c, `CASE WHEN $2 IS NOT NULL THEN list_filter($1, lambda "~e": "~e" IS DISTINCT FROM $2) END`,
			`CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN list_contains($3, 1) THEN ${FAIL} ELSE list_filter($1,`+
				` lambda "~e", "~i": $3["~i"] IS DISTINCT FROM 2) END`)
	}
	for _, which := range []string{"max", "min"} {
		reg.rules["array_"+which] = func(p *printer, c *call) {
			if float(c.bound.Result) {
				p.fill(c.node, `CASE WHEN list_position($1, NULL) IS NULL THEN coalesce(list_`+which+
					`(list_filter($1, lambda "~e": NOT isnan("~e"))), list_`+which+`($1)) END`, c.args...)
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
		"array_distinct": distinctItems,
		// in the order of the longer one
		"array_intersect": `CASE WHEN len($1) >= len($2) THEN ` + commonOf("$1", "$2") +
			` WHEN len($1) < len($2) THEN ` + commonOf("$2", "$1") + ` END`,
		"array_except": `CASE WHEN len($2) = 0 THEN $1 WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN CASE WHEN ` +
			`len($2) < 500 AND len($1) < 500 THEN list_filter($1, lambda "~e", "~i": list_position($1, "~e") = "~i" ` +
			`AND list_position($2, "~e") IS NULL) ELSE ` + commonItems("NOT ") + ` END END`,
		"contains_sequence": `CASE WHEN $1 IS NULL OR $2 IS NULL THEN NULL WHEN len($2) = 0 THEN true ELSE ` +
			`list_contains(list_transform(system.main.range(1, len($1) - len($2) + 2), lambda "~i": list_slice($1, ` +
			`"~i", "~i" + len($2) - 1) IS NOT DISTINCT FROM $2), true) END`,
		"array_histogram": `CASE WHEN list_contains(list_transform($1, lambda "~e": "~e" IS NOT NULL), true) THEN ` +
			`CAST(list_histogram($1) AS ${R}) WHEN $1 IS NOT NULL THEN CAST(map([], []) AS ${R}) END`,
	} {
		reg.rules[name] = func(p *printer, c *call) {
			if name == "array_histogram" && float(c.bound.Args[0].Args[0]) { // DuckDB loses numbers next to NaN
				p.bindArg(c, 0, func(list operand) {
					p.fill(c.node, "CASE WHEN $1 IS NOT NULL THEN ", list)
					p.counts(c.node, list)
					p.put(" END")
				})
				return
			}
			args := make([]operand, len(c.args))
			for i, a := range c.args {
				t := c.bound.Args[i] // which DuckDB does not know of a NULL
				args[i] = operand{write: func() { p.fill(c.node, "CAST($1 AS "+p.duckType(c.node, t)+")", a) }}
				if hasMap(c.bound.Args[i]) {
					args[i] = operand{write: func() { p.canonical(c.bound.Args[i], a) }}
				}
			}
			p.fill(c.node, strings.ReplaceAll(text, "${R}", p.duckType(c.node, c.bound.Result)), args...)
		}
	}
	reg.rules["array_union"] = func(p *printer, c *call) {
		all := operand{write: func() {
			p.fill(c.node, "CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL THEN list_concat($1, $2) END", c.args...)
		}}
		if list := c.bound.Args[0]; hasMap(list) {
			plain := all
			all = operand{write: func() { p.canonical(list, plain) }}
		}
		p.fill(c.node, distinctItems, all)
	}
	reg.rules["array_sort by"] = (*printer).sortBy
	reg.rules["zip_with"] = func(p *printer, c *call) {
		p.bindOnce(c.args[:2], func(args []operand) {
			l, r, i := p.capture(args[0].write), p.capture(args[1].write), p.name("x")
			p.put("CASE WHEN ", l, " IS NOT NULL AND ", r,
				" IS NOT NULL THEN list_transform(system.main.range(1, greatest(len(", l, "), len(", r,
				")) + 1), lambda ", i, ": ")
			p.bodyOf(p.lambdaOf(c.args[2]), "list_extract("+l+", "+i+")", "list_extract("+r+", "+i+")")
			p.put(") END")
		})
	}
	reg.rules["zip"] = func(p *printer, c *call) {
		p.bindOnce(c.args, func(args []operand) {
			var lens, fields, given []string
			i := p.name("x")
			for _, a := range args {
				text := p.capture(a.write)
				given = append(given, text+" IS NOT NULL")
				lens = append(lens, "len("+text+")")
				fields = append(fields, "list_extract("+text+", "+i+")")
			}
			p.put("CASE WHEN ", strings.Join(given, " AND "), " THEN list_transform(system.main.range(1, greatest(",
				strings.Join(lens, ", "), ") + 1), lambda ", i, ": ", pack(fields), ") END")
		})
	}
	reg.rules["array_join"] = (*printer).arrayJoin
	reg.rules["combinations"] = func(p *printer, c *call) {
		i := p.name("x")
		p.bindOnce(c.args, func(args []operand) {
			list := p.capture(args[0].write)
			p.put(`list_transform(CAST(CAST("~combinations"(CAST(len(`, list, `) AS VARCHAR), CAST(`, args[1],
				" AS VARCHAR)) AS JSON) AS BIGINT[][]), lambda ", i, ": list_select(", list, ", ", i, "))")
		})
	}
	reg.rules["cosine_similarity"] = func(p *printer, c *call) {
		const norm = `sqrt(coalesce(list_sum(list_transform(map_values(%), lambda "~e": "~e" * "~e")), 0))`
		p.fill(c.node,
			`CASE WHEN $1 IS NOT NULL AND $2 IS NOT NULL AND list_position(map_values($1), NULL) IS NULL AND list_position(map_values($2), NULL) IS NULL THEN
			CAST(coalesce(list_sum(list_transform(map_entries($1), lambda "~e": struct_extract_at("~e", 2) * map_extract_value($2, struct_extract_at("~e", 1)))), 0) AS DOUBLE) / (`+
				strings.ReplaceAll(norm, "%", "$1")+" * "+strings.ReplaceAll(norm, "%", "$2")+") END", c.args...)
	}
}

// distinctItems keeps the first of equal items. In a long list they are adjacent after sorting; in a short one each is
// searched for.
const distinctItems = `CASE WHEN len($1) < 500 THEN list_filter($1, lambda "~e", "~i": list_position($1, "~e") = "~i") ELSE
	list_transform([list_sort(list_transform($1, lambda "~e", "~i": struct_pack(e := "~e", i := "~i")))], lambda "~s":
	list_transform(list_sort(list_filter(list_transform("~s", lambda "~x", "~k": struct_pack(i := CASE WHEN "~k" = 1 OR struct_extract_at("~x", 1)
	IS DISTINCT FROM struct_extract_at("~s"["~k" - 1], 1) THEN struct_extract_at("~x", 2) END, e := struct_extract_at("~x", 1))), lambda "~y": struct_extract_at("~y", 1) IS NOT NULL)),
	lambda "~z": struct_extract_at("~z", 2)))[1] END`

// commonOf are the distinct items of a list that are in another.
func commonOf(list, other string) string {
	const short = `CASE WHEN len($2) < 500 THEN list_filter($1, lambda "~e", "~i": list_position($1, "~e") = "~i" ` +
		`AND list_position($2, "~e") IS NOT NULL) ELSE `
	return strings.NewReplacer("$1", list, "$2", other).Replace(short + commonItems("") + " END")
}

// commonItems are the distinct items of the first list that are in the second, or with not that are not: equal items of
// both are adjacent when the distinct items of both are sorted.
func commonItems(not string) string {
	one, two := strings.ReplaceAll(distinctItems, "$1", `"~a"`), strings.ReplaceAll(distinctItems, "$1", `"~b"`)
	return `list_transform([struct_pack(a := $1, b := $2)], lambda "~p": list_transform([struct_pack(a := ` +
		`list_transform([struct_extract_at("~p", 1)], lambda "~a": ` + one + `)[1],
		b := list_transform([struct_extract_at("~p", 2)], lambda "~b": ` + two + `)[1])], lambda "~q":
		list_transform([list_sort(list_transform(list_concat(struct_extract_at("~q", 1), struct_extract_at("~q", 2)), lambda "~e", "~i": struct_pack(e := "~e", i := "~i")))], lambda "~s":
		list_transform(list_sort(list_filter(list_transform("~s", lambda "~x", "~k": struct_pack(i := CASE WHEN struct_extract_at("~x", 2) <= len(struct_extract_at("~q", 1)) AND ` + not + `("~k" < len("~s")
		AND struct_extract_at("~s"["~k" + 1], 1) IS NOT DISTINCT FROM struct_extract_at("~x", 1)) THEN struct_extract_at("~x", 2) END, e := struct_extract_at("~x", 1))),
		lambda "~y": struct_extract_at("~y", 1) IS NOT NULL)), lambda "~z": struct_extract_at("~z", 2)))[1])[1])[1]`
}

// pack is the text of a row with the given fields.
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
	x, _ := at.(trinosql.Expr)
	p.expand(&call{node: x, args: args}, mustParts(text))
}

// hasMap reports whether a type is or contains a map: DuckDB distinguishes maps with different orders of keys.
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

// search looks for a value in an array. If DuckDB compares the elements as Trino does, native is the template;
// otherwise general, in which $3 is the list of results: 2 for equal, 1 for unknown, 0 for unequal, and NULL where an
// element is NULL.
func (p *printer) search(c *call, native, general string) {
	t := c.bound.Args[0].Args[0]
	if !nested(t) && !float(t) {
		p.fill(c.node, native, c.args...)
		return
	}
	fail := `"~error"('` + c.bound.Function.Name +
		` does not support arrays with elements that are null or contain null')`
	p.bindOnce(c.args, func(args []operand) {
		e := p.name("x")
		list := p.capture(args[0].write)
		found := operand{write: func() {
			p.put("list_transform(", list, ", lambda ", e, ": CASE WHEN ", e, " IS NOT NULL THEN ",
				tally(p.equal(c.node, t, e, p.capture(args[1].write))), " END)")
		}}
		p.fill(c.node, strings.ReplaceAll(general, "${FAIL}", fail), args[0], args[1], found)
	})
}

// sortBy sorts by a comparison: the position of an element is the number of elements before it.
func (p *printer) sortBy(c *call) {
	p.bindArg(c, 0, func(list operand) {
		l := p.capture(list.write)
		x, i, y, j, r, v := p.name("x"), p.name("x"), p.name("x"), p.name("x"), p.name("x"), p.name("x")
		compared := p.capture(func() {
			p.lambdas[p.lambdaOf(c.args[1])] = []string{y, x}
			p.expr(p.lambdaOf(c.args[1]).Body)
		})
		checked := "list_transform([" + compared + "], lambda " + v + ": CASE WHEN " + v + " BETWEEN -1 AND 1 THEN " +
			v + ` ELSE CAST("~error"('Lambda comparator must return either -1, 0, or 1') AS INTEGER) END)[1]`
		const most = 10000 // elements: the comparisons are the square of them, and cannot be interrupted
		p.put("CASE WHEN len(", l, ") < 2 THEN ", l, " WHEN len(", l, ") > ", strconv.Itoa(most),
			` THEN "~error"('array_sort with a lambda of more than `,
			strconv.Itoa(most),
			` elements is not supported on zone local') ELSE list_transform(list_sort(list_transform(`, l, ", lambda ",
			x, ", ", i, ": struct_pack(f1 := len(list_filter(", l, ", lambda ", y, ", ", j, ": ",
			j, " <> ", i, " AND ", checked, " < CASE WHEN ", j, " < ", i, " THEN 1 ELSE 0 END)), f2 := ", i,
			"))), lambda ", r, ": list_extract(", l, ", ", field(r, 1), ")) END")
	})
}

// arrayJoin joins the elements as strings.
func (p *printer) arrayJoin(c *call) {
	element := c.bound.Args[0].Args[0]
	if nested(element) || element.Kind == types.Varbinary {
		trinosql.Fail(&analyze.Error{Kind: "OPERATOR_NOT_FOUND", At: c.node.Pos(), Msg: "Cannot cast " +
			element.String() + " to varchar"})
	}
	e := p.name("x")
	text := func(list operand) operand {
		return operand{write: func() {
			p.put("list_transform(", list, ", lambda ", e, ": ")
			p.convert(c.node, element, types.Of(types.Varchar), p.alias(e))
			p.put(")")
		}}
	}
	p.bindOnce(c.args, func(args []operand) {
		texts := text(args[0])
		given := []string{"IS NOT NULL"}
		if len(args) > 2 {
			texts = operand{write: func() {
				p.fill(c.node, `list_transform($1, lambda "~e": coalesce("~e", $2))`,
					text(args[0]), args[2])
			}}
			given = append(given, "IS NOT NULL")
		}
		p.put("CASE WHEN ", args[0])
		for i, g := range given {
			p.put(" ", g, " AND ", args[i+1])
		}
		p.put(" IS NOT NULL THEN ")
		if _, ok := args[1].expr.(*trinosql.StringLit); ok {
			p.fill(c.node, "coalesce(list_aggregate($1, 'string_agg', $2), '')", texts, args[1])
		} else {
			there := operand{write: func() { p.fill(c.node, `list_filter($1, lambda "~e": "~e" IS NOT NULL)`, texts) }}
			p.fill(c.node,
				`CASE WHEN len($1) = 0 THEN '' ELSE list_reduce($1, lambda "~a", "~b": "~a" || $2 || "~b") END`,
				there, args[1])
		}
		p.put(" END")
	})
}
