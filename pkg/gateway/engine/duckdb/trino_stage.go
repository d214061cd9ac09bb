//go:build cgo

package duckdb

import "slices"

// askKey marks the waiting expressions that a round asks about.
const askKey = "\x00ask"

// stage marks the waiting expressions whose operands' types are settled as far as other expressions give them: what a SELECT reads
// comes before what it computes. It reports whether there are any.
func stage(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if stage(x) {
				return true
			}
		}
	case node:
		switch str(v, "type") {
		case "SELECT_NODE":
			if stage(v["cte_map"]) || stage(v["from_table"]) {
				return true
			}
			return rest(v, "cte_map", "from_table")
		case "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE":
			if stage(v["cte_map"]) {
				return true
			}
			if str(v, "type") == "RECURSIVE_CTE_NODE" && stage(v["left"]) { // the right side reads the left
				return true
			}
			left, right, all := stage(v["left"]), stage(v["right"]), false
			for _, x := range list(v, "children") {
				all = stage(x) || all
			}
			if left || right || all {
				return true
			}
			return rest(v, "cte_map", "left", "right", "children")
		case "JOIN":
			if stage(v["left"]) || stage(v["right"]) {
				return true
			}
			return rest(v, "left", "right")
		}
		if class(v) != "" {
			return subqueries(v) || mark(v)
		}
		for _, k := range sortedKeys(v) {
			if stage(v[k]) {
				return true
			}
		}
	}
	return false
}

// rest are the expressions of a node: those inside their subqueries first.
func rest(n node, but ...string) bool {
	found := false
	for _, k := range sortedKeys(n) {
		if !slices.Contains(but, k) && subqueries(n[k]) {
			return true
		}
	}
	for _, k := range sortedKeys(n) {
		if !slices.Contains(but, k) {
			found = mark(n[k]) || found
		}
	}
	return found
}

// subqueries looks into the subqueries of expressions.
func subqueries(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, subqueries)
	case node:
		if str(v, "type") == "SELECT_NODE" || str(v, "type") == "SET_OPERATION_NODE" {
			return stage(v)
		}
		for _, k := range sortedKeys(v) {
			if subqueries(v[k]) {
				return true
			}
		}
	}
	return false
}

// mark marks the waiting expressions that have an operand which does not wait itself. What a lambda is applied to comes before its body.
func mark(v any) (found bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			found = mark(x) || found
		}
	case node:
		var bodies []node
		if class(v) == "FUNCTION" {
			for _, a := range args(v) {
				if class(a) == "LAMBDA" {
					bodies = append(bodies, a)
				} else {
					found = mark(a) || found
				}
			}
		}
		for _, k := range sortedKeys(v) {
			if k != "children" || class(v) != "FUNCTION" {
				found = mark(v[k]) || found
			}
		}
		if !found {
			for _, b := range bodies {
				found = mark(b) || found
			}
		}
		if name, ok := v[waitKey].(string); ok && (!found || slices.ContainsFunc(typedRuleOf(name).operands(v), func(o node) bool { return !waits(o) })) {
			v[askKey] = true
			found = true
		}
	}
	return found
}
