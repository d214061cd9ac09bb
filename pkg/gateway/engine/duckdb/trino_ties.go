//go:build cgo

package duckdb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// FETCH FIRST n ROWS WITH TIES keeps the rows that are equal to the last of the n in what they are ordered by. DuckDB has no such clause.
// A row is among them when its rank is at most n, or n and the rows that OFFSET skips; those are skipped as ever. The clause reaches the
// tree as a call in the place of LIMIT.

const (
	tiesCall = "~ties"
	tiesKey  = "\x00ties" // of a LIMIT_MODIFIER: where the clause stands
)

// tied makes the call a mark of its modifier, and refuses what Trino does.
func (r *rewriter) tied(sel node) error {
	ordered := false
	for _, m := range list(sel, "modifiers") {
		mod, _ := m.(node)
		ordered = ordered || str(mod, "type") == "ORDER_MODIFIER"
		c := sub(mod, "limit")
		if str(c, "function_name") != tiesCall {
			continue
		}
		if !ordered {
			return errorAt(location(c), engine.KindValue, "FETCH FIRST WITH TIES clause requires ORDER BY")
		}
		n := args(c)[0]
		text := numText(sub(n, "value")["value"])
		if class(n) == "PARAMETER" {
			text = ""
			if i, err := strconv.Atoi(str(n, "identifier")); err == nil && i > 0 && i <= len(r.s.q.Bindings) {
				text = strings.TrimSpace(r.s.q.Bindings[i-1])
			}
		}
		if text == "0" {
			return errorAt(location(c), engine.KindValue, "FETCH FIRST row count must be positive (actual value: 0)")
		}
		mod["limit"], mod[tiesKey] = n, location(c)
		r.changed = true
	}
	return nil
}

// ties writes the condition for every marked modifier, from the inside out.
func (r *rewriter) ties(v any) error {
	switch v := v.(type) {
	case node:
		for _, k := range sortedKeys(v) {
			if err := r.ties(v[k]); err != nil {
				return err
			}
		}
		return r.tie(v)
	case []any:
		for _, x := range v {
			if err := r.ties(x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rewriter) tie(sel node) error {
	var order, limit node
	distinct := str(sel, "type") != "SELECT_NODE"
	for _, m := range list(sel, "modifiers") {
		switch mod, _ := m.(node); str(mod, "type") {
		case "ORDER_MODIFIER":
			order = mod
		case "DISTINCT_MODIFIER":
			distinct = true
		case "LIMIT_MODIFIER":
			limit = mod
		}
	}
	if limit[tiesKey] == nil {
		return nil
	}
	at, _ := limit[tiesKey].(int)
	delete(limit, tiesKey)
	most, err := r.template("CAST($a AS BIGINT)", limit["limit"].(node))
	if skip := sub(limit, "offset"); err == nil && skip != nil {
		most, err = r.template("CAST($a AS BIGINT) + CAST($b AS BIGINT)", limit["limit"].(node), skip)
	}
	if err != nil {
		return err
	}
	if distinct || hasStar(sel) {
		if err := r.around(sel, order, at); err != nil {
			return err
		}
	}
	window, err := r.template("rank() OVER (ORDER BY $a) <= $b", node{"class": "CONSTANT"}, most)
	if err != nil {
		return err
	}
	orders := clone(order)["orders"].([]any)
	for _, o := range orders {
		item, _ := o.(node)
		if item["expression"], err = rankedBy(sel, sub(item, "expression"), at); err != nil {
			return err
		}
	}
	sub(window, "left")["orders"] = orders
	sel["qualify"] = window
	mods := slices.DeleteFunc(list(sel, "modifiers"), func(m any) bool { return str(m.(node), "type") == "LIMIT_MODIFIER" })
	if skip := limit["offset"]; skip != nil {
		mods = append(mods, node{"type": "LIMIT_MODIFIER", "offset": skip})
	}
	sel["modifiers"] = mods
	return nil
}

func hasStar(sel node) bool {
	return slices.ContainsFunc(list(sel, "select_list"), func(x any) bool { n, _ := x.(node); return class(n) == "STAR" })
}

// rankedBy is what a window orders by where ORDER BY has an expression: the names and numbers of columns mean nothing there.
func rankedBy(sel, e node, at int) (node, error) {
	columns := list(sel, "select_list")
	out := e
	switch {
	case class(e) == "CONSTANT":
		i, err := strconv.Atoi(numText(sub(e, "value")["value"]))
		if err != nil || i < 1 || i > len(columns) {
			return e, nil // any other constant is the same for all rows; a number out of range is refused by ORDER BY
		}
		out, _ = columns[i-1].(node)
	case class(e) == "COLUMN_REF" && len(list(e, "column_names")) == 1:
		if n := given(sel)[lastName(e)]; n != nil {
			out = n
		}
	}
	if volatile(out) {
		return nil, errorAt(at, engine.KindUnsupported, "FETCH FIRST ... WITH TIES of rows that are ordered by random() or uuid() is not supported on zone local")
	}
	out = clone(out)
	delete(out, "alias")
	return out, nil
}

// around puts a SELECT around one whose rows are not what its tables give, or whose columns have no numbers before it is planned. It is
// ordered by columns of the one inside.
func (r *rewriter) around(sel, order node, at int) error {
	no := func() error {
		return errorAt(at, engine.KindUnsupported, "FETCH FIRST ... WITH TIES is not supported on zone local for rows that are DISTINCT, combined or of a * and ordered by more than a column of the result")
	}
	names, _ := selectNames(sel)
	if len(columnsNamed(names).doubled) > 0 {
		return no()
	}
	star := str(sel, "type") == "SELECT_NODE" && hasStar(sel)
	for _, o := range list(order, "orders") {
		item, _ := o.(node)
		e := sub(item, "expression")
		i := -1
		switch {
		case class(e) == "CONSTANT":
			i, _ = strconv.Atoi(numText(sub(e, "value")["value"])) // ORDER BY has refused what is no number of a column
		case str(sel, "type") == "SELECT_NODE" && !star:
			i = 1 + slices.IndexFunc(list(sel, "select_list"), func(x any) bool {
				n, _ := x.(node)
				c := clone(n)
				delete(c, "alias")
				return class(e) == "COLUMN_REF" && len(list(e, "column_names")) == 1 && strings.EqualFold(str(n, "alias"), lastName(e)) || signature(c) == signature(e)
			})
		case class(e) == "COLUMN_REF" && len(list(e, "column_names")) == 1:
			continue // by its name
		default:
			return no()
		}
		if i < 1 {
			return no()
		}
		item["expression"] = node{"class": "POSITIONAL_REFERENCE", "type": "POSITIONAL_REFERENCE", "index": i}
	}
	inner := node{}
	for k, v := range sel {
		inner[k] = v
		delete(sel, k)
	}
	var mods, outer []any
	for _, m := range list(inner, "modifiers") {
		if t := str(m.(node), "type"); t == "DISTINCT_MODIFIER" {
			mods = append(mods, m)
		} else {
			outer = append(outer, m)
		}
	}
	if delete(inner, "modifiers"); mods != nil {
		inner["modifiers"] = mods
	}
	sel["type"], sel["modifiers"], sel["cte_map"], sel["aggregate_handling"] = "SELECT_NODE", outer, node{}, "STANDARD_HANDLING"
	sel["select_list"] = []any{node{"class": "STAR", "type": "STAR", "exclude_list": []any{}}}
	sel["from_table"] = node{"type": "SUBQUERY", "subquery": node{"node": inner}}
	return nil
}
