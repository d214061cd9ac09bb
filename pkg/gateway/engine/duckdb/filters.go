//go:build cgo

package duckdb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// filtersOf finds conditions that a source may apply early: those joined by AND in the WHERE of the SELECT whose FROM holds the
// table, each comparing one of its columns with a constant or a bound value. DuckDB applies them all again. They are safe below
// outer joins too, because none of them passes NULL.
func (tr *tree) filtersOf(ref tableRef, bindings []string) []engine.Filter {
	sel, alone := selectOver(tr.root, ref.node)
	if sel == nil {
		return nil
	}
	where, _ := sel["where_clause"].(map[string]any)
	return pushing{ref.node, alone, bindings}.conditions(where, nil)
}

// filtersOnce is filtersOf for a table whose rows are gathered before the statement runs: one that is named more than once gets
// no filters.
func (tr *tree) filtersOnce(ref tableRef) []engine.Filter {
	name := fullName(ref.parts)
	for _, other := range tr.tables {
		if other.pos != ref.pos && fullName(other.parts) == name {
			return nil
		}
	}
	return tr.filtersOf(ref, nil)
}

// selectOver finds the SELECT whose FROM holds the given table, alone or joined with others in a way that keeps its rows apart.
// alone says that a name without a qualifier can only be a column of that table, or of one that DuckDB would ask to qualify.
func selectOver(v any, table map[string]any) (sel map[string]any, alone bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if sel, alone = selectOver(x, table); sel != nil {
				return sel, alone
			}
		}
	case map[string]any:
		if from, ok := v["from_table"].(map[string]any); ok && str(v, "type") == "SELECT_NODE" {
			if found, alone := joined(from, table); found {
				return v, alone
			}
		}
		for _, x := range v {
			if sel, alone = selectOver(x, table); sel != nil {
				return sel, alone
			}
		}
	}
	return nil, false
}

// joined finds a table in a FROM.
func joined(from, table map[string]any) (found, alone bool) {
	if _, sampled := from["sample"].(map[string]any); sampled {
		return false, false
	}
	if str(from, "type") != "JOIN" {
		renamed, _ := from["column_name_alias"].([]any)
		return sameNode(from, table) && len(renamed) == 0, true
	}
	for _, side := range []string{"left", "right"} {
		m, _ := from[side].(map[string]any)
		if found, alone = joined(m, table); !found {
			continue
		}
		switch kind := str(from, "join_type"); str(from, "ref_type") {
		case "", "REGULAR", "CROSS":
			using, _ := from["using_columns"].([]any)
			return kind == "" || kind == "INNER" || kind == "LEFT" || kind == "RIGHT" || kind == "FULL" || kind == "OUTER", alone && len(using) == 0
		case "NATURAL":
			return kind == "" || kind == "INNER" || kind == "LEFT" || kind == "RIGHT" || kind == "FULL" || kind == "OUTER", false
		}
		return false, false // ASOF and POSITIONAL joins depend on all rows
	}
	return false, false
}

func sameNode(a, b map[string]any) bool {
	return str(a, "type") == "BASE_TABLE" && location(a) == location(b) && location(a) >= 0
}

// pushing collects the conditions on one table.
type pushing struct {
	table    map[string]any
	alone    bool
	bindings []string
}

// bound is the text of a bound value, whose type is that of the column it is compared with.
type bound string

func (p pushing) conditions(n map[string]any, out []engine.Filter) []engine.Filter {
	kids, _ := n["children"].([]any)
	switch str(n, "type") {
	case "CONJUNCTION_AND":
		for _, k := range kids {
			m, _ := k.(map[string]any)
			out = p.conditions(m, out)
		}
	case "COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO":
		left, _ := n["left"].(map[string]any)
		right, _ := n["right"].(map[string]any)
		op := map[string]string{"COMPARE_EQUAL": "=", "COMPARE_NOTEQUAL": "<>", "COMPARE_LESSTHAN": "<", "COMPARE_LESSTHANOREQUALTO": "<=",
			"COMPARE_GREATERTHAN": ">", "COMPARE_GREATERTHANOREQUALTO": ">="}[str(n, "type")]
		if c := str(left, "class"); c == "CONSTANT" || c == "PARAMETER" {
			left, right = right, left
			op = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
		}
		if c, v, ok := p.columnAndValue(left, right); ok {
			out = append(out, engine.Filter{Column: c, Op: op, Values: []any{v}})
		}
	case "COMPARE_IN":
		var vals []any
		first, _ := kids[0].(map[string]any)
		name := ""
		for _, k := range kids[1:] {
			m, _ := k.(map[string]any)
			c, v, ok := p.columnAndValue(first, m)
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

// owns tells whether a reference to a column is one to a column of the table.
func (p pushing) owns(names []any) bool {
	if len(names) < 2 {
		return len(names) == 1 && p.alone
	}
	own := str(p.table, "alias")
	if own == "" {
		own = str(p.table, "table_name")
	}
	qualifier, _ := names[len(names)-2].(string)
	return strings.EqualFold(qualifier, own)
}

// columnAndValue takes a reference to a column and a constant apart: a text, an integer, a boolean or a bound value.
func (p pushing) columnAndValue(col, val map[string]any) (string, any, bool) {
	names, _ := col["column_names"].([]any)
	if str(col, "class") != "COLUMN_REF" || !p.owns(names) {
		return "", nil, false
	}
	name, _ := names[len(names)-1].(string)
	if str(val, "class") == "PARAMETER" {
		i, err := strconv.Atoi(str(val, "identifier"))
		if err != nil || i < 1 || i > len(p.bindings) {
			return "", nil, false
		}
		return name, bound(p.bindings[i-1]), true
	}
	if str(val, "class") != "CONSTANT" {
		return "", nil, false
	}
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
			f.Values = slices.Clone(f.Values)
			for k, v := range f.Values {
				if b, isBound := v.(bound); isBound {
					v, ok = b.as(t.types[i])
					f.Values[k] = v
					if !ok {
						break
					}
				}
				switch v.(type) {
				case string:
					ok = ok && t.types[i] == "VARCHAR" && strings.HasPrefix(strings.ToLower(c.Type), "varchar")
				case int64:
					ok = ok && (strings.HasSuffix(t.types[i], "INT") || t.types[i] == "INTEGER")
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

// as gives a bound value the type of a column, where its text leaves no doubt.
func (b bound) as(typ string) (any, bool) {
	switch {
	case typ == "VARCHAR":
		return string(b), true
	case strings.HasSuffix(typ, "INT") || typ == "INTEGER":
		n, err := strconv.ParseInt(string(b), 10, 64)
		return n, err == nil
	case typ == "BOOLEAN" && (b == "true" || b == "false"):
		return b == "true", true
	}
	return nil, false
}

// widen joins the filters of two references to one table, which share a reading: what passes either set passes the result.
func widen(a, b []engine.Filter) []engine.Filter {
	var out []engine.Filter
	for _, f := range a {
		for _, g := range b {
			if f.Column != g.Column {
				continue
			}
			if f.Op == g.Op && slices.Equal(f.Values, g.Values) {
				out = append(out, f)
			} else if (f.Op == "=" || f.Op == "in") && (g.Op == "=" || g.Op == "in") {
				u := engine.Filter{Column: f.Column, Op: "in"}
				for _, v := range append(slices.Clone(f.Values), g.Values...) {
					if !slices.Contains(u.Values, v) {
						u.Values = append(u.Values, v)
					}
				}
				out = append(out, u)
			}
		}
	}
	return out
}
