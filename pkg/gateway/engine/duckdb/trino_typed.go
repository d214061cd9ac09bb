//go:build cgo

package duckdb

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// typedRule is a rule that needs the types of its operands.
type typedRule struct {
	// native says that DuckDB can plan the expression as it stands, before the rule was applied.
	native   bool
	operands func(n node) []node
	rewrite  func(r *rewriter, n node, t []*vtype) (node, error)
}

// typedExpression names the typed rule of an expression that is no call.
func typedExpression(typ string) string {
	switch typ {
	case "OPERATOR_CAST":
		return "cast"
	case "ARRAY_EXTRACT":
		return "subscript"
	case "ARRAY_SLICE":
		return "colon"
	case "COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO":
		return ""
	}
	return ""
}

func firstArg(n node) []node { return args(n)[:1] }

// typedRuleOf is the rule of a name.
func typedRuleOf(name string) typedRule {
	native := func(f func(*rewriter, node, []*vtype) (node, error)) typedRule {
		return typedRule{true, args, f}
	}
	other := func(f func(*rewriter, node, []*vtype) (node, error)) typedRule {
		return typedRule{false, args, f}
	}
	if fn, ok := strings.CutPrefix(name, "fit:"); ok {
		return other(func(r *rewriter, n node, t []*vtype) (node, error) { return r.fitting(fn, n, t) })
	}
	switch name {
	case "+", "-", "*", "/", "%":
		return native(func(r *rewriter, n node, t []*vtype) (node, error) { return r.arithmetic(name, n, t) })
	case "||":
		return other((*rewriter).concat)
	case "concat_ws":
		return other((*rewriter).concatWS)
	case "cast":
		return typedRule{true, func(n node) []node { return []node{sub(n, "child")} }, (*rewriter).cast}
	case "date":
		return typedRule{true, firstArg, func(r *rewriter, n node, t []*vtype) (node, error) {
			return r.convert(n, args(n)[0], t[0], typed("date"))
		}}
	case "colon":
		return other(func(_ *rewriter, n node, _ []*vtype) (node, error) {
			return nil, errorAt(location(n), engine.KindSyntax, "mismatched input ':'")
		})
	case "subscript":
		return native((*rewriter).subscript)
	case "element_at":
		return other((*rewriter).elementAt)
	case "cardinality":
		return other((*rewriter).cardinality)
	case "unnest_rows":
		return typedRule{false, firstArg, (*rewriter).unnestRows}
	case "sequence":
		return other((*rewriter).sequence)
	case "array_join":
		return other((*rewriter).arrayJoin)
	case "reverse", "length":
		return typedRule{name == "length", firstArg, func(r *rewriter, n node, t []*vtype) (node, error) { return r.textOrList(name, n, t) }}
	case "sum", "avg":
		return typedRule{true, firstArg, func(r *rewriter, n node, t []*vtype) (node, error) { return r.total(name, n, t[0]) }}
	case "histogram":
		return typedRule{true, firstArg, func(r *rewriter, n node, t []*vtype) (node, error) {
			return r.castAs(n, typed("map", t[0], typed("bigint")))
		}}
	case "round", "truncate", "ceil", "floor", "sign":
		return other(func(r *rewriter, n node, t []*vtype) (node, error) { return r.rounded(name, n, t) })
	case "random":
		return other((*rewriter).random)
	case "typeof":
		return other(func(r *rewriter, n node, t []*vtype) (node, error) {
			return typed("varchar").of(textConst(t[0].name), nil)
		})
	case "format":
		return other((*rewriter).format)
	case "md5", "sha1", "sha256", "sha512", "crc32", "to_hex", "to_base64":
		return other(func(r *rewriter, n node, t []*vtype) (node, error) { return r.binary(name, n, t[0]) })
	case "date_trunc", "date_add", "date_diff", "date_format", "format_datetime", "to_iso8601", "timezone", "with_timezone", "field":
		return other(func(r *rewriter, n node, t []*vtype) (node, error) { return r.timeRule(name, n, t) })
	}
	return typedRule{operands: args, rewrite: func(*rewriter, node, []*vtype) (node, error) { return nil, internalError("no rule " + name) }}
}

// mismatch is the refusal of types that an operator or a function does not take.
func mismatch(n node, what string, t []*vtype) error {
	var names []string
	for _, x := range t {
		names = append(names, x.name)
	}
	if n["is_operator"] == true && len(t) == 2 {
		return errorAt(location(n), engine.KindValue, "Cannot apply operator: %s %s %s", t[0].name, what, t[1].name)
	}
	return errorAt(location(n), engine.KindValue, "Unexpected parameters (%s) for function %s", strings.Join(names, ", "), what)
}

// concat joins texts, binaries or arrays; anything else is refused, as in Trino.
func (r *rewriter) concat(n node, t []*vtype) (node, error) {
	a := args(n)
	common := t[0]
	for i, x := range t[1:] {
		switch {
		case common.isArray() && !x.isArray():
			a[i+1] = operatorNode("ARRAY_CONSTRUCTOR", a[i+1])
			if c := commonType(common.kids[0], x); c != nil {
				common = typed("array", c)
			}
		case i == 0 && x.isArray() && !common.isArray():
			a[0] = operatorNode("ARRAY_CONSTRUCTOR", a[0])
			common = x
		case commonType(common, x) == nil:
			return nil, mismatch(n, map[bool]string{true: "||", false: "concat"}[n["is_operator"] == true], t)
		default:
			common = commonType(common, x)
		}
	}
	if !common.isText() && !common.isArray() && common.name != "varbinary" && !common.isUnknown() {
		return nil, mismatch(n, map[bool]string{true: "||", false: "concat"}[n["is_operator"] == true], t)
	}
	nulls := false
	for i, x := range t {
		if x.isUnknown() && !common.isUnknown() {
			c, err := r.castAs(a[i], common)
			if err != nil {
				return nil, err
			}
			a[i], nulls = c, true
		}
	}
	out := a[0]
	for _, x := range a[1:] {
		out = infix("||", out, x)
	}
	if common.isArray() {
		missing := make([]node, len(a))
		copy(missing, a)
		var conds []string
		for i := range a {
			conds = append(conds, "$"+string(rune('b'+i))+" IS NULL")
		}
		return common.of(r.template("CASE WHEN NOT ("+strings.Join(conds, " OR ")+") THEN $a END", append([]node{out}, missing...)...))
	}
	if n["is_operator"] == true && len(t) == 2 && !nulls {
		n[typeKey] = common
		return n, nil
	}
	if nulls { // DuckDB takes the whole for untyped
		return r.castAs(out, common)
	}
	return common.of(out, nil)
}

