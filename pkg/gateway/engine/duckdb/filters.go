//go:build cgo

package duckdb

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// filtersOf finds conditions that a source may apply early: those joined by AND in the WHERE of a SELECT over that one table,
// each comparing a column with a constant. DuckDB applies them all again. A table named more than once gets none, as all its
// readings share one request.
func (tr *tree) filtersOf(ref tableRef) []engine.Filter {
	name := fullName(ref.parts)
	for _, other := range tr.tables {
		if other.pos != ref.pos && fullName(other.parts) == name {
			return nil
		}
	}
	sel := selectOver(tr.root, ref.node)
	if sel == nil {
		return nil
	}
	where, _ := sel["where_clause"].(map[string]any)
	return conditions(where, nil)
}

// selectOver finds the SELECT whose FROM is just the given table.
func selectOver(v any, table map[string]any) map[string]any {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if m := selectOver(x, table); m != nil {
				return m
			}
		}
	case map[string]any:
		if from, ok := v["from_table"].(map[string]any); ok && str(v, "type") == "SELECT_NODE" && sameNode(from, table) {
			return v
		}
		for _, x := range v {
			if m := selectOver(x, table); m != nil {
				return m
			}
		}
	}
	return nil
}

func sameNode(a, b map[string]any) bool {
	return str(a, "type") == "BASE_TABLE" && location(a) == location(b) && location(a) >= 0
}

func conditions(n map[string]any, out []engine.Filter) []engine.Filter {
	kids, _ := n["children"].([]any)
	switch str(n, "type") {
	case "CONJUNCTION_AND":
		for _, k := range kids {
			m, _ := k.(map[string]any)
			out = conditions(m, out)
		}
	case "COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO":
		left, _ := n["left"].(map[string]any)
		right, _ := n["right"].(map[string]any)
		op := map[string]string{"COMPARE_EQUAL": "=", "COMPARE_NOTEQUAL": "<>", "COMPARE_LESSTHAN": "<", "COMPARE_LESSTHANOREQUALTO": "<=",
			"COMPARE_GREATERTHAN": ">", "COMPARE_GREATERTHANOREQUALTO": ">="}[str(n, "type")]
		if str(left, "class") == "CONSTANT" {
			left, right = right, left
			op = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
		}
		if c, v, ok := columnAndValue(left, right); ok {
			out = append(out, engine.Filter{Column: c, Op: op, Values: []any{v}})
		}
	case "COMPARE_IN":
		var vals []any
		first, _ := kids[0].(map[string]any)
		name := ""
		for _, k := range kids[1:] {
			m, _ := k.(map[string]any)
			c, v, ok := columnAndValue(first, m)
			if !ok {
				return out
			}
			name = c
			vals = append(vals, v)
		}
		if name != "" {
			out = append(out, engine.Filter{Column: name, Op: "in", Values: vals})
		}
	}
	return out
}

// columnAndValue takes a reference to a column and a constant apart: a text, an integer or a boolean.
func columnAndValue(col, val map[string]any) (string, any, bool) {
	names, _ := col["column_names"].([]any)
	if str(col, "class") != "COLUMN_REF" || len(names) == 0 || str(val, "class") != "CONSTANT" {
		return "", nil, false
	}
	name, _ := names[len(names)-1].(string)
	v, _ := val["value"].(map[string]any)
	typ, _ := v["type"].(map[string]any)
	switch x := v["value"].(type) {
	case string:
		return name, x, str(typ, "id") == "VARCHAR"
	case bool:
		return name, x, str(typ, "id") == "BOOLEAN"
	case float64:
		if id := str(typ, "id"); id == "INTEGER" || id == "BIGINT" && x > -1<<53 && x < 1<<53 {
			return name, int64(x), true
		}
	}
	return "", nil, false
}

// fit keeps the filters whose values have the type of their column, and spells the columns as the source does.
func (t *scanTable) fit(filters []engine.Filter) []engine.Filter {
	var out []engine.Filter
	for _, f := range filters {
		for i, c := range t.cols {
			if !strings.EqualFold(c.Name, f.Column) {
				continue
			}
			ok := true
			for _, v := range f.Values {
				switch v.(type) {
				case string:
					ok = ok && t.types[i] == "VARCHAR" && strings.HasPrefix(strings.ToLower(c.Type), "varchar")
				case int64:
					ok = ok && strings.HasSuffix(t.types[i], "INT") || t.types[i] == "INTEGER"
				case bool:
					ok = ok && t.types[i] == "BOOLEAN"
				}
			}
			if ok {
				f.Column = c.Name
				out = append(out, f)
			}
		}
	}
	return out
}
