//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

var _ engine.Lineager = (*project)(nil)

// errNoLineage is the error for a statement that is not supported: the lineage of its columns is unknown, not guessed.
var errNoLineage = errors.New("the lineage of the statement's columns is unknown")

// Lineage follows the columns of a SELECT to the columns of the tables it names. It returns nil for a statement that it cannot
// follow from end to end.
func (p *project) Lineage(ctx context.Context, q engine.Query) ([]engine.ColumnOrigin, error) {
	q, err := asked(q)
	if err != nil {
		return nil, err
	}
	s, err := p.statement(ctx, q)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.untyped = true // the statement is only planned
	t, err := s.translateOld(ctx, q.SQL, q.Dialect, true)
	if err != nil {
		return nil, err
	}
	var tree struct {
		Statements []struct {
			Node map[string]any `json:"node"`
		} `json:"statements"`
	}
	err = s.c.query(ctx, `SELECT json_serialize_sql(?::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR`, []any{t.text},
		func(v []*string) error { return json.Unmarshal([]byte(*v[0]), &tree) })
	if err != nil || len(tree.Statements) != 1 {
		return nil, err
	}
	l := &lineage{ctx: ctx, s: s}
	cols, err := l.node(tree.Statements[0].Node, nil)
	if errors.Is(err, errNoLineage) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	texts := selectTexts(q.SQL)
	out := make([]engine.ColumnOrigin, len(cols))
	for i, c := range cols {
		out[i] = engine.ColumnOrigin{Expression: columnName(c.name), Reads: c.reads}
		if !c.star && c.items == len(texts) && c.item < len(texts) {
			out[i].Expression = texts[c.item]
		}
	}
	return out, nil
}

// lineColumn is a column of an item of FROM, and the columns it is computed from.
type lineColumn struct {
	name        string
	reads       []engine.ColumnRead
	item, items int  // index and number of entries of its select list
	star        bool // from a * there
}

// lineTable is an item of FROM with its name.
type lineTable struct {
	name string
	cols []lineColumn
}

// lineScope resolves the names of an expression.
type lineScope struct {
	up     *lineScope
	ctes   []lineTable
	tables []lineTable
	merged []lineColumn // the expansion of *, with columns of USING once
}

func (sc *lineScope) cte(name string) ([]lineColumn, bool) {
	for ; sc != nil; sc = sc.up {
		for _, t := range slices.Backward(sc.ctes) {
			if strings.EqualFold(t.name, name) {
				return t.cols, true
			}
		}
	}
	return nil, false
}

