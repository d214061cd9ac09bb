//go:build cgo

package duckdb

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// A statement in Trino's dialect is made to mean in DuckDB what it means in Trino by rewriting its tree, from the inside out.
// A rule replaces an expression by one of DuckDB's. Some rules need the types of their operands, as a / b or CAST(x AS varchar):
// what the tree itself does not tell, DuckDB's planner is asked for (trino_ask.go). What has no counterpart is refused by name.

// Keys that rules leave in nodes; they never reach DuckDB.
const (
	typeKey = "\x00type" // *vtype: what the node's type is in Trino
	waitKey = "\x00wait" // string: the rule that waits for the types of the node's operands
	zoneKey = "\x00zone" // string: the zone of a time with zone, where it is not UTC
)

// rewriter works on one statement.
type rewriter struct {
	s       *statement
	ctx     context.Context
	root    node
	changed bool
	up      []node // the expressions around the current one, outermost first
	asked   map[string]*vtype
	scope   string
	selects int
	calls   map[string]string // calls with lambdas, by how they are written
}

func unsupported(n node, format string, a ...any) error {
	return errorAt(location(n), engine.KindUnsupported, format, a...)
}

func internalError(msg string) error {
	return &engine.Error{Kind: engine.KindInternal, Message: msg}
}

// trino rewrites a tree in place; changed says whether it differs from before. alias gives the unnamed columns of the outermost
// SELECT the names that Trino gives them.
func (s *statement) trino(ctx context.Context, t *translation, root node, alias bool) (changed bool, err error) {
	r := &rewriter{s: s, ctx: ctx, root: root, asked: map[string]*vtype{}, calls: map[string]string{}}
	if err := r.orders(root); err != nil {
		return false, err
	}
	if err := r.children(root); err != nil {
		return false, err
	}
	if err := r.rounds(); err != nil {
		return false, err
	}
	if !s.untyped {
		if err := r.checks(); err != nil {
			return false, err
		}
	}
	if err := r.doubles(t, alias); err != nil {
		return false, err
	}
	if err := r.aliases(root); err != nil {
		return false, err
	}
	if err := r.zones(root); err != nil {
		return false, err
	}
	r.columnNames(root, alias)
	return r.changed, r.ties(root)
}

// children rewrites what is below a node.
func (r *rewriter) children(n node) error {
	for _, k := range sortedKeys(n) {
		v, err := r.any(n[k])
		if err != nil {
			return err
		}
		n[k] = v
	}
	if class(n) == "" && str(n, "type") != "" {
		if len(relationDemands(n)) > 0 {
			n[checkKey] = true
		}
		return r.relation(n)
	}
	return nil
}

func (r *rewriter) any(v any) (any, error) {
	switch v := v.(type) {
	case node:
		if class(v) != "" {
			return r.expression(v)
		}
		return v, r.children(v)
	case []any:
		for i, x := range v {
			y, err := r.any(x)
			if err != nil {
				return nil, err
			}
			v[i] = y
		}
	}
	return v, nil
}

// expression rewrites an expression and returns what takes its place, under the same name.
func (r *rewriter) expression(n node) (node, error) {
	r.up = append(r.up, n)
	err := r.children(n)
	r.up = r.up[:len(r.up)-1]
	if err != nil {
		return nil, err
	}
	if len(demands(n)) > 0 {
		n[checkKey] = true
	}
	out, err := r.rule(n)
	if err != nil {
		return nil, err
	}
	return r.instead(out, n), nil
}

// instead gives a replacement the name and the place of what it replaces.
func (r *rewriter) instead(out, old node) node {
	if out == nil || identical(out, old) {
		return old
	}
	r.changed = true
	alias := str(old, "alias")
	delete(out, "alias")
	if alias != "" {
		out["alias"] = alias
	}
	if location(out) < 0 {
		placed(out, old)
	}
	return out
}

// identical reports whether two maps are one, by writing to the first.
func identical(a, b node) bool {
	const probe = "\x00"
	a[probe] = true
	_, same := b[probe]
	delete(a, probe)
	return same
}

// is marks a node with its type.
func (t *vtype) of(n node, err error) (node, error) {
	if err == nil && n != nil {
		n[typeKey] = t
	}
	return n, err
}

// castAs casts a node to a type, and remembers it.
func (r *rewriter) castAs(n node, t *vtype) (node, error) {
	return t.of(r.template("CAST($a AS "+t.sql()+")", n))
}

