//go:build cgo

package duckdb

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// fromTable is what stands in FROM under a name.
type fromTable struct {
	path []string // catalog, schema and table, or the alias
	cols outColumns
}

// fromScope is what the names of an expression may mean: the tables of its SELECT, and then those around it.
type fromScope struct {
	up     *fromScope
	sel    node
	ctes   []any
	tables []fromTable
	brings map[string]bool // the columns that the tables bring, once asked for
}

// doubledOrder refuses ORDER BY a name that the query gives to more than one column.
func doubledOrder(n node, doubled map[string]bool) error {
	if len(doubled) == 0 {
		return nil
	}
	var err error
	for _, m := range list(n, "modifiers") {
		mod, _ := m.(node)
		for _, o := range list(mod, "orders") {
			item, _ := o.(node)
			fillColumns(node{"x": sub(item, "expression")}, func(name string) node {
				if doubled[name] && err == nil {
					err = ambiguous(sub(item, "expression"), name)
				}
				return nil
			})
		}
	}
	return err
}

func ambiguous(n node, name string) error {
	return errorAt(location(n), engine.KindValue, "Column '%s' is ambiguous", name)
}

// refs holds the references to columns in an expression against the doubled names in sight; own are names that mean something else.
func (d *doubler) refs(v any, sc *fromScope, known cteColumns, own map[string]bool) error {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if err := d.refs(x, sc, known, own); err != nil {
				return err
			}
		}
	case node:
		switch class(v) {
		case "COLUMN_REF":
			return d.ref(v, sc, own)
		case "SUBQUERY":
			if _, err := d.query(sub(sub(v, "subquery"), "node"), sc.ctes, known, sc, false); err != nil {
				return err
			}
			return d.refs(v["child"], sc, known, own)
		case "LAMBDA":
			params, err := lambdaNames(v)
			if err != nil {
				return nil // no lambda of the user's
			}
			inner := map[string]bool{}
			for k := range own {
				inner[k] = true
			}
			for _, p := range params {
				inner[strings.ToLower(p)] = true
			}
			return d.refs(v["expr"], sc, known, inner)
		}
		for _, k := range sortedKeys(v) {
			if err := d.refs(v[k], sc, known, own); err != nil {
				return err
			}
		}
	}
	return nil
}

// ref refuses a reference to a doubled name.
func (d *doubler) ref(n node, sc *fromScope, own map[string]bool) error {
	var names, written []string
	for _, x := range list(n, "column_names") {
		s, _ := x.(string)
		names, written = append(names, strings.ToLower(s)), append(written, s)
	}
	if len(names) == 0 || len(names) == 1 && own[names[0]] {
		return nil
	}
	for ; sc != nil && sc.anyDoubled(); sc = sc.up {
		for _, t := range sc.tables {
			if k := t.prefix(names); k > 0 {
				if t.cols.doubled[names[k]] {
					return ambiguous(n, strings.Join(written[:k+1], "."))
				}
				return nil
			}
		}
		if own[names[0]] {
			return nil
		}
		for _, t := range sc.tables {
			if t.cols.doubled[names[0]] {
				return ambiguous(n, written[0])
			}
		}
		if sc.up == nil || !sc.up.anyDoubled() {
			return nil
		}
		if here, err := d.brings(sc, names[0]); here || err != nil {
			return err
		}
		own = nil
	}
	return nil
}

// prefix is how many of the names of a reference name the table, or 0.
func (t fromTable) prefix(names []string) int {
	for k := min(len(t.path), len(names)-1); k > 0; k-- {
		if slices.Equal(t.path[len(t.path)-k:], names[:k]) {
			return k
		}
	}
	return 0
}

// anyDoubled reports whether a table in sight has a doubled name.
func (sc *fromScope) anyDoubled() bool {
	for ; sc != nil; sc = sc.up {
		if slices.ContainsFunc(sc.tables, func(t fromTable) bool { return len(t.cols.doubled) > 0 }) {
			return true
		}
	}
	return false
}

// brings reports whether the tables of a SELECT bring a column, so that the name does not mean one outside; true when that cannot be told.
func (d *doubler) brings(sc *fromScope, name string) (bool, error) {
	if sc.brings == nil {
		columns, ok, err := d.r.columnsIn(sc.sel, sc.ctes)
		if err != nil || !ok {
			return true, err
		}
		sc.brings = columns
	}
	return sc.brings[name], nil
}