// concatWS joins texts, or the elements of one array, with a separator; those that are NULL are left out.
func (r *rewriter) concatWS(n node, t []*vtype) (node, error) {
	a := args(n)
	if len(t) == 2 && t[1].isArray() && (t[1].kids[0].isText() || t[1].kids[0].isUnknown()) {
		return typed("varchar").of(r.template("CASE WHEN $b IS NOT NULL THEN array_to_string($b, $a) END", a...))
	}
	for _, x := range t {
		if !x.isText() && !x.isUnknown() {
			return nil, mismatch(n, "concat_ws", t)
		}
	}
	return typed("varchar").of(call("concat_ws", a...), nil)
}

// total is sum and avg.
func (r *rewriter) total(name string, n node, t *vtype) (node, error) {
	switch {
	case t.isInt() && name == "sum":
		return r.castAs(n, typed("bigint"))
	case t.name == "real":
		return r.castAs(n, t)
	case t.name == "double", t.isInt():
		return typed("double").of(n, nil)
	case t.isDecimal() && name == "sum":
		_, s := t.decimals()
		return decimalType(38, s).of(n, nil)
	case t.isDecimal():
		sum, count := clone(n), clone(n)
		sum["function_name"], count["function_name"] = "sum", "count"
		_, s := t.decimals()
		return t.of(r.template(fmt.Sprintf(`CAST(CASE WHEN $b > 0 THEN "~divide"(CAST($a AS VARCHAR), CAST($b AS VARCHAR), '%d') END AS %s)`, s, t.sql()), sum, count))
	case t.isUnknown():
		return typed("double").of(n, nil)
	}
	return nil, mismatch(n, name, []*vtype{t})
}

// rounded is round and its like: a number keeps its kind.
func (r *rewriter) rounded(name string, n node, t []*vtype) (node, error) {
	a, x := args(n), t[0]
	if !x.isNumber() && !x.isUnknown() {
		return nil, mismatch(n, name, t)
	}
	fn := map[string]string{"truncate": "trunc"}[name]
	if fn == "" {
		fn = name
	}
	switch {
	case name == "sign":
		return r.castAs(call("sign", a[0]), x)
	case x.isInt() && len(a) == 1:
		return x.of(a[0], nil)
	case x.isInt():
		if name == "truncate" {
			return nil, mismatch(n, name, t)
		}
		return r.castAs(call(fn, a...), x)
	case x.isDecimal():
		p, s := x.decimals()
		switch {
		case len(a) == 1 && name == "truncate":
			return r.castAs(call(fn, a...), decimalType(max(p-s, 1), 0))
		case len(a) == 1:
			return r.castAs(call(fn, a...), decimalType(p-s+min(s, 1), 0))
		case name == "truncate":
			return r.castAs(call(fn, a...), x)
		}
		d, ok := literalInt(a[1])
		if !ok {
			return nil, unsupported(n, "round of a decimal needs a constant number of digits on zone local")
		}
		if d >= int64(s) {
			return r.castAs(a[0], decimalType(p+1, s))
		}
		return r.castAs(call(fn, a...), decimalType(p+1, s))
	case name == "truncate" && len(a) == 2:
		return nil, mismatch(n, name, t)
	}
	if len(a) == 2 {
		return x.of(r.template(`CAST(CAST("~fixed"(CAST($a AS VARCHAR), CAST($b AS VARCHAR)) AS DOUBLE) AS `+x.sql()+`)`, a...))
	}
	return r.castAs(call(fn, a...), x)
}

func (r *rewriter) random(n node, t []*vtype) (node, error) {
	a := args(n)
	for _, x := range t {
		if !x.isInt() {
			return nil, mismatch(n, "random", t)
		}
	}
	if len(a) == 1 {
		return t[0].of(r.template("CAST(floor(random() * $a) AS "+t[0].sql()+")", a...))
	}
	return t[1].of(r.template("CAST(floor(random() * ($b - $a)) AS "+t[1].sql()+") + $a", a...))
}

// binary is a function of a varbinary; Trino takes no text there.
func (r *rewriter) binary(name string, n node, t *vtype) (node, error) {
	if t.name != "varbinary" && !t.isUnknown() {
		return nil, mismatch(n, name, []*vtype{t})
	}
	var sql string
	result := "varbinary"
	switch name {
	case "to_hex":
		sql, result = "hex($a)", "varchar"
	case "to_base64":
		sql, result = "to_base64($a)", "varchar"
	case "crc32":
		sql, result = `CAST("~crc32"(hex($a)) AS BIGINT)`, "bigint"
	case "sha512":
		sql = `unhex("~sha512"(hex($a)))`
	default:
		sql = "unhex(" + name + "($a))"
	}
	return typed(result).of(r.template(sql, args(n)...))
}