// rule applies the rule of an expression whose operands are rewritten, or marks it to wait for their types.
func (r *rewriter) rule(n node) (node, error) {
	switch class(n) {
	case "CONSTANT":
		return r.constant(n)
	case "FUNCTION", "WINDOW":
		return r.call(n)
	case "STAR":
		if !empty(n["exclude_list"]) || !empty(n["replace_list"]) || !empty(n["rename_list"]) || n["expr"] != nil || n["columns"] == true {
			return nil, unsupported(n, "a star takes no EXCLUDE, REPLACE or COLUMNS in Trino's dialect")
		}
		return nil, nil
	case "COLUMN_REF":
		return r.session(n)
	case "POSITIONAL_REFERENCE":
		return nil, unsupported(n, "mismatched input '#'")
	}
	if t := typedExpression(str(n, "type")); t != "" {
		return r.typed(t, n)
	}
	return nil, nil
}

// typed applies a typed rule if the types of its operands are known.
func (r *rewriter) typed(name string, n node) (node, error) {
	rule := typedRuleOf(name)
	var types []*vtype
	known := true
	for _, o := range rule.operands(n) {
		t := r.typeOf(o)
		if t == nil && !waits(o) {
			t = r.asked[r.key(o)]
		}
		known = known && t != nil
		types = append(types, t)
	}
	if !known {
		n[waitKey] = name
		return nil, nil
	}
	delete(n, waitKey)
	r.up = append(r.up, n)
	defer func() { r.up = r.up[:len(r.up)-1] }()
	return rule.rewrite(r, n, types)
}

// typeOf is the type of an expression as far as the tree tells.
func (r *rewriter) typeOf(n node) *vtype {
	if t, ok := n[typeKey].(*vtype); ok {
		return t
	}
	if waits(n) {
		return nil
	}
	switch class(n) {
	case "COMPARISON", "CONJUNCTION", "BETWEEN":
		return typed("boolean")
	case "CONSTANT":
		return constantType(n)
	case "CAST":
		return treeType(sub(n, "cast_type"))
	case "PARAMETER":
		return typed("unknown")
	case "LAMBDA":
		return typed("function")
	case "SUBQUERY":
		if t := str(n, "subquery_type"); t != "" && t != "SCALAR" {
			return typed("boolean")
		}
	}
	switch str(n, "type") {
	case "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_NOT", "COMPARE_IN", "COMPARE_NOT_IN":
		return typed("boolean")
	}
	return nil
}

// waits reports whether an expression or one below it waits for types.
func waits(v any) bool {
	return containsNode(v, func(n node) bool { return n[waitKey] != nil })
}

func constantType(n node) *vtype {
	if isNull(n) {
		return typed("unknown")
	}
	t := sub(sub(n, "value"), "type")
	if str(t, "id") == "INTEGER_LITERAL" {
		return typed("integer")
	}
	return treeType(t)
}

// treeType reads a type of the tree; nil for those that no rule needs.
func treeType(t node) *vtype {
	info := sub(t, "type_info")
	num := func(key string) int {
		n, _ := strconv.Atoi(numText(info[key]))
		return n
	}
	switch id := str(t, "id"); id {
	case "DECIMAL":
		return decimalType(num("width"), num("scale"))
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "UUID", "VARCHAR", "TIME", "TIMESTAMP":
		if info != nil && id == "VARCHAR" {
			return nil
		}
		return typed(strings.ToLower(id))
	case "FLOAT":
		return typed("real")
	case "BLOB":
		return typed("varbinary")
	case "HUGEINT":
		return typed("bigint")
	case "TIMESTAMP_S":
		return typed("timestamp(0)")
	case "TIMESTAMP_MS":
		return typed("timestamp(3)")
	case "TIMESTAMP_NS":
		return typed("timestamp(9)")
	case "TIMESTAMP WITH TIME ZONE":
		return typed("timestamp with time zone")
	case "UNBOUND":
		switch strings.ToUpper(str(info, "name")) {
		case "JSON":
			return typed("json")
		case "TIMESTAMP_S":
			return typed("timestamp(0)")
		case "TIMESTAMP_MS":
			return typed("timestamp(3)")
		case "TIMESTAMP_NS":
			return typed("timestamp(9)")
		}
	}
	return nil
}

func sortedKeys(n node) []string {
	keys := make([]string, 0, len(n))
	for k := range n {
		if k[0] != 0 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func operatorNode(typ string, a ...node) node {
	return node{"class": "OPERATOR", "type": typ, "children": anys(a)}
}
