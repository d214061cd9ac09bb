//go:build cgo

package duckdb

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// In Trino a derived table may have two columns of one name: a star shows both under it, and naming it is refused. DuckDB calls the
// second a_1 and takes the name for the first. The columns of such a table are therefore given names that no statement can write, and
// what names them is refused here; columnName takes those names off the result.

// doubleMark stands between the name of a doubled column and its number.
const doubleMark = "\x01"

// columnName is the name of a column as the statement gave it.
func columnName(s string) string {
	name, _, _ := strings.Cut(s, doubleMark)
	return name
}

// outColumns are the columns of a query as far as they are known.
type outColumns struct {
	names   []string        // as written; nil when not known
	doubled map[string]bool // names that stand for more than one, in lower case
}

func columnsNamed(names []string) outColumns {
	c := outColumns{names: names}
	seen := map[string]bool{}
	for _, n := range names {
		if n = strings.ToLower(n); seen[n] {
			if c.doubled == nil {
				c.doubled = map[string]bool{}
			}
			c.doubled[n] = true
		}
		seen[n] = true
	}
	return c
}

// doubler looks for doubled names in one statement.
type doubler struct {
	r      *rewriter
	marked int
	found  map[string]bool // all doubled names of derived tables
}

// cteColumns are the columns of the CTEs in sight.
type cteColumns map[string]outColumns

func (c cteColumns) with(name string, cols outColumns) cteColumns {
	out := cteColumns{}
	maps.Copy(out, c)
	out[strings.ToLower(name)] = cols
	return out
}

// unique gives each doubled column a name of its own, as a list of column aliases.
func (d *doubler) unique(c outColumns) []any {
	out := make([]any, len(c.names))
	for i, n := range c.names {
		switch {
		case c.doubled[strings.ToLower(n)]:
			d.found[strings.ToLower(n)] = true
			d.marked++
			out[i] = n + doubleMark + strconv.Itoa(d.marked)
		default:
			out[i] = n
		}
	}
	return out
}

// aliased names the columns of a derived table in n[key] when some are doubled, and returns them.
func (d *doubler) aliased(n node, key string, inner outColumns) outColumns {
	given := list(n, key)
	if len(given) > 0 {
		names := make([]string, len(given))
		for i, x := range given {
			names[i], _ = x.(string)
			names[i] = columnName(names[i])
		}
		inner = columnsNamed(names)
	}
	if len(inner.doubled) > 0 {
		if n[key] = d.unique(inner); key == "column_name_alias" && str(n, "alias") == "" {
			n["alias"] = "q" + doubleMark + strconv.Itoa(d.marked) // a list of columns needs one
		}
		d.r.changed = true
	}
	return inner
}

// query looks through a query and returns its columns; without want those that only DuckDB could tell are left open.
func (d *doubler) query(n node, ctes []any, known cteColumns, up *fromScope, want bool) (outColumns, error) {
	for _, x := range list(sub(n, "cte_map"), "map") {
		entry, _ := x.(node)
		value, name := sub(entry, "value"), str(entry, "key")
		inner, err := d.query(sub(sub(value, "query"), "node"), ctes, known, up, len(list(value, "aliases")) == 0)
		if err != nil {
			return outColumns{}, err
		}
		known = known.with(name, d.aliased(value, "aliases", inner))
		ctes = append(slices.Clip(ctes), entry)
	}
	switch str(n, "type") {
	case "SELECT_NODE":
		return d.selectNode(n, ctes, known, up, want)
	case "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE":
		sides := list(n, "children")
		for _, k := range []string{"left", "right"} {
			if s := sub(n, k); s != nil {
				sides = append(slices.Clip(sides), s)
			}
		}
		var cols outColumns
		for i, x := range sides {
			side, _ := x.(node)
			c, err := d.query(side, ctes, known, up, want && i == 0)
			if err != nil {
				return c, err
			}
			if i > 0 {
				continue
			}
			cols = c
			if str(n, "type") == "RECURSIVE_CTE_NODE" {
				known = known.with(str(n, "cte_name"), cols)
			}
		}
		return cols, doubledOrder(n, cols.doubled)
	}
	return outColumns{}, nil
}

// selectNames are the names that a select list gives without its stars, and whether it has any.
func selectNames(sel node) (names []string, star bool) {
	for i, x := range list(sel, "select_list") {
		n, _ := x.(node)
		switch {
		case class(n) == "STAR":
			star = true
		case str(n, "alias") != "":
			names = append(names, str(n, "alias"))
		case class(n) == "COLUMN_REF" && !isSession(n):
			path := list(n, "column_names")
			name, _ := path[len(path)-1].(string)
			names = append(names, name)
		default:
			names = append(names, "_col"+strconv.Itoa(i))
		}
	}
	return names, star
}

func (d *doubler) selectNode(sel node, ctes []any, known cteColumns, up *fromScope, want bool) (outColumns, error) {
	sc := &fromScope{up: up, sel: sel, ctes: ctes}
	if err := d.from(sub(sel, "from_table"), sc, known); err != nil {
		return outColumns{}, err
	}
	names, star := selectNames(sel)
	once := map[string]bool{} // in ORDER BY these stand for the columns of the select list
	for _, n := range names {
		once[strings.ToLower(n)] = true
	}
	for _, k := range sortedKeys(sel) {
		var err error
		switch k {
		case "from_table", "cte_map":
		case "modifiers":
			err = d.refs(sel[k], sc, known, once)
		default:
			err = d.refs(sel[k], sc, known, nil)
		}
		if err != nil {
			return outColumns{}, err
		}
	}
	if valuesWidth(sel) > 0 {
		return outColumns{}, nil
	}
	if !star {
		return columnsNamed(names), nil
	}
	return d.starred(sel, sc, want), nil
}