type lineage struct {
	ctx context.Context
	s   *statement
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func array(v any) []any {
	a, _ := v.([]any)
	return a
}

func texts(v any) []string {
	var out []string
	for _, x := range array(v) {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}

// node finds the columns of a query.
func (l *lineage) node(n map[string]any, up *lineScope) ([]lineColumn, error) {
	sc := &lineScope{up: up}
	for _, x := range array(object(n["cte_map"])["map"]) {
		entry := object(x)
		value := object(entry["value"])
		cols, err := l.node(object(object(value["query"])["node"]), sc)
		if err != nil {
			return nil, err
		}
		sc.ctes = append(sc.ctes, lineTable{str(entry, "key"), renamed(cols, texts(value["aliases"]))})
	}
	switch str(n, "type") {
	case "SELECT_NODE":
		return l.selectNode(n, sc)
	case "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE":
		return l.both(n, sc)
	}
	return nil, errNoLineage
}

// both joins the columns of the two sides of a set operation by position.
func (l *lineage) both(n map[string]any, sc *lineScope) ([]lineColumn, error) {
	left, err := l.node(object(n["left"]), sc)
	if err != nil {
		return nil, err
	}
	if name := str(n, "cte_name"); name != "" { // the recursive side reads the rows of the other side
		sc.ctes = append(sc.ctes, lineTable{name, renamed(left, texts(n["aliases"]))})
	}
	right, err := l.node(object(n["right"]), sc)
	if err != nil {
		return nil, err
	}
	if len(left) != len(right) {
		return nil, errNoLineage // BY NAME
	}
	for i := range left {
		left[i].reads = joined(left[i].reads, right[i].reads)
	}
	return left, nil
}

func (l *lineage) selectNode(n map[string]any, sc *lineScope) ([]lineColumn, error) {
	var err error
	if sc.merged, err = l.from(object(n["from_table"]), sc); err != nil {
		return nil, err
	}
	list := array(n["select_list"])
	var out []lineColumn
	for i, x := range list {
		e := object(x)
		cols := []lineColumn{{name: str(e, "alias")}}
		if str(e, "class") == "STAR" {
			if cols, err = sc.star(e); err != nil {
				return nil, err
			}
		} else if cols[0].reads, err = l.reads(e, sc); err != nil {
			return nil, err
		} else if names := texts(e["column_names"]); cols[0].name == "" && len(names) > 0 {
			cols[0].name = names[len(names)-1]
		}
		for _, c := range cols {
			c.item, c.items, c.star = i, len(list), str(e, "class") == "STAR"
			out = append(out, c)
		}
	}
	return out, nil
}

// star expands * or t.*.
func (sc *lineScope) star(e map[string]any) ([]lineColumn, error) {
	if len(object(e["replace_list"])) > 0 || len(array(e["replace_list"])) > 0 || e["columns"] != nil || e["expr"] != nil {
		return nil, errNoLineage
	}
	cols := sc.merged
	if name := str(e, "relation_name"); name != "" {
		i := slices.IndexFunc(sc.tables, func(t lineTable) bool { return strings.EqualFold(t.name, name) })
		if i < 0 {
			return nil, errNoLineage
		}
		cols = sc.tables[i].cols
	}
	without := texts(e["exclude_list"])
	return slices.DeleteFunc(slices.Clone(cols), func(c lineColumn) bool {
		return slices.ContainsFunc(without, func(w string) bool { return strings.EqualFold(w, c.name) })
	}), nil
}

// from adds the items of FROM to the scope and returns their columns in order.
func (l *lineage) from(n map[string]any, sc *lineScope) ([]lineColumn, error) {
	var cols []lineColumn
	name := str(n, "alias")
	switch str(n, "type") {
	case "", "EMPTY":
		return nil, nil
	case "BASE_TABLE":
		if name == "" {
			name = str(n, "table_name")
		}
		var err error
		if cols, err = l.table(n, sc); err != nil {
			return nil, err
		}
	case "SUBQUERY":
		var err error
		if cols, err = l.node(object(object(n["subquery"])["node"]), sc); err != nil {
			return nil, err
		}
	case "EXPRESSION_LIST":
		rows := array(n["values"])
		if len(rows) == 0 {
			return nil, errNoLineage
		}
		cols = make([]lineColumn, len(array(rows[0])))
	case "TABLE_FUNCTION":
		f := object(n["function"])
		reads, err := l.reads(f["children"], sc)
		if err != nil {
			return nil, err
		}
		names := texts(n["column_name_alias"])
		if len(names) != 1 {
			return nil, errNoLineage
		}
		cols = []lineColumn{{reads: reads}}
	case "JOIN":
		return l.join(n, sc)
	default:
		return nil, errNoLineage
	}
	cols = renamed(cols, texts(n["column_name_alias"]))
	sc.tables = append(sc.tables, lineTable{name, cols})
	return cols, nil
}

func (l *lineage) join(n map[string]any, sc *lineScope) ([]lineColumn, error) {
	if str(n, "ref_type") == "NATURAL" {
		return nil, errNoLineage
	}
	left, err := l.from(object(n["left"]), sc)
	if err != nil {
		return nil, err
	}
	right, err := l.from(object(n["right"]), sc)
	if err != nil {
		return nil, err
	}
	if t := str(n, "join_type"); t == "SEMI" || t == "ANTI" {
		return left, nil
	}
	out := slices.Clone(left)
	using := texts(n["using_columns"])
	for _, c := range right {
		if slices.ContainsFunc(using, func(u string) bool { return strings.EqualFold(u, c.name) }) {
			if i := slices.IndexFunc(out, func(o lineColumn) bool { return strings.EqualFold(o.name, c.name) }); i >= 0 {
				out[i].reads = joined(out[i].reads, c.reads)
			}
			continue
		}
		out = append(out, c)
	}
	return out, nil
}

// table lists the columns of a table, each of which reads itself.
func (l *lineage) table(n map[string]any, sc *lineScope) ([]lineColumn, error) {
	t := engine.TableName{Catalog: str(n, "catalog_name"), Schema: str(n, "schema_name"), Table: str(n, "table_name")}
	if t.Catalog == "" && t.Schema == "" {
		if cols, ok := sc.cte(t.Table); ok {
			return slices.Clone(cols), nil
		}
	}
	if t.Catalog == "" {
		return nil, errNoLineage
	}
	var out []lineColumn
	err := l.s.c.query(l.ctx, `SELECT name FROM pragma_table_info(?)`, []any{t.Quoted()}, func(v []*string) error {
		out = append(out, lineColumn{name: *v[0], reads: []engine.ColumnRead{{Table: l.s.written(fold(t)), Column: columnName(*v[0])}}})
		return nil
	})
	return out, err
}

// reads collects the columns that an expression is computed from.
func (l *lineage) reads(v any, sc *lineScope) ([]engine.ColumnRead, error) {
	var out []engine.ColumnRead
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			r, err := l.reads(x, sc)
			if err != nil {
				return nil, err
			}
			out = joined(out, r)
		}
	case map[string]any:
		switch str(v, "class") {
		case "COLUMN_REF":
			return sc.column(texts(v["column_names"])), nil
		case "STAR": // count(*)
			return nil, nil
		case "SUBQUERY":
			cols, err := l.node(object(object(v["subquery"])["node"]), sc)
			if err != nil {
				return nil, err
			}
			for _, c := range cols {
				out = joined(out, c.reads)
			}
			r, err := l.reads(v["child"], sc)
			return joined(out, r), err
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			r, err := l.reads(v[k], sc)
			if err != nil {
				return nil, err
			}
			out = joined(out, r)
		}
	}
	return out, nil
}

