package translate

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func mapRules(reg *registry) {
	reg.rules["map"] = func(p *printer, c *call) {
		p.bindOnce(c.args, func(args []operand) {
			p.put("CASE WHEN len(", args[0], ") <> len(", args[1],
				`) THEN "~error"('Key and value arrays must be the same length') ELSE `)
			p.newMap(c.node, c.bound.Result.Args[0], args[0], args[1])
			p.put(" END")
		})
	}
	reg.rules["map subscript"] = (*printer).mapSubscript
	reg.rules["map element"] = func(p *printer, c *call) {
		text := "map_extract_value($1, $2)"
		if float(c.bound.Args[1]) {
			text = "CASE WHEN NOT isnan($2) THEN map_extract_value($1, $2) END"
		}
		p.fill(c.node, text, c.args...)
	}
	reg.rules["map_from_entries"] = func(p *printer, c *call) {
		p.bindArg(c, 0, func(entries operand) {
			p.put("CASE WHEN list_position(", entries,
				`, NULL) IS NOT NULL THEN "~error"('map entry cannot be null') ELSE `)
			p.newMap(c.node, c.bound.Result.Args[0], p.fields2(entries, 1), p.fields2(entries, 2))
			p.put(" END")
		})
	}
	reg.rules["multimap_from_entries"] = func(p *printer, c *call) {
		if _, null := c.args[0].expr.(*trinosql.NullLit); null {
			p.put("CAST(NULL AS ", p.duckType(c.node, c.bound.Result), ")")
			return
		}
		p.bindArg(c, 0, func(entries operand) {
			p.fill(c.node, `CASE WHEN list_position($1, NULL) IS NOT NULL THEN "~error"('map entry cannot be null')
				WHEN list_contains(list_transform($1, lambda "~e": struct_extract_at("~e", 1) IS NULL), true) THEN "~error"('map key cannot be null') ELSE `, entries)
			p.multimap(c.node, entries)
			p.put(" END")
		})
	}
	reg.rules["map_filter"] = func(p *printer, c *call) {
		p.put("map_from_entries(list_filter(map_entries(")
		p.entries(c, "))")
	}
	reg.rules["transform_values"] = func(p *printer, c *call) {
		p.bindArg(c, 0, func(m operand) {
			p.put("map(map_keys(", m, "), list_transform(map_entries(")
			p.entries(&call{node: c.node, args: []operand{m, c.args[1]}}, "))")
		})
	}
	reg.rules["transform_keys"] = func(p *printer, c *call) {
		p.bindArg(c, 0, func(m operand) {
			keys := operand{write: func() {
				p.put("list_transform(map_entries(")
				p.entries(&call{node: c.node, args: []operand{m, c.args[1]}}, ")")
			}}
			p.newMap(c.node, c.bound.Result.Args[0], keys, p.around1("map_values(", m))
		})
	}
	reg.rules["map_zip_with"] = func(p *printer, c *call) {
		p.bindOnce(c.args[:2], func(args []operand) {
			l, r, k := p.capture(args[0].write), p.capture(args[1].write), p.name("x")
			keys := operand{write: func() {
				p.put("list_concat(map_keys(", l, "), list_filter(map_keys(", r, "), lambda ", k,
					": NOT list_contains(map_keys(", l, "), ", k, ")))")
			}}
			p.put("CASE WHEN ", l, " IS NOT NULL AND ", r, " IS NOT NULL THEN ")
			p.bindOnce([]operand{keys}, func(keys []operand) {
				p.put("map(", keys[0], ", list_transform(", keys[0], ", lambda ", k, ": ")
				p.bodyOf(p.lambdaOf(c.args[2]), k, "map_extract_value("+l+", "+k+")", "map_extract_value("+r+", "+k+")")
				p.put("))")
			})
			p.put(" END")
		})
	}
	reg.rules["map_concat"] = func(p *printer, c *call) {
		if len(c.args) == 1 {
			p.raise(c.node, c.bound.Result, "There must be two or more concatenation arguments to map_concat",
				c.args[0])
			return
		}
		p.bindOnce(c.args, func(args []operand) {
			p.put("CASE WHEN ")
			p.allNotNull(args)
			p.put(" THEN map_concat(", args, ") END")
		})
	}
	reg.casts[kinds{types.Map, types.Map}] = (*printer).castMap
}

// around1 is a call with one argument.
func (p *printer) around1(open string, x operand) operand {
	return operand{write: func() { p.put(open, x, ")") }}
}

// fields2 is a list of one field of each row of a list.
func (p *printer) fields2(list operand, n int) operand {
	return operand{write: func() {
		e := p.name("x")
		p.put("list_transform(", list, ", lambda ", e, ": ", field(e, n-1), ")")
	}}
}