// starred are the columns of a SELECT with a star. DuckDB is asked only where more than one table or the select list itself may bring a name.
func (d *doubler) starred(sel node, sc *fromScope, want bool) outColumns {
	items := list(sel, "select_list")
	if len(items) == 1 {
		of := strings.ToLower(str(firstNode(items), "relation_name"))
		for _, t := range sc.tables {
			if len(sc.tables) == 1 || of != "" && t.path[len(t.path)-1] == of {
				return t.cols
			}
		}
	}
	if len(sc.tables) == 1 && sc.tables[0].cols.names != nil {
		var all []string
		names, _ := selectNames(sel)
		for _, x := range items {
			if n, _ := x.(node); class(n) == "STAR" {
				all = append(all, sc.tables[0].cols.names...)
			} else {
				all, names = append(all, names[0]), names[1:]
			}
		}
		return columnsNamed(all)
	}
	if !want {
		return outColumns{}
	}
	return columnsNamed(d.r.outputOf(sel, sc.ctes))
}

// from gathers the tables of FROM.
func (d *doubler) from(n node, sc *fromScope, known cteColumns) error {
	var cols outColumns
	path := []string{strings.ToLower(str(n, "alias"))}
	switch str(n, "type") {
	case "", "EMPTY":
		return nil
	case "JOIN":
		return d.join(n, sc, known)
	case "BASE_TABLE":
		var parts []string
		for _, k := range [...]string{"catalog_name", "schema_name", "table_name"} {
			if s := strings.ToLower(str(n, k)); s != "" {
				parts = append(parts, s)
			}
		}
		if len(parts) == 1 {
			cols = known[parts[0]]
		} else if len(parts) == 3 {
			cols = d.r.s.doubled[fold(engine.TableName{Catalog: parts[0], Schema: parts[1], Table: parts[2]})]
		}
		if path[0] == "" {
			path = parts
		}
	case "SUBQUERY":
		var err error
		if cols, err = d.query(sub(sub(n, "subquery"), "node"), sc.ctes, known, sc, len(list(n, "column_name_alias")) == 0); err != nil {
			return err
		}
	default:
		if err := d.refs(without(n, "column_name_alias"), sc, known, nil); err != nil {
			return err
		}
	}
	if str(n, "type") != "BASE_TABLE" || len(list(n, "column_name_alias")) > 0 {
		cols = d.aliased(n, "column_name_alias", cols)
	}
	sc.tables = append(sc.tables, fromTable{path, cols})
	return nil
}

func without(n node, key string) node {
	c := make(node, len(n))
	for k, v := range n {
		if k != key {
			c[k] = v
		}
	}
	return c
}

func (d *doubler) join(n node, sc *fromScope, known cteColumns) error {
	first := len(sc.tables)
	for _, k := range []string{"left", "right"} {
		if err := d.from(sub(n, k), sc, known); err != nil {
			return err
		}
	}
	for _, t := range sc.tables[first:] {
		for _, u := range list(n, "using_columns") {
			if name, _ := u.(string); t.cols.doubled[strings.ToLower(name)] {
				return ambiguous(n, name)
			}
		}
		if str(n, "ref_type") == "NATURAL" && len(t.cols.doubled) > 0 {
			return errorAt(location(n), engine.KindUnsupported, "NATURAL JOIN of a table with two columns of one name is not supported")
		}
	}
	return d.refs(n["condition"], sc, known, nil)
}

// outputOf are the names of a query's columns as DuckDB tells them, or nil.
func (r *rewriter) outputOf(q node, ctes []any) []string {
	c := without(q, "cte_map")
	c["cte_map"] = node{"map": ctes} // they include the query's own
	text, err := r.s.deserialize(r.ctx, bare(r.wanted(c, nil, false)).(node))
	if err != nil {
		return nil
	}
	stop := r.s.c.watch(r.ctx)
	defer stop()
	var ps bindings.PreparedStatement
	defer bindings.DestroyPrepare(&ps)
	if bindings.Prepare(r.s.c.c, text, &ps) == bindings.StateError {
		return nil
	}
	names := []string{}
	for i := range bindings.PreparedStatementColumnCount(ps) {
		names = append(names, columnName(bindings.PreparedStatementColumnName(ps, i)))
	}
	return names
}

// doubles makes doubled names mean what they mean in Trino. Of a text that becomes a table or a view, the columns are returned too.
func (r *rewriter) doubles(t *translation, named bool) error {
	d := &doubler{r: r, found: t.doubled}
	cols, err := d.query(r.root, nil, nil, nil, named)
	if err != nil {
		return err
	}
	if named && len(cols.doubled) > 0 {
		t.columns = cols
		if len(r.s.chain) > 0 { // a saved query, which other statements read as a table
			inner := without(r.root, "")
			clear(r.root)
			for k, v := range (node{"type": "SELECT_NODE", "select_list": []any{node{"class": "STAR", "type": "STAR", "exclude_list": []any{}}},
				"from_table":         node{"type": "SUBQUERY", "alias": "q", "subquery": node{"node": inner}, "column_name_alias": d.unique(cols)},
				"aggregate_handling": "STANDARD_HANDLING", "cte_map": node{"map": []any{}}}) {
				r.root[k] = v
			}
			r.changed = true
		}
	}
	return nil
}
