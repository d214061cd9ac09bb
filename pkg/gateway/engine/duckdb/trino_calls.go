//go:build cgo

package duckdb

import (
	"regexp"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

// call applies the rule of a function.
func (r *rewriter) call(n node) (node, error) {
	name := strings.ToLower(str(n, "function_name"))
	a := args(n)
	if class(n) == "WINDOW" {
		if n["distinct"] == true {
			return nil, unsupported(n, "DISTINCT in window function parameters not yet supported: %s", name)
		}
		for _, k := range []string{"offset_expr", "default_expr"} {
			if x := sub(n, k); x != nil {
				a = append(a, x)
			}
		}
	}
	lines := trinoNames().functions[name]
	if lines == nil {
		if n["is_operator"] == true {
			return nil, errorAt(location(n), engine.KindSyntax, "mismatched input '%s'", strings.Trim(name, "~"))
		}
		if trinoNames().known[name] {
			return nil, unsupported(n, "Function '%s' is not supported on zone local", name)
		}
		return nil, unsupported(n, "Function '%s' not registered", name)
	}
	for _, f := range lines {
		if len(a) >= f.min && len(a) <= f.max {
			if takes, ok := trinoNames().arguments[name]; ok {
				if takes.before {
					return r.typed("fit:"+name, n)
				}
				if err := argumentsFit(n, name, takes.kinds, r.typesOf(a)); err != nil {
					return nil, err
				}
			}
			return r.apply(f, name, n, a)
		}
	}
	return nil, unsupported(n, "%s with %d arguments is not supported on zone local", name, len(a))
}

// typesOf are the types of expressions as far as the tree tells.
func (r *rewriter) typesOf(ns []node) []*vtype {
	out := make([]*vtype, len(ns))
	for i, n := range ns {
		out[i] = r.typeOf(n)
	}
	return out
}

// fitting applies the rule of a function whose arguments' types are known.
func (r *rewriter) fitting(name string, n node, t []*vtype) (node, error) {
	if err := argumentsFit(n, name, trinoNames().arguments[name].kinds, t); err != nil {
		return nil, err
	}
	a := args(n)
	for _, f := range trinoNames().functions[name] {
		if len(a) >= f.min && len(a) <= f.max {
			return r.apply(f, name, n, a)
		}
	}
	return nil, internalError("no rule " + name)
}

func (r *rewriter) apply(f trinoFunction, name string, n node, a []node) (node, error) {
	t := f.resultType(r, a)
	delete(n, "schema")
	switch f.kind {
	case "name":
		if f.to != name {
			n["function_name"] = f.to
			r.changed = true
		}
		if t != nil {
			n[typeKey] = t
		}
		return nil, nil
	case "typed":
		return r.typed(f.to, n)
	case "go":
		out, err := r.written(f.to, n, a)
		if err == nil && out != nil && t != nil && out[typeKey] == nil {
			out[typeKey] = t
		}
		return out, err
	}
	if err := plainCall(n); err != nil {
		return nil, err
	}
	out, err := r.template(f.to, a...)
	if err != nil || t == nil {
		return out, err
	}
	return t.of(out, nil)
}

// plainCall refuses FILTER, OVER, DISTINCT and ORDER BY on what is no aggregate.
func plainCall(n node) error {
	if class(n) == "WINDOW" || n["filter"] != nil || n["distinct"] == true || len(list(sub(n, "order_bys"), "orders")) > 0 {
		return errorAt(location(n), engine.KindValue, "%s is not an aggregate function", str(n, "function_name"))
	}
	return nil
}

// volatile reports whether an expression gives another value each time it is computed.
func volatile(n node) bool {
	return containsNode(n, func(x node) bool {
		f := str(x, "function_name")
		return f == "random" || f == "uuid" || f == "rand"
	})
}

// template is a piece of DuckDB's SQL with $a, $b, ... standing for arguments. One that is computed more than once must give the
// same value each time.
func (r *rewriter) template(sql string, a ...node) (node, error) {
	for i, x := range a {
		if strings.Count(sql, "$"+string(rune('a'+i))) > 1 && volatile(x) {
			return nil, unsupported(x, "random() and uuid() are not supported as an argument here on zone local")
		}
	}
	return r.s.template(r.ctx, sql, a...)
}

// lambdaOf takes a lambda apart.
func lambdaOf(n node, params int) (names []string, body node, err error) {
	if class(n) != "LAMBDA" {
		return nil, nil, errorAt(location(n), engine.KindValue, "a lambda expression is expected")
	}
	if names, err = lambdaNames(n); err == nil && len(names) != params {
		err = errorAt(location(n), engine.KindValue, "the lambda expression has %d parameters, not %d", len(names), params)
	}
	return names, sub(n, "expr"), err
}

// lambdaNames are the parameters of a lambda.
func lambdaNames(n node) ([]string, error) {
	lhs := sub(n, "lhs")
	params := []node{lhs}
	if class(lhs) == "FUNCTION" {
		params = args(lhs)
	}
	var out []string
	for _, p := range params {
		names := list(p, "column_names")
		if class(p) != "COLUMN_REF" || len(names) != 1 {
			return nil, unsupported(n, "mismatched input '->'")
		}
		name, _ := names[0].(string)
		out = append(out, name)
	}
	return out, nil
}

// pairLambda gives the body of a lambda (k, v) -> ... with the fields of an entry in the place of its parameters.
func (r *rewriter) pairLambda(n node, fields ...string) (node, error) {
	names, body, err := lambdaOf(n, len(fields))
	if err != nil {
		return nil, err
	}
	return fill(clone(body), func(name string) node {
		for i, p := range names {
			if strings.EqualFold(p, name) {
				return call("struct_extract", columnNode("~e"), textConst(fields[i]))
			}
		}
		return nil
	}), nil
}

// jsonPath puts a path of Trino's JSON functions into DuckDB's form; ok is false for what is no plain path.
func jsonPath(p string) (string, bool) {
	if !jsonPathForm().MatchString(p) {
		return "", false
	}
	out := "$"
	for _, m := range jsonPathStep().FindAllStringSubmatch(p[1:], -1) {
		switch {
		case m[3] != "":
			out += "[" + m[3] + "]"
		default:
			out += `."` + strings.ReplaceAll(m[1]+m[2], `"`, `\"`) + `"`
		}
	}
	return out, true
}

var (
	jsonPathForm = late.Regexp(`^\$(\.[\p{L}\p{N}_:-]+|\["[^"\\]*"\]|\['[^'\\]*'\]|\[\d+\])*$`)
	jsonPathStep = late.Regexp(`\.([\p{L}\p{N}_:-]+)|\[["']([^"']*)["']\]|\[(\d+)\]`)
)

// written are the rules that need more than a template, but no types.
func (r *rewriter) written(rule string, n node, a []node) (node, error) {
	switch rule {
	case "as_bigint":
		return r.castAs(n, typed("bigint"))
	case "bit_and", "bit_or", "bit_xor":
		n["function_name"] = rule
		return r.castAs(n, typed("bigint"))
	case "approx_distinct": // counted exactly, which is within its error
		if class(n) == "WINDOW" {
			return nil, unsupported(n, "approx_distinct(...) OVER is not supported on zone local")
		}
		n["function_name"], n["children"], n["distinct"] = "count", []any{a[0]}, true
		r.changed = true
		return nil, nil
	case "listagg":
		if len(a) == 1 {
			n["children"] = []any{a[0], textConst("")}
			r.changed = true
		}
		n[typeKey] = typed("varchar")
		return nil, nil
	case "map_agg", "multimap_agg":
		return r.mapAgg(rule, n, a)
	}
	if err := plainCall(n); err != nil {
		return nil, err
	}
	switch rule {
	case "like_escape":
		pattern, ok := literalText(a[1])
		if escape, ok2 := literalText(a[2]); ok && ok2 && !escapes(pattern, escape) {
			return nil, errorAt(location(n), engine.KindValue, "Escape character must be followed by '%%', '_' or the escape character itself")
		}
		return nil, nil
	case "props":
		key, ok := literalText(a[0])
		if !ok {
			return nil, unsupported(n, "current_user_props needs a constant key on zone local")
		}
		if len(r.s.chain) > 0 {
			return nil, unsupported(n, "current_user_props is not supported inside a saved query on zone local")
		}
		return typed("varchar").of(textConst(r.s.q.Props[key]), nil)
	case "greatest", "least":
		return r.extreme(rule, a)
	case "regexp_like":
		pattern, ok := literalText(a[1])
		if _, err := regexp.Compile(pattern); ok && err == nil { // the engine's own matcher takes it
			return r.template(`regexp_matches($a, $b)`, a...)
		}
		return r.template(`CAST("~regexp_like"($a, $b) AS BOOLEAN)`, a...)
	case "regexp_replace":
		if class(a[2]) == "LAMBDA" {
			return nil, unsupported(n, "regexp_replace with a lambda is not supported on zone local")
		}
		return r.template(`"~regexp_replace"($a, $b, $c)`, a...)
	case "from_unixtime":
		t, err := r.template("make_timestamptz(CAST(round(CAST($a AS DOUBLE) * 1000) AS BIGINT) * 1000)", a[0])
		if err != nil {
			return nil, err
		}
		return r.inZone(t, a[1])
	case "json_extract", "json_extract_scalar", "json_size":
		return r.json(rule, n, a)
	case "any_match", "all_match", "none_match":
		return r.match(rule, a)
	case "reduce":
		return r.reduce(a)
	case "zip_with":
		body, err := r.elements(a[2])
		if err != nil {
			return nil, err
		}
		return r.template(`list_transform(list_zip($a, $b), lambda "~e": $c)`, a[0], a[1], body)
	case "map_filter", "transform_values", "transform_keys":
		body, err := r.pairLambda(a[1], "key", "value")
		if err != nil {
			return nil, err
		}
		return r.template(map[string]string{
			"map_filter":       `map_from_entries(list_filter(map_entries($a), lambda "~e": $b))`,
			"transform_values": `map(map_keys($a), list_transform(map_entries($a), lambda "~e": $b))`,
			"transform_keys":   `map(list_transform(map_entries($a), lambda "~e": $b), map_values($a))`,
		}[rule], a[0], body)
	case "ordinality":
		return nil, nil
	}
	return nil, internalError("no rule " + rule)
}

// extreme is greatest or least, which in Trino are NULL if any argument is.
func (r *rewriter) extreme(rule string, a []node) (node, error) {
	var missing, given []string
	t := r.typeOf(a[0])
	for i, x := range a {
		if i >= 20 {
			return nil, unsupported(x, "%s takes at most 20 arguments on zone local", rule)
		}
		p := "$" + string(rune('a'+i))
		missing, given = append(missing, p+" IS NULL"), append(given, p)
		t = commonType(t, r.typeOf(x))
	}
	out, err := r.template("CASE WHEN NOT ("+strings.Join(missing, " OR ")+") THEN "+rule+"("+strings.Join(given, ", ")+") END", a...)
	if t != nil && err == nil {
		out[typeKey] = t
	}
	return out, err
}

func (r *rewriter) json(rule string, n node, a []node) (node, error) {
	text, ok := literalText(a[1])
	if !ok {
		return nil, unsupported(n, "%s needs a constant path on zone local", rule)
	}
	path, ok := jsonPath(text)
	if !ok {
		return nil, unsupported(n, "the JSON path '%s' is not supported on zone local: only names and indices are", text)
	}
	return r.template(map[string]string{
		"json_extract": `CASE WHEN json_valid($a) THEN json_extract($a, $b) END`,
		"json_extract_scalar": `CASE WHEN json_valid($a) THEN CASE WHEN json_type($a, $b) = 'DOUBLE' THEN "~json_number"(CAST($a AS VARCHAR), $b)
			WHEN json_type($a, $b) NOT IN ('OBJECT', 'ARRAY') THEN json_extract_string($a, $b) END END`,
		"json_size": `CASE WHEN json_valid($a) THEN CASE json_type($a, $b) WHEN 'OBJECT' THEN CAST(len(json_keys($a, $b)) AS BIGINT)
			WHEN 'ARRAY' THEN CAST(json_array_length($a, $b) AS BIGINT) ELSE 0 END END`,
	}[rule], a[0], textConst(path))
}

// match is any_match and its like, with the three values of logic.
func (r *rewriter) match(rule string, a []node) (node, error) {
	if _, _, err := lambdaOf(a[1], 1); err != nil {
		return nil, err
	}
	first := map[string]string{"any_match": "true", "none_match": "true", "all_match": "false"}[rule]
	found, none := "true", "false"
	if rule != "any_match" {
		found, none = none, found
	}
	l := "list_transform($a, $b)"
	return r.template("CASE WHEN $a IS NULL THEN NULL WHEN list_contains("+l+", "+first+") THEN "+found+
		" WHEN list_position("+l+", NULL) IS NOT NULL THEN NULL ELSE "+none+" END", a...)
}

func (r *rewriter) reduce(a []node) (node, error) {
	if _, _, err := lambdaOf(a[2], 2); err != nil {
		return nil, err
	}
	names, body, err := lambdaOf(a[3], 1)
	if err != nil {
		return nil, err
	}
	state, err := r.template(`list_reduce($a, $c, $b)`, a[0], a[1], a[2])
	if err != nil {
		return nil, err
	}
	return fill(clone(body), func(name string) node {
		if strings.EqualFold(name, names[0]) {
			return clone(state)
		}
		return nil
	}), nil
}

// elements is the body of a lambda (x, y) -> ... over a list of pairs.
func (r *rewriter) elements(n node) (node, error) {
	names, body, err := lambdaOf(n, 2)
	if err != nil {
		return nil, err
	}
	return fill(clone(body), func(name string) node {
		for i, p := range names {
			if strings.EqualFold(p, name) {
				return call("struct_extract", columnNode("~e"), intConst(int64(i+1)))
			}
		}
		return nil
	}), nil
}

// mapAgg gathers pairs, without those of a NULL key; of pairs with one key the first stays, or all in multimap_agg.
func (r *rewriter) mapAgg(rule string, n node, a []node) (node, error) {
	k, v := clone(a[0]), clone(a[1])
	k["alias"], v["alias"] = "k", "v"
	n["function_name"], n["children"] = "list", []any{call("struct_pack", k, v)}
	filter := "filter"
	if class(n) == "WINDOW" {
		filter = "filter_expr"
	}
	present := operatorNode("OPERATOR_IS_NOT_NULL", clone(a[0]))
	if f := sub(n, filter); f != nil {
		present = node{"class": "CONJUNCTION", "type": "CONJUNCTION_AND", "children": []any{f, present}}
	}
	n[filter] = present
	keys := `list_transform($a, lambda "~x": "~x".k)`
	firsts := `list_filter($a, lambda "~e", "~i": list_position(` + keys + `, "~e".k) = "~i")`
	if rule == "multimap_agg" {
		return r.template(`map(list_transform(`+firsts+`, lambda "~x": "~x".k), list_transform(`+firsts+
			`, lambda "~y": list_transform(list_filter($a, lambda "~z": "~z".k = "~y".k), lambda "~w": "~w".v)))`, n)
	}
	return r.template(`CASE WHEN len(list_distinct(`+keys+`)) = len($a) THEN map_from_entries($a) ELSE map_from_entries(`+firsts+`) END`, n)
}

// sessionNames are the words of Trino that look like columns and stand for a value of the session.
var sessionNames = set(`current_date current_time current_timestamp localtime localtimestamp current_user current_catalog current_schema`)

func isSession(n node) bool {
	names := list(n, "column_names")
	if len(names) != 1 {
		return false
	}
	name, _ := names[0].(string)
	return sessionNames[strings.ToLower(name)]
}

func (r *rewriter) session(n node) (node, error) {
	if !isSession(n) {
		return nil, nil
	}
	name, _ := list(n, "column_names")[0].(string)
	switch name = strings.ToLower(name); name {
	case "current_time":
		return nil, unsupported(n, "current_time is not supported on zone local: times have no zone here")
	case "current_date":
		return typed("date").of(n, nil)
	case "current_timestamp":
		return typed("timestamp with time zone").of(n, nil)
	case "localtime":
		return typed("time").of(n, nil)
	case "localtimestamp":
		return r.castAs(n, typed("timestamp(3)"))
	case "current_catalog":
		return typed("varchar").of(textConst(engine.InternalCatalog), nil)
	case "current_schema":
		return typed("varchar").of(textConst(engine.SchemaTable), nil)
	}
	if len(r.s.chain) > 0 {
		return nil, unsupported(n, "current_user is not supported inside a saved query on zone local")
	}
	return typed("varchar").of(textConst(r.s.q.Props["user"]), nil)
}

// constant refuses numbers beyond bigint, which have no type in Trino.
func (r *rewriter) constant(n node) (node, error) {
	if id := str(sub(sub(n, "value"), "type"), "id"); id == "HUGEINT" || id == "UHUGEINT" || id == "UBIGINT" {
		return nil, errorAt(location(n), engine.KindValue, "Invalid numeric literal: it does not fit a bigint")
	}
	return nil, nil
}