// newMap creates a map of lists of keys and values, and fails as Trino does for keys that are NULL, contain NULL or are
// duplicates.
func (p *printer) newMap(at trinosql.Expr, key *types.Type, keys, values operand) {
	p.bindOnce([]operand{keys, values}, func(args []operand) {
		k, e, i := p.capture(args[0].write), p.name("x"), p.name("x")
		p.put("CASE WHEN list_position(", k, `, NULL) IS NOT NULL THEN "~error"('map key cannot be null')`)
		if nested(key) {
			p.put(" WHEN list_contains(list_transform(", k, ", lambda ", e, ": ", p.holdsNull(key, e),
				`), true) THEN "~error"('map key cannot be indeterminate: ' || `,
				p.javaText(key, "list_filter("+k+", lambda "+e+": "+p.holdsNull(key, e)+")[1]"), ")")
		}
		p.put(" WHEN len(list_distinct(", k, ")) < len(", k, `) THEN "~error"('Duplicate map keys (' || `,
			p.javaText(key, "list_filter("+k+", lambda "+e+", "+i+": list_position("+k+", "+e+") < "+i+")[1]"),
			" || ') are not allowed') ELSE map(", k, ", ", args[1], ") END")
	})
}

// holdsNull is the condition that a value contains NULL at any depth.
func (p *printer) holdsNull(t *types.Type, x string) string {
	switch t.Kind {
	case types.Array:
		text := "(list_position(" + x + ", NULL) IS NOT NULL"
		if nested(t.Args[0]) {
			e := p.name("x")
			text += " OR list_contains(list_transform(" + x + ", lambda " + e + ": coalesce(" + p.holdsNull(t.Args[0],
				e) + ", false)), true)"
		}
		return text + ")"
	case types.Row:
		terms := make([]string, len(t.Args))
		for i, f := range t.Args {
			terms[i] = field(x, i) + " IS NULL"
			if nested(f) {
				terms[i] += " OR " + p.holdsNull(f, field(x, i))
			}
		}
		return "(" + strings.Join(terms, " OR ") + ")"
	case types.Map:
		return p.holdsNull(types.NewArray(t.Args[1]), "map_values("+x+")")
	}
	return "(" + x + " IS NULL)"
}

// javaText is the text of a value in Trino's messages.
func (p *printer) javaText(t *types.Type, x string) string {
	switch t.Kind {
	case types.Array:
		e := p.name("x")
		return "'[' || coalesce(list_aggregate(list_transform(" + x + ", lambda " + e + ": coalesce(" +
			p.javaText(t.Args[0], e) + ", 'null')), 'string_agg', ', '), CASE WHEN " + x +
			" IS NOT NULL THEN '' END) || ']'"
	case types.Row:
		e := p.name("x")
		terms := make([]string, len(t.Args))
		for i, f := range t.Args {
			terms[i] = "coalesce(" + p.javaText(f, field(e, i)) + ", 'null')"
		}
		return "list_transform([" + x + "], lambda " + e + ": '[' || " + strings.Join(terms, " || ', ' || ") +
			" || ']')[1]"
	case types.Real, types.Double:
		return "system.main.replace(CAST(" + x + " AS VARCHAR), 'nan', 'NaN')"
	}
	return "CAST(" + x + " AS VARCHAR)"
}

// mapSubscript writes m[k]. The message for a missing key contains the key if it can be cast to varchar.
func (p *printer) mapSubscript(c *call) {
	p.bindOnce(c.args, func(args []operand) {
		m, k := p.capture(args[0].write), p.capture(args[1].write)
		key := c.bound.Args[1]
		message := "'Key not present in map'"
		if f := writers.get().casts[kinds{key.Kind, types.Varchar}]; !nested(key) &&
			(f != nil || key.Kind == types.Varchar) {
			message = "'Key not present in map: ' || " + p.capture(func() {
				p.convert(c.node, key, types.Of(types.Varchar), p.alias(k))
			})
		}
		p.put("CASE WHEN ", m, " IS NULL OR ", k, " IS NULL THEN NULL WHEN list_contains(map_keys(", m, "), ", k,
			") THEN map_extract_value(", m, ", ", k, `) ELSE "~error"(`, message, ") END")
	})
}