// column resolves a dotted name: a column, a column of a table, or a field of either. Anything else, such as the
// parameter of a lambda, reads nothing.
func (sc *lineScope) column(names []string) []engine.ColumnRead {
	for ; sc != nil; sc = sc.up {
		for _, t := range sc.tables {
			for k := range min(len(names), 3) { // the table's name may follow its catalog and schema
				if k+1 < len(names) && strings.EqualFold(t.name, names[k]) {
					if c, ok := lineNamed(t.cols, names[k+1]); ok {
						return c.reads
					}
				}
			}
		}
		if len(names) > 0 {
			if c, ok := lineNamed(sc.merged, names[0]); ok {
				return c.reads
			}
			for _, t := range sc.tables {
				if c, ok := lineNamed(t.cols, names[0]); ok {
					return c.reads
				}
			}
		}
	}
	return nil
}

func lineNamed(cols []lineColumn, name string) (lineColumn, bool) {
	i := slices.IndexFunc(cols, func(c lineColumn) bool { return strings.EqualFold(c.name, name) })
	if i < 0 {
		return lineColumn{}, false
	}
	return cols[i], true
}

func renamed(cols []lineColumn, names []string) []lineColumn {
	out := slices.Clone(cols)
	for i := range min(len(out), len(names)) {
		out[i].name = names[i]
	}
	return out
}

// joined is the union in order of first appearance.
func joined(a, b []engine.ColumnRead) []engine.ColumnRead {
	out := slices.Clone(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
