//go:build cgo

package duckdb

import (
	"strconv"
	"strings"
)

// relation rewrites a node that is no expression: a SELECT, what stands in FROM, a modifier.
func (r *rewriter) relation(n node) error {
	switch typ := str(n, "type"); typ {
	case "SELECT_NODE":
		if n["qualify"] != nil {
			return unsupported(sub(n, "qualify"), "QUALIFY is not supported in Trino's dialect")
		}
		if n["sample"] != nil {
			return unsupported(n, "USING SAMPLE is not supported in Trino's dialect")
		}
		return r.ordinality(n)
	case "SET_OPERATION_NODE":
		if t := str(n, "setop_type"); strings.Contains(t, "BY_NAME") {
			return unsupported(n, "UNION BY NAME is not supported in Trino's dialect")
		}
	case "LIMIT_PERCENT_MODIFIER":
		return unsupported(n, "LIMIT takes no percentage in Trino's dialect")
	case "DISTINCT_MODIFIER":
		if len(list(n, "distinct_on_targets")) > 0 {
			return unsupported(n, "DISTINCT ON is not supported in Trino's dialect")
		}
	case "JOIN":
		if t := str(n, "join_type"); t == "SEMI" || t == "ANTI" || str(n, "ref_type") == "ASOF" || str(n, "ref_type") == "POSITIONAL" {
			return unsupported(n, "%s JOIN is not supported in Trino's dialect", strings.ToUpper(t))
		}
	case "PIVOT":
		return unsupported(n, "PIVOT is not supported in Trino's dialect")
	}
	return nil
}

// ordinality gives the column that counts the rows of UNNEST its value: the longest of the arrays beside it counts.
func (r *rewriter) ordinality(sel node) error {
	items := list(sel, "select_list")
	for i, x := range items {
		n, _ := x.(node)
		if str(n, "function_name") != "~ordinality" {
			continue
		}
		var lens []string
		var arrays []node
		for _, y := range items {
			if u, _ := y.(node); str(u, "function_name") == "unnest" {
				lens = append(lens, "len($"+string(rune('a'+len(arrays)))+")")
				arrays = append(arrays, args(u)[0])
			} else if w, ok := u[waitKey].(string); ok && w == "unnest_rows" {
				return unsupported(n, "UNNEST of maps or rows WITH ORDINALITY is not supported on zone local")
			}
		}
		count, err := r.template("unnest(range(1, CAST(greatest("+strings.Join(lens, ", ")+") AS BIGINT) + 1))", arrays...)
		if err != nil {
			return err
		}
		items[i] = r.instead(count, n)
	}
	return nil
}

// columnNames gives unnamed columns the names of Trino: in derived tables and CTEs, and with alias in the outermost SELECT too.
func (r *rewriter) columnNames(root node, alias bool) {
	var walk func(v any, name bool)
	walk = func(v any, name bool) {
		switch v := v.(type) {
		case node:
			switch {
			case str(v, "type") == "SELECT_NODE":
				if name {
					r.nameColumns(v)
				}
				name = false
			case str(v, "type") == "SET_OPERATION_NODE" || str(v, "type") == "RECURSIVE_CTE_NODE":
			case class(v) != "":
				name = false
			}
			aliased := len(list(v, "column_name_alias")) > 0 // t(a, b)
			for k, x := range v {
				walk(x, !aliased && (name || k == "from_table" || k == "cte_map"))
			}
		case []any:
			for _, x := range v {
				walk(x, name)
			}
		}
	}
	walk(root, alias)
}

func (r *rewriter) nameColumns(sel node) {
	if n := valuesWidth(sel); n > 0 {
		items := make([]any, n)
		for i := range items {
			c := columnNode("col" + strconv.Itoa(i))
			c["alias"] = "_col" + strconv.Itoa(i)
			items[i] = c
		}
		sel["select_list"] = items
		r.changed = true
		return
	}
	for i, x := range list(sel, "select_list") {
		n, _ := x.(node)
		if class(n) == "STAR" {
			return // the place of what follows is not known
		}
		if str(n, "alias") == "" && class(n) != "COLUMN_REF" {
			n["alias"] = "_col" + strconv.Itoa(i)
			r.changed = true
		}
	}
}

// valuesWidth is the number of columns of a SELECT that DuckDB's parser made of VALUES, or 0.
func valuesWidth(sel node) int {
	from := sub(sel, "from_table")
	rows, items := list(from, "values"), list(sel, "select_list")
	if str(from, "type") != "EXPRESSION_LIST" || len(rows) == 0 || len(items) != 1 || class(firstNode(items)) != "STAR" {
		return 0
	}
	first, _ := rows[0].([]any)
	return len(first)
}

// outputTypes are the types of columns that DuckDB's own types do not tell, by their places.
func outputTypes(root node) map[int]string {
	alone := true
	for str(root, "type") == "SET_OPERATION_NODE" {
		root, alone = sub(root, "left"), false
	}
	out := map[int]string{}
	for i, x := range list(root, "select_list") {
		n, _ := x.(node)
		if class(n) == "STAR" {
			break
		}
		if t, ok := n[typeKey].(*vtype); ok && t.isInterval() {
			out[i] = t.name
		} else if isNull(n) && alone {
			out[i] = "unknown"
		}
	}
	return out
}

func firstNode(l []any) node {
	n, _ := l[0].(node)
	return n
}

// outputNames are the names that Trino gives the columns of a statement, n of them; "" leaves DuckDB's.
func outputNames(root node, n int) []string {
	out := make([]string, n)
	for str(root, "type") == "SET_OPERATION_NODE" {
		root = sub(root, "left")
	}
	if valuesWidth(root) == n {
		for i := range out {
			out[i] = "_col" + strconv.Itoa(i)
		}
		return out
	}
	items := list(root, "select_list")
	stars := 0
	for _, x := range items {
		if e, _ := x.(node); class(e) == "STAR" {
			stars++
		}
	}
	at := 0
	for _, x := range items {
		e, _ := x.(node)
		if class(e) == "STAR" {
			if stars > 1 {
				return out
			}
			at += n - len(items) + 1
			continue
		}
		if class(e) == "FUNCTION" && str(e, "function_name") == "struct_extract" || str(e, "type") == "STRUCT_EXTRACT" {
			if kids := args(e); at < n && len(kids) == 2 && str(e, "alias") == "" {
				out[at], _ = literalText(kids[1])
				at++
				continue
			}
		}
		if at < n && str(e, "alias") == "" {
			if names := list(e, "column_names"); class(e) == "COLUMN_REF" && len(names) > 0 && !isSession(e) {
				out[at], _ = names[len(names)-1].(string)
			} else {
				out[at] = "_col" + strconv.Itoa(at)
			}
		}
		at++
	}
	return out
}
