package native

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

// Narrow finds the conditions that can be pushed down to the source of one table reference: those of WHERE and the joins of the
// SELECT whose FROM contains it.
func (tr *Tree) Narrow(ref tableRef, bindings []string) narrow.Narrowing {
	w := narrower{ref: ref.node, bindings: bindings}
	if w.names = ref.Parts; str(ref.node, "alias") != "" {
		w.names = []string{str(ref.node, "alias")}
	}
	return w.search(tr.root)
}

// NarrowOnce is Narrow for a table whose rows are collected before the statement runs: one with several references is collected
// as a whole.
func (tr *Tree) NarrowOnce(ref tableRef, bindings []string) narrow.Narrowing {
	name := engine.FullName(ref.Parts)
	for _, other := range tr.Tables {
		if other.Pos != ref.Pos && engine.FullName(other.Parts) == name {
			return narrow.Everything()
		}
	}
	return tr.Narrow(ref, bindings)
}

type narrower struct {
	ref      map[string]any
	names    []string // qualifiers of its columns, from the left
	bindings []string
	joined   bool // with other tables
	merged   bool // columns of several tables are merged, by USING or NATURAL
}

// search finds the SELECT whose FROM contains the table.
func (w *narrower) search(v any) narrow.Narrowing {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if n := w.search(x); !n.Empty() {
				return n
			}
		}
	case map[string]any:
		if from, ok := v["from_table"].(map[string]any); ok && str(v, "type") == "SELECT_NODE" {
			if on, found := w.find(from); found {
				return w.selected(v, on)
			}
		}
		for _, x := range v {
			if n := w.search(x); !n.Empty() {
				return n
			}
		}
	}
	return narrow.Everything()
}

// find searches a FROM for the table and collects the join conditions that hold for every relevant row of it.
func (w *narrower) find(from map[string]any) (on []map[string]any, found bool) {
	switch str(from, "type") {
	case "BASE_TABLE": // a sample or column aliases add members
		return nil, location(from) == location(w.ref) && location(from) >= 0 &&
			onlyKeys(from, "type", "alias", "query_location", "catalog_name", "schema_name", "table_name")
	case "JOIN":
		kind, way := str(from, "join_type"), str(from, "ref_type")
		if way != "REGULAR" && way != "CROSS" && way != "NATURAL" ||
			!onlyKeys(from, "type", "left", "right", "condition", "join_type", "ref_type", "using_columns", "query_location") {
			return nil, false
		}
		left, _ := from["left"].(map[string]any)
		right, _ := from["right"].(map[string]any)
		on, found = w.find(left)
		holds := kind == "INNER" || kind == "RIGHT"
		if !found {
			if kind != "INNER" && kind != "LEFT" && kind != "RIGHT" && kind != "FULL" && kind != "OUTER" {
				return nil, false
			}
			on, found = w.find(right)
			holds = kind == "INNER" || kind == "LEFT"
		}
		if found {
			w.joined = true
			w.merged = w.merged || way == "NATURAL" || from["using_columns"] != nil
			if c, ok := from["condition"].(map[string]any); ok && holds {
				on = append(on, c)
			}
		}
		return on, found
	}
	return nil, false
}

func onlyKeys(n map[string]any, keys ...string) bool {
	for k := range n {
		if !slices.Contains(keys, k) {
			return false
		}
	}
	return true
}

// selected collects the conditions and the limit of a SELECT.
func (w *narrower) selected(sel map[string]any, on []map[string]any) narrow.Narrowing {
	n := narrow.Everything()
	for _, c := range on {
		w.conditions(c, &n.Conds)
	}
	all := true
	if where, ok := sel["where_clause"].(map[string]any); ok {
		all = w.conditions(where, &n.Conds)
	}
	if all && !w.joined {
		n.Limit = plainLimit(sel)
		n.Count = onlyCounts(sel)
	}
	return n
}

// onlyCounts reports whether a SELECT has only count(*) and constants.
func onlyCounts(sel map[string]any) bool {
	mods, _ := sel["modifiers"].([]any)
	if len(mods) > 0 || !onlyKeys(sel, "type", "modifiers", "select_list", "from_table", "aggregate_handling", "cte_map") || str(sel, "aggregate_handling") != "STANDARD_HANDLING" {
		return false
	}
	list, _ := sel["select_list"].([]any)
	for _, x := range list {
		e, _ := x.(map[string]any)
		if str(e, "class") == "CONSTANT" {
			continue
		}
		order, _ := e["order_bys"].(map[string]any)
		if str(e, "class") != "FUNCTION" || str(e, "function_name") != "count_star" || !onlyKeys(order, "type") ||
			!onlyKeys(e, "class", "type", "alias", "query_location", "function_name", "order_bys") {
			return false
		}
	}
	return len(list) > 0
}

