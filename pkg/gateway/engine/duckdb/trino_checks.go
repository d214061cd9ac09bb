//go:build cgo

package duckdb

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// DuckDB casts the operands of comparisons and their like to each other where Trino refuses them: a text and a number, say. What a
// statement compares, joins into one column or takes for a condition is therefore held against Trino's rules of types once its
// expressions are rewritten. Types that the tree does not tell are asked for together, in one plan.

const (
	checkKey = "\x00check" // true on expressions of the user's own whose operands are to be looked at
	wantKey  = "\x00want"  // int64 on operands whose type is asked for: the number of the question
)

// demand is what an expression asks of its operands.
type demand struct {
	ops     []node
	boolean string // what must be a boolean, for the message
	common  string // what must have one type, for the message; else they are compared
	op      string // the operator of a comparison
}

// demands are those of an expression.
func demands(n node) []demand {
	switch class(n) {
	case "COMPARISON":
		return []demand{{ops: []node{sub(n, "left"), sub(n, "right")}, op: comparisonSigns[str(n, "type")]}}
	case "BETWEEN":
		return []demand{{ops: []node{sub(n, "input"), sub(n, "lower"), sub(n, "upper")}, op: "BETWEEN"}}
	case "CONJUNCTION":
		return []demand{{ops: args(n), boolean: "Logical expression term"}}
	case "CASE":
		var when, then []node
		for _, c := range list(n, "case_checks") {
			m, _ := c.(node)
			when, then = append(when, sub(m, "when_expr")), append(then, sub(m, "then_expr"))
		}
		if e := sub(n, "else_expr"); e != nil {
			then = append(then, e)
		}
		return []demand{{ops: when, boolean: "CASE WHEN clause"}, {ops: then, common: "All CASE results"}}
	}
	switch str(n, "type") {
	case "COMPARE_IN", "COMPARE_NOT_IN":
		return []demand{{ops: args(n), common: "IN value and list items"}}
	case "OPERATOR_NOT":
		return []demand{{ops: args(n), boolean: "Value of logical NOT expression"}}
	case "OPERATOR_COALESCE":
		return []demand{{ops: args(n), common: "All COALESCE operands"}}
	case "ARRAY_CONSTRUCTOR":
		return []demand{{ops: args(n), common: "All ARRAY elements"}}
	}
	if class(n) != "FUNCTION" && class(n) != "WINDOW" {
		return nil
	}
	var out []demand
	for _, k := range []string{"filter", "filter_expr"} {
		if f := sub(n, k); f != nil {
			out = append(out, demand{ops: []node{f}, boolean: "Filter expression"})
		}
	}
	switch str(n, "function_name") {
	case "list_value":
		out = append(out, demand{ops: args(n), common: "All ARRAY elements"})
	case "nullif":
		out = append(out, demand{ops: args(n), op: "="})
	}
	return out
}

var comparisonSigns = map[string]string{"COMPARE_EQUAL": "=", "COMPARE_NOTEQUAL": "<>", "COMPARE_LESSTHAN": "<", "COMPARE_LESSTHANOREQUALTO": "<=",
	"COMPARE_GREATERTHAN": ">", "COMPARE_GREATERTHANOREQUALTO": ">=", "COMPARE_DISTINCT_FROM": "IS DISTINCT FROM", "COMPARE_NOT_DISTINCT_FROM": "IS DISTINCT FROM"}

// relationDemands are those of what is no expression.
func relationDemands(n node) []demand {
	condition := func(key, what string) []demand {
		if x := sub(n, key); x != nil {
			return []demand{{ops: []node{x}, boolean: what}}
		}
		return nil
	}
	switch str(n, "type") {
	case "SELECT_NODE":
		return append(condition("where_clause", "WHERE clause"), condition("having", "HAVING clause")...)
	case "JOIN":
		return condition("condition", "JOIN ON clause")
	case "EXPRESSION_LIST":
		return columnsOf(list(n, "values"), "Values rows")
	case "SET_OPERATION_NODE":
		sides := []any{}
		for _, k := range []string{"left", "right"} {
			items := list(sub(n, k), "select_list")
			if str(sub(n, k), "type") != "SELECT_NODE" || slices.ContainsFunc(items, func(x any) bool { e, _ := x.(node); return class(e) == "STAR" }) {
				return nil // the columns are not to be seen here
			}
			for _, x := range items { // what reports its type keeps its name
				if e, _ := x.(node); class(e) == "COLUMN_REF" && str(e, "alias") == "" && !isSession(e) {
					names := list(e, "column_names")
					e["alias"] = names[len(names)-1]
				}
			}
			sides = append(sides, items)
		}
		return columnsOf(sides, "Columns of a set operation")
	}
	return nil
}

// columnsOf makes a demand for each column of rows.
func columnsOf(rows []any, what string) []demand {
	var out []demand
	for _, row := range rows {
		cells, _ := row.([]any)
		for i, c := range cells {
			if i == len(out) {
				out = append(out, demand{common: what})
			}
			m, _ := c.(node)
			out[i].ops = append(out[i].ops, m)
		}
	}
	return out
}

