//go:build cgo

package duckdb

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// In Trino the names that a select list gives stand for its columns in ORDER BY, and nowhere else. DuckDB knows them in WHERE, GROUP BY,
// HAVING and the select list too, and in ORDER BY only where a name stands alone.

// given are the names that a select list gives to something else than a column of that name, in lower case.
func given(sel node) map[string]node {
	out := map[string]node{}
	for _, x := range list(sel, "select_list") {
		n, _ := x.(node)
		alias := strings.ToLower(str(n, "alias"))
		if alias != "" && !(class(n) == "COLUMN_REF" && lastName(n) == alias) {
			out[alias] = n
		}
	}
	return out
}

func lastName(n node) string {
	names := list(n, "column_names")
	if len(names) == 0 {
		return ""
	}
	s, _ := names[len(names)-1].(string)
	return strings.ToLower(s)
}

// orders puts what a name of the select list stands for in its place in ORDER BY, where more than the name stands there, and refuses to
// order distinct rows by what they do not hold.
func (r *rewriter) orders(v any) error {
	switch v := v.(type) {
	case node:
		for _, k := range sortedKeys(v) {
			if err := r.orders(v[k]); err != nil {
				return err
			}
		}
		if err := r.tied(v); err != nil {
			return err
		}
		if str(v, "type") == "SELECT_NODE" {
			return r.order(v)
		}
	case []any:
		for _, x := range v {
			if err := r.orders(x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rewriter) order(sel node) error {
	distinct := slices.ContainsFunc(list(sel, "modifiers"), func(m any) bool { n, _ := m.(node); return str(n, "type") == "DISTINCT_MODIFIER" })
	names := given(sel)
	listed, _ := selectNames(sel)
	if err := doubledOrder(sel, columnsNamed(listed).doubled); err != nil {
		return err
	}
	for _, m := range list(sel, "modifiers") {
		mod, _ := m.(node)
		for _, o := range list(mod, "orders") {
			item, _ := o.(node)
			e := sub(item, "expression")
			if distinct && !selected(sel, e) {
				return errorAt(location(e), engine.KindValue, "For SELECT DISTINCT, ORDER BY expressions must appear in select list")
			}
			if len(names) == 0 || class(e) == "COLUMN_REF" || class(e) == "CONSTANT" {
				continue
			}
			item["expression"] = fillColumns(e, func(name string) node {
				n := names[name]
				if n == nil || volatile(n) {
					return nil
				}
				c := clone(n)
				delete(c, "alias")
				r.changed = true
				return c
			})
		}
	}
	return nil
}

// selected reports whether an expression of ORDER BY stands in the select list.
func selected(sel, e node) bool {
	if class(e) == "CONSTANT" {
		return true
	}
	want := signature(e)
	for _, x := range list(sel, "select_list") {
		n, _ := x.(node)
		if class(n) == "STAR" {
			return true
		}
		if class(e) == "COLUMN_REF" && (len(list(e, "column_names")) == 1 && strings.EqualFold(str(n, "alias"), lastName(e)) || class(n) == "COLUMN_REF" && lastName(n) == lastName(e)) {
			return true
		}
		c := clone(n)
		delete(c, "alias")
		if signature(c) == want {
			return true
		}
	}
	return false
}

// fillColumns replaces the references to single names outside of subqueries and lambdas.
func fillColumns(n node, with func(name string) node) node {
	switch class(n) {
	case "COLUMN_REF":
		if len(list(n, "column_names")) == 1 {
			if r := with(lastName(n)); r != nil {
				return r
			}
		}
		return n
	case "SUBQUERY", "LAMBDA":
		return n
	}
	for k, v := range n {
		switch v := v.(type) {
		case node:
			n[k] = fillColumns(v, with)
		case []any:
			for i, x := range v {
				if m, ok := x.(node); ok {
					v[i] = fillColumns(m, with)
				}
			}
		}
	}
	return n
}

// aliases refuses the names of a select list where Trino does not know them: a name that no table brings.
func (r *rewriter) aliases(v any, ctes ...any) error {
	switch v := v.(type) {
	case node:
		if own := list(sub(v, "cte_map"), "map"); len(own) > 0 {
			ctes = append(slices.Clip(ctes), own...)
		}
		if str(v, "type") == "SELECT_NODE" {
			if err := r.misplaced(v, ctes); err != nil {
				return err
			}
		}
		for _, k := range sortedKeys(v) {
			if err := r.aliases(v[k], ctes...); err != nil {
				return err
			}
		}
	case []any:
		for _, x := range v {
			if err := r.aliases(x, ctes...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rewriter) misplaced(sel node, ctes []any) error {
	names := given(sel)
	if len(names) == 0 {
		return nil
	}
	var suspects []node
	look := func(v any) {
		containsNode(v, func(n node) bool {
			if class(n) == "COLUMN_REF" && len(list(n, "column_names")) == 1 && names[lastName(n)] != nil {
				suspects = append(suspects, n)
			}
			return false
		})
	}
	for _, x := range list(sel, "select_list") {
		look(x)
	}
	for _, k := range []string{"where_clause", "group_expressions", "having"} {
		look(sel[k])
	}
	if len(suspects) == 0 {
		return nil
	}
	columns, ok, err := r.columnsIn(sel, ctes)
	if err != nil || !ok {
		return err
	}
	for _, n := range suspects {
		if !columns[lastName(n)] && location(n) >= 0 {
			written, _ := list(n, "column_names")[0].(string)
			return errorAt(location(n), engine.KindUnknownColumn, "Column '%s' cannot be resolved", written)
		}
	}
	return nil
}

// columnsIn are the columns that the tables of a SELECT bring; not ok when they cannot be told apart from the rest of the statement.
func (r *rewriter) columnsIn(sel node, ctes []any) (columns map[string]bool, ok bool, err error) {
	from := sub(sel, "from_table")
	if from == nil || str(from, "type") == "EMPTY" {
		return map[string]bool{}, true, nil
	}
	q := node{"type": "SELECT_NODE", "select_list": []any{node{"class": "STAR", "type": "STAR", "exclude_list": []any{}}}, "from_table": clone(from),
		"aggregate_handling": "STANDARD_HANDLING", "cte_map": node{"map": clone(ctes)}}
	text, err := r.s.deserialize(r.ctx, bare(r.wanted(q, nil, false)).(node))
	if err != nil {
		return nil, false, err
	}
	stop := r.s.c.watch(r.ctx)
	defer stop()
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if bindings.Prepare(r.s.c.c, text, &ps) == bindings.StateError {
		return nil, false, ctxError(r.ctx, nil)
	}
	columns = map[string]bool{}
	for i := range bindings.PreparedStatementColumnCount(ps) {
		columns[strings.ToLower(columnName(bindings.PreparedStatementColumnName(ps, i)))] = true
	}
	return columns, true, nil
}