// plainLimit is the maximum number of rows that a SELECT needs of its table, -1 if that is not obvious: with grouping, ORDER
// BY, DISTINCT, functions in its list and so on.
func plainLimit(sel map[string]any) int64 {
	if !onlyKeys(sel, "type", "modifiers", "select_list", "from_table", "where_clause", "aggregate_handling", "cte_map") || str(sel, "aggregate_handling") != "STANDARD_HANDLING" {
		return -1
	}
	list, _ := sel["select_list"].([]any)
	for _, x := range list {
		e, _ := x.(map[string]any)
		for str(e, "class") == "CAST" {
			e, _ = e["child"].(map[string]any)
		}
		switch str(e, "class") {
		case "COLUMN_REF", "CONSTANT":
		case "STAR":
			if !onlyKeys(e, "class", "type", "query_location", "relation_name", "exclude_list", "alias") {
				return -1
			}
		default:
			return -1
		}
	}
	mods, _ := sel["modifiers"].([]any)
	if len(mods) != 1 {
		return -1
	}
	m, _ := mods[0].(map[string]any)
	if str(m, "type") != "LIMIT_MODIFIER" || !onlyKeys(m, "type", "limit", "offset") {
		return -1
	}
	total := int64(0)
	for _, key := range [...]string{"limit", "offset"} {
		x, ok := m[key]
		if !ok {
			if key == "limit" {
				return -1
			}
			continue
		}
		e, _ := x.(map[string]any)
		c, ok := literal(e)
		n, err := strconv.ParseInt(c.Text, 10, 64)
		if !ok || c.Kind != narrow.Int || err != nil || n < 0 || n > 1<<40 {
			return -1
		}
		total += n
	}
	return total
}

// conditions adds the conditions of an expression that restrict the table, and reports whether they are equivalent to the
// expression.
func (w *narrower) conditions(n map[string]any, out *[]narrow.Condition) bool {
	kids := nodes(n["children"])
	typ := str(n, "type")
	switch typ {
	case "CONJUNCTION_AND":
		all := true
		for _, k := range kids {
			all = w.conditions(k, out) && all
		}
		return all
	case "CONJUNCTION_OR": // x = 1 OR x = 2
		c := narrow.Condition{Op: "in"}
		for _, k := range kids {
			var one []narrow.Condition
			if !w.conditions(k, &one) || len(one) != 1 || one[0].Op != "=" && one[0].Op != "in" || c.Column != "" && one[0].Column != c.Column {
				return false
			}
			c.Column, c.Values = one[0].Column, append(c.Values, one[0].Values...)
		}
		return w.add(out, c)
	case "COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO":
		left, _ := n["left"].(map[string]any)
		right, _ := n["right"].(map[string]any)
		op := map[string]string{"COMPARE_EQUAL": "=", "COMPARE_NOTEQUAL": "<>", "COMPARE_LESSTHAN": "<", "COMPARE_LESSTHANOREQUALTO": "<=",
			"COMPARE_GREATERTHAN": ">", "COMPARE_GREATERTHANOREQUALTO": ">="}[typ]
		if str(left, "class") != "COLUMN_REF" {
			left, right = right, left
			op = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
		}
		return w.compare(out, op, left, right)
	case "COMPARE_BETWEEN":
		in, _ := n["input"].(map[string]any)
		low, _ := n["lower"].(map[string]any)
		high, _ := n["upper"].(map[string]any)
		first := w.compare(out, ">=", in, low)
		return w.compare(out, "<=", in, high) && first
	case "COMPARE_IN", "COMPARE_NOT_IN":
		if len(kids) < 2 {
			return false
		}
		return w.compare(out, map[string]string{"COMPARE_IN": "in", "COMPARE_NOT_IN": "not in"}[typ], kids[0], kids[1:]...)
	case "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL":
		if len(kids) != 1 || typ == "OPERATOR_IS_NULL" && w.joined { // a row without a match is NULL too
			return false
		}
		return w.compare(out, map[string]string{"OPERATOR_IS_NULL": "is null", "OPERATOR_IS_NOT_NULL": "is not null"}[typ], kids[0])
	case "COLUMN_REF": // WHERE flag
		return w.flag(out, n, "true")
	case "OPERATOR_NOT":
		return len(kids) == 1 && w.flag(out, kids[0], "false")
	case "FUNCTION":
		if str(n, "function_name") == "~~" && len(kids) == 2 {
			return w.compare(out, "like", kids[0], kids[1])
		}
	}
	return false
}

func nodes(v any) []map[string]any {
	list, _ := v.([]any)
	out := make([]map[string]any, len(list))
	for i, x := range list {
		out[i], _ = x.(map[string]any)
	}
	return out
}

func (w *narrower) add(out *[]narrow.Condition, c narrow.Condition) bool {
	*out = append(*out, c)
	return true
}

func (w *narrower) flag(out *[]narrow.Condition, col map[string]any, value string) bool {
	name, ok := w.column(col)
	return ok && w.add(out, narrow.Condition{Column: name, Op: "=", Values: []narrow.Constant{{Kind: narrow.Bool, Text: value}}})
}

func (w *narrower) compare(out *[]narrow.Condition, op string, col map[string]any, vals ...map[string]any) bool {
	name, ok := w.column(col)
	if !ok {
		return false
	}
	c := narrow.Condition{Column: name, Op: op}
	for _, v := range vals {
		x, ok := w.constant(v)
		if !ok {
			return false
		}
		c.Values = append(c.Values, x)
	}
	return w.add(out, c)
}

// column is the name of a column of the table. A column of an outer SELECT has another qualifier, or is not in the table.
func (w *narrower) column(n map[string]any) (string, bool) {
	parts, _ := n["column_names"].([]any)
	if str(n, "class") != "COLUMN_REF" || len(parts) == 0 || len(parts) == 1 && w.merged {
		return "", false
	}
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i], _ = p.(string)
	}
	quals, name := names[:len(names)-1], names[len(names)-1]
	if len(quals) > len(w.names) {
		return "", false
	}
	for i, q := range quals {
		if !strings.EqualFold(q, w.names[len(w.names)-len(quals)+i]) {
			return "", false
		}
	}
	return name, name != ""
}