// checks holds the whole statement against the rules; it comes after the rewriting.
func (r *rewriter) checks() error {
	ids := map[string]int64{}
	if err := r.check(r.root, ids); err != nil || len(ids) == 0 {
		return err
	}
	text, err := r.s.deserialize(r.ctx, bare(r.wanted(r.root, ids, true)).(node))
	if err != nil {
		return err
	}
	types, err := r.told(text)
	if err != nil { // an error of the statement itself is told about the statement without the questions
		plain := r.wanted(r.root, nil, true).(node)
		if text, err2 := r.s.deserialize(r.ctx, bare(clone(plain)).(node)); err2 == nil {
			if err3 := r.s.plan(r.ctx, text); err3 != nil {
				return &planFault{err3, text, plain}
			}
		}
		return internalError("the types of the statement cannot be told: " + err.Error())
	}
	for key, id := range ids {
		if r.asked[key] = types[id]; types[id] == nil {
			r.asked[key] = typed("unknown")
		}
	}
	return r.check(r.root, nil)
}

// check applies the demands whose types are known, and numbers the operands in ids whose types are not.
func (r *rewriter) check(v any, ids map[string]int64) error {
	switch v := v.(type) {
	case node:
		leave := r.enter(v)
		defer leave()
		for _, k := range sortedKeys(v) {
			if err := r.check(v[k], ids); err != nil {
				return err
			}
		}
		if v[checkKey] == nil {
			return nil
		}
		if class(v) == "" {
			return r.meet(v, relationDemands(v), ids)
		}
		return r.meet(v, demands(v), ids)
	case []any:
		for _, x := range v {
			if err := r.check(x, ids); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rewriter) meet(n node, ds []demand, ids map[string]int64) error {
	for _, d := range ds {
		var types []*vtype
		whole := true
		for _, o := range d.ops {
			r.fullStamp(o)
			t := r.typeOf(o)
			if t == nil {
				key := r.key(o)
				if item := scalarItem(o); item != nil {
					o = item
					t = r.typeOf(o)
				}
				if t == nil {
					t = r.asked[key]
				}
				derived := o[checkKey] != nil && (class(o) == "CASE" || str(o, "type") == "OPERATOR_COALESCE") // from its own operands
				if t == nil && ids != nil && !derived && !containsNode(o, func(x node) bool { return class(x) == "SUBQUERY" }) {
					if ids[key] == 0 {
						ids[key] = int64(len(ids) + 1)
					}
					o[wantKey] = ids[key]
				}
				whole = whole && t != nil
			}
			types = append(types, t)
		}
		t, err := d.met(n, types)
		if err != nil {
			return err
		}
		if result := class(n) == "CASE" || str(n, "type") == "OPERATOR_COALESCE"; result && d.common != "" && whole && t != nil && n[typeKey] == nil {
			n[typeKey] = t
		}
	}
	return nil
}

// fullStamp gives a literal timestamp, in place, the type that DuckDB compares with those of any precision and with a zone.
func (r *rewriter) fullStamp(o node) {
	t := r.typeOf(o)
	if class(o) != "CAST" || class(sub(o, "child")) != "CONSTANT" || t == nil || !t.isStamp() || t.precision() >= 6 {
		return
	}
	o["cast_type"], o[typeKey], r.changed = typeNode("TIMESTAMP"), t, true
}

// scalarItem is the expression that a subquery in the place of a value gives.
func scalarItem(n node) node {
	sel := sub(sub(n, "subquery"), "node")
	items := list(sel, "select_list")
	if class(n) != "SUBQUERY" || str(sel, "type") != "SELECT_NODE" || len(items) != 1 || class(firstNode(items)) == "STAR" {
		return nil
	}
	return firstNode(items)
}

// met reports the first of the known types that breaks the demand, and the common type.
func (d demand) met(n node, types []*vtype) (*vtype, error) {
	var common *vtype
	for i, t := range types {
		switch {
		case t == nil || !familiar(t):
			continue
		case d.boolean != "":
			if t.name != "boolean" && !t.isUnknown() {
				return nil, errorAt(place(d.ops[i], n), engine.KindValue, "%s must evaluate to a boolean (actual: %s)", d.boolean, t.name)
			}
			continue
		case common == nil:
			common = t
			continue
		}
		both := commonType(common, t)
		if both == nil {
			both = looseType(common, t)
		}
		switch {
		case both != nil:
			common = both
		case d.op == "BETWEEN":
			return nil, errorAt(place(d.ops[i], n), engine.KindValue, "Cannot check if %s is BETWEEN %s and %s", name(types[0]), name(types[1]), name(types[2]))
		case d.op != "":
			return nil, errorAt(place(n, d.ops[0]), engine.KindValue, "Cannot apply operator: %s %s %s", common.name, d.op, t.name)
		default:
			return nil, errorAt(place(d.ops[i], n), engine.KindValue, "%s must be the same type or coercible to a common type. Cannot find common type between %s and %s",
				d.common, common.name, t.name)
		}
	}
	return common, nil
}

func name(t *vtype) string {
	if t == nil {
		return "unknown"
	}
	return t.name
}

func place(n, other node) int {
	if l := location(n); l >= 0 {
		return l
	}
	return location(other)
}

// familiar reports whether a type is one of Trino's; what sources bring besides is left to the engine.
func familiar(t *vtype) bool {
	switch t.name {
	case "boolean", "varchar", "date", "time", "uuid", "varbinary", "json", "unknown":
		return true
	}
	if t.isArray() || t.isMap() || t.isRow() {
		return len(t.kids) > 0 && !slices.ContainsFunc(t.kids, func(k *vtype) bool { return !familiar(k) })
	}
	return t.isNumber() || t.isStamp() || t.isZoned() || t.isInterval()
}

// looseType is the common type where commonType is stricter than the names of types say: rows, and intervals that DuckDB knows as one.
func looseType(a, b *vtype) *vtype {
	pair := func(x, y *vtype) *vtype {
		if t := commonType(x, y); t != nil {
			return t
		}
		return looseType(x, y)
	}
	switch {
	case a.isInterval() && b.isInterval() && (a.name == "interval" || b.name == "interval"):
		return a
	case a.isRow() && b.isRow() && len(a.kids) == len(b.kids):
		for i := range a.kids {
			if pair(a.kids[i], b.kids[i]) == nil {
				return nil
			}
		}
		return a
	case a.isArray() && b.isArray():
		if k := pair(a.kids[0], b.kids[0]); k != nil {
			return typed("array", k)
		}
	case a.isMap() && b.isMap():
		if k, v := pair(a.kids[0], b.kids[0]), pair(a.kids[1], b.kids[1]); k != nil && v != nil {
			return typed("map", k, v)
		}
	}
	return nil
}

// wanted copies a tree; with ids the operands in question also report their types. The copy inside a report holds no reports of its
// own, so that the text does not double with each level.
func (r *rewriter) wanted(v any, ids map[string]int64, report bool) any {
	switch v := v.(type) {
	case node:
		if str(v, "type") == "VALUE_PARAMETER" {
			return placed(nullConst(), v)
		}
		c := make(node, len(v))
		for k, x := range v {
			if k != wantKey {
				c[k] = r.wanted(x, ids, report)
			}
		}
		if id, ok := v[wantKey].(int64); ok && report && ids != nil {
			r.wrap(c, id, r.wanted(v, ids, false).(node))
		}
		return c
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = r.wanted(x, ids, report)
		}
		return l
	}
	return v
}

// told plans a text that reports types, by their numbers.
func (r *rewriter) told(text string) (map[int64]*vtype, error) {
	id := r.s.c.id()
	sink := &notes{types: map[int64]*vtype{}}
	r.s.c.in.notes.Store(id, sink)
	defer r.s.c.in.notes.Delete(id)
	return sink.types, r.s.plan(r.ctx, text)
}

// argumentKinds are the kinds of arguments in the table of Trino's functions.
var argumentKinds = map[byte]func(*vtype) bool{
	'n': (*vtype).isNumber,
	'i': (*vtype).isInt,
	's': (*vtype).isText,
	'b': func(t *vtype) bool { return t.name == "varbinary" },
	't': func(t *vtype) bool { return t.name == "boolean" },
	'd': func(t *vtype) bool { return t.name == "date" || t.isStamp() || t.isZoned() },
	'a': (*vtype).isArray,
	'm': (*vtype).isMap,
	'j': func(t *vtype) bool { return t.isText() || t.name == "json" },
	'x': func(t *vtype) bool { return t.isText() || t.isArray() && (t.kids[0].isText() || t.kids[0].isUnknown()) },
	'*': func(*vtype) bool { return true },
}

// oneType reports whether values of all the types become one type: with within, after an array that they are compared with the elements of.
func oneType(types []*vtype, within bool) bool {
	var common *vtype
	for i, t := range types {
		if t == nil || !familiar(t) || t.isUnknown() {
			continue
		}
		if within && i == 0 {
			if !t.isArray() {
				return false
			}
			t = t.kids[0]
		}
		if common == nil || common.isUnknown() {
			common = t
			continue
		}
		both := commonType(common, t)
		if both == nil {
			both = looseType(common, t)
		}
		if common = both; common == nil {
			return false
		}
	}
	return true
}

// argumentsFit holds the known types of a call's arguments against the kinds that a function takes; the last kind repeats.
func argumentsFit(n node, name, kinds string, types []*vtype) error {
	for i, t := range types {
		if t == nil || t.isUnknown() || !familiar(t) || t.name == "function" {
			continue
		}
		kind := kinds[min(i, len(kinds)-1)]
		if together := kind == 'c' || kind == 'e'; together && !oneType(types, kind == 'e') || !together && !argumentKinds[kind](t) {
			var all []string
			for _, x := range types {
				if all = append(all, "unknown"); x != nil {
					all[len(all)-1] = x.name
				}
			}
			return errorAt(location(n), engine.KindValue, "Unexpected parameters (%s) for function %s", strings.Join(all, ", "), strings.Trim(name, "~"))
		}
	}
	return nil
}