// multimap creates a map of rows of key and value: each key with the list of its values in order. Sorting groups equal
// keys.
func (p *printer) multimap(at trinosql.Node, entries operand) {
	p.sortedKeys(entries, func(l, sorted, starts string) {
		s, i, x, g := p.name("x"), p.name("x"), p.name("x"), p.name("x")
		// for each key the indices of its entries, keys ordered by their first entry
		groups := operand{write: func() {
			p.put("list_sort(list_transform(", starts, ", lambda ", s, ", ", i, ": list_transform(list_slice(", sorted,
				", ", s, ", coalesce(list_extract(", starts, ", ", i, " + 1) - 1, len(", sorted, "))), lambda ", x,
				": ", field(x, 1), ")))")
		}}
		p.bindOnce([]operand{groups}, func(args []operand) {
			list := p.capture(args[0].write)
			p.put("map(list_transform(", list, ", lambda ", g, ": ", field("list_extract("+l+", "+g+"[1])", 0),
				"), list_transform(", list, ", lambda ", g, ": list_transform(", g, ", lambda ", x, ": ",
				field("list_extract("+l+", "+x+")", 1), ")))")
		})
	})
}

// firstMap creates a map of rows of key and value; it keeps the first of several rows with the same key.
func (p *printer) firstMap(at trinosql.Node, entries operand) {
	p.bindOnce([]operand{entries}, func(args []operand) {
		l, e := p.capture(args[0].write), p.name("x")
		keys := "list_transform(" + l + ", lambda " + e + ": " + field(e, 0) + ")"
		p.put("CASE WHEN ", l, " IS NULL THEN NULL WHEN len(list_distinct(", keys, ")) = len(", l,
			") THEN map_from_entries(", l, ") ELSE ")
		p.sortedKeys(args[0], func(l, sorted, starts string) {
			s, g := p.name("x"), p.name("x")
			p.put("map_from_entries(list_transform(list_sort(list_transform(", starts, ", lambda ", s, ": ",
				field("list_extract("+sorted+", "+s+")", 1), ")), lambda ", g, ": list_extract(", l, ", ", g, ")))")
		})
		p.put(" END")
	})
}

// counts creates a map of the distinct values of a list and their counts.
func (p *printer) counts(at trinosql.Node, list operand) {
	entries := operand{write: func() {
		p.fill(at, `list_transform(list_filter($1, lambda "~e": "~e" IS NOT NULL), lambda "~e": struct_pack(f1 := `+
			`"~e", f2 := true))`, list)
	}}
	p.bindOnce([]operand{{write: func() { p.multimap(at, entries) }}}, func(args []operand) {
		p.fill(at, `map(map_keys($1), list_transform(map_values($1), lambda "~e": CAST(len("~e") AS BIGINT)))`, args[0])
	})
}

// sortedKeys passes to write the texts of a list of entries, of the list of their keys and indices sorted by key, and
// of the list of positions in that list where a new key begins.
func (p *printer) sortedKeys(entries operand, write func(l, sorted, starts string)) {
	p.bindOnce([]operand{entries}, func(args []operand) {
		l, e, i := p.capture(args[0].write), p.name("x"), p.name("x")
		sorted := operand{write: func() {
			p.put("list_sort(list_transform(", l, ", lambda ", e, ", ", i, ": struct_pack(f1 := ", field(e, 0),
				", f2 := ", i, ")))")
		}}
		p.bindOnce([]operand{sorted}, func(args []operand) {
			list := p.capture(args[0].write)
			starts := operand{write: func() {
				p.put("list_filter(system.main.range(1, len(", list, ") + 1), lambda ", i, ": ", i, " = 1 OR ",
					field("list_extract("+list+", "+i+")", 0), " IS DISTINCT FROM ", field("list_extract("+list+", "+i+
						" - 1)", 0), ")")
			}}
			p.bindOnce([]operand{starts}, func(args []operand) { write(l, list, p.capture(args[0].write)) })
		})
	})
}

// castMap casts keys and values.
func (p *printer) castMap(c *conversion) {
	if c.from.Args[0].Kind == types.Unknown {
		p.native(c)
		return
	}
	defer p.inTry(c.try)()
	p.bindOnce([]operand{c.operand}, func(args []operand) {
		text := p.capture(args[0].write)
		k, v := p.name("x"), p.name("x")
		keys := operand{write: func() {
			p.put("list_transform(map_keys(", text, "), lambda ", k, ": ")
			p.convert(c.node, c.from.Args[0], c.to.Args[0], p.alias(k))
			p.put(")")
		}}
		p.bindOnce([]operand{keys}, func(args []operand) {
			list := p.capture(args[0].write)
			p.put("CASE WHEN list_position(", list,
				`, NULL) IS NOT NULL THEN "~error"('map key is null') WHEN len(list_distinct(`, list, ")) < len(", list,
				`) THEN "~error"('duplicate keys') ELSE map(`, list, ", list_transform(map_values(", text,
				"), lambda ", v, ": ")
			p.convert(c.node, c.from.Args[1], c.to.Args[1], p.alias(v))
			p.put(")) END")
		})
	})
}
