package transpile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// query writes a query whose parts stand in another order, or that MySQL sorts only around.
func (t *transpiler) query(q *trinosql.Query) bool {
	if q.WithTies && t.to != PostgreSQL {
		t.refuse(q, "FETCH FIRST WITH TIES")
	}
	columns := t.columns
	t.columns = nil
	if q.With != nil {
		t.put("WITH ")
		if q.With.Recursive {
			t.put("RECURSIVE ")
		}
		for i, n := range q.With.Queries {
			if i > 0 {
				t.put(", ")
			}
			t.put(t.quoted(n.Name.Name, n.Name.Quoted))
			if n.Columns != nil && t.to == BigQuery {
				t.columns = identNames(n.Columns)
			} else if n.Columns != nil {
				t.put(" (", t.list(n.Columns), ")")
			} else {
				t.distinctNames(n, n.Query)
			}
			t.put(" AS (")
			t.w.Write(n.Query)
			t.columns = nil
			t.put(")")
		}
		t.put(" ")
	}
	_, plain := q.Body.(*trinosql.Select)
	around := !plain && len(q.OrderBy) > 0
	if q == t.root && columns == nil {
		columns = make([]string, len(t.a.Output))
		for i, c := range t.a.Output {
			columns[i] = c.Name
		}
		if !selectsExpressions(q.Body) {
			columns = nil
		}
	}
	t.columns = columns
	if around {
		t.put("SELECT * FROM (")
	}
	t.w.Write(q.Body)
	t.columns = nil
	if around {
		t.put(") AS ", t.quoted("sorted", false))
	}
	if len(q.OrderBy) > 0 {
		if sel, ok := q.Body.(*trinosql.Select); ok {
			outer := t.items
			t.items = t.a.Selects[sel].Items
			defer func() { t.items = outer }()
		}
		t.sorted(q)
	}
	limit := q.Limit
	switch {
	case q.WithTies:
		if q.Offset != nil {
			t.put(" OFFSET ")
			t.w.Write(q.Offset)
		}
		t.put(" FETCH FIRST ")
		if limit != nil {
			t.w.Write(limit)
		} else {
			t.put("1")
		}
		t.put(" ROWS WITH TIES")
		return true
	case q.Fetch && limit == nil:
		t.put(" LIMIT 1")
	case limit != nil:
		t.put(" LIMIT ")
		t.w.Write(limit)
	case q.Offset != nil && (t.to == MySQL || t.to == BigQuery):
		t.put(" LIMIT 9223372036854775807")
	}
	if q.Offset != nil {
		t.put(" OFFSET ")
		t.w.Write(q.Offset)
	}
	return true
}

// selectsExpressions reports whether the columns of a body get their names from its own select lists.
func selectsExpressions(b trinosql.QueryBody) bool {
	switch b := b.(type) {
	case *trinosql.Select:
		return !slices.ContainsFunc(b.Items, func(i trinosql.SelectItem) bool { _, star := i.(*trinosql.SelectStar); return star })
	case *trinosql.SetOp:
		return selectsExpressions(b.Left)
	case *trinosql.SubqueryBody:
		return selectsExpressions(b.Query.Body)
	case *trinosql.Values:
		return true
	}
	return false
}

func identNames(ids []*trinosql.Ident) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Name
	}
	return out
}

func (t *transpiler) list(ids []*trinosql.Ident) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = t.quoted(id.Name, id.Quoted)
	}
	return strings.Join(out, ", ")
}

// sorted writes ORDER BY of a query. Constants sort nothing, and some dialects refuse them. MySQL has no NULLS LAST: it sorts by whether
// there is a value first, for which an ordinal must be the expression.
func (t *transpiler) sorted(q *trinosql.Query) {
	n := 0
	for _, s := range q.OrderBy {
		switch s.Expr.(type) {
		case *trinosql.StringLit, *trinosql.NullLit, *trinosql.BoolLit, *trinosql.DecimalLit, *trinosql.DoubleLit, *trinosql.TypedLit:
			continue
		}
		if n++; n == 1 {
			t.put(" ORDER BY ")
		} else {
			t.put(", ")
		}
		if i, ok := s.Expr.(*trinosql.IntLit); ok && t.to == MySQL && t.items != nil {
			at, err := strconv.Atoi(i.Text)
			if err != nil || at < 1 || at > len(t.items) || t.items[at-1].Expr == nil {
				t.refuse(i, "ORDER BY of a column by its place")
			}
			if _, constant := t.items[at-1].Expr.(*trinosql.IntLit); constant {
				t.refuse(i, "ORDER BY of a constant")
			}
			t.sortKey(s, t.w.String(t.items[at-1].Expr))
			continue
		}
		t.w.Write(s)
	}
}

func (t *transpiler) sortItem(s *trinosql.SortItem) bool {
	t.alone = s.Expr
	text := t.w.String(s.Expr)
	t.alone = nil
	t.sortKey(s, text)
	return true
}

func (t *transpiler) sortKey(s *trinosql.SortItem, text string) {
	first := s.Nulls == "FIRST"
	if _, ordinal := s.Expr.(*trinosql.IntLit); t.to == PostgreSQL && t.isText(s.Expr) && !ordinal {
		if _, plain := t.a.Columns[s.Expr]; !plain || !t.a.Columns[s.Expr].OfOutput {
			text += ` COLLATE "C"`
		}
	}
	if t.to == MySQL {
		switch {
		case first && s.Desc:
			t.put(text, " IS NULL DESC, ")
		case !first && !s.Desc:
			t.put(text, " IS NULL, ")
		}
		t.put(text)
		if s.Desc {
			t.put(" DESC")
		}
		return
	}
	t.put(text)
	if s.Desc {
		t.put(" DESC")
	}
	if first {
		t.put(" NULLS FIRST")
	} else {
		t.put(" NULLS LAST")
	}
}

// item writes a column of a select list under the name that it needs.
func (t *transpiler) item(it *trinosql.SelectExpr) bool {
	if len(t.columns) == 0 {
		return false
	}
	name := t.columns[0]
	t.columns = t.columns[1:]
	rest := t.columns
	t.columns = nil
	t.w.Write(it.Expr)
	t.columns = rest
	if id, ok := it.Expr.(*trinosql.Ident); name != "" && !(ok && it.Alias == nil && strings.EqualFold(id.Name, name)) {
		t.put(" AS ", t.quoted(name, false))
	}
	return true
}

func (t *transpiler) body(b trinosql.QueryBody) bool {
	switch b := b.(type) {
	case *trinosql.Values:
		t.values(b)
		return true
	case *trinosql.TableBody:
		t.put("SELECT * FROM ")
		t.tableName(b, b.Name)
		return true
	case *trinosql.SetOp:
		columns := t.columns
		t.side(b.Left)
		t.put(" ", b.Op)
		if b.All {
			if b.Op != "UNION" && t.to != PostgreSQL && t.to != DuckDB {
				t.refuse(b, "%s ALL", b.Op)
			}
			t.put(" ALL")
		} else if t.to == BigQuery {
			t.put(" DISTINCT")
		}
		t.put(" ")
		t.columns = slices.Clone(columns)
		t.side(b.Right)
		t.columns = nil
		return true
	case *trinosql.Select:
		t.selectChecks(b)
	}
	return false
}

// side writes one side of a set operation. Nested ones stand in parentheses, since dialects differ in what binds first.
func (t *transpiler) side(b trinosql.QueryBody) {
	if _, set := b.(*trinosql.SetOp); !set {
		t.w.Write(b)
		return
	}
	if t.to == MySQL {
		t.put("SELECT * FROM (")
		t.w.Write(b)
		t.put(") AS ", t.quoted("side", false))
		return
	}
	t.put("(")
	t.w.Write(b)
	t.put(")")
}

func (t *transpiler) selectChecks(s *trinosql.Select) {
	if s.GroupBy == nil {
		if s.Having != nil && t.to == MySQL {
			t.refuse(s.Having, "HAVING without GROUP BY")
		}
		return
	}
	for _, e := range s.GroupBy.Elements {
		for _, set := range e.Sets {
			for _, x := range set.Exprs {
				switch x.(type) {
				case *trinosql.StringLit, *trinosql.NullLit, *trinosql.BoolLit, *trinosql.DecimalLit, *trinosql.DoubleLit, *trinosql.TypedLit:
					t.refuse(x, "GROUP BY of a constant")
				}
			}
		}
	}
	if s.GroupBy.All {
		t.refuse(s.GroupBy, "GROUP BY ALL")
	}
	if s.GroupBy.Distinct {
		t.refuse(s.GroupBy, "GROUP BY DISTINCT")
	}
	for _, e := range s.GroupBy.Elements {
		if t.to == MySQL && (e.Kind != "" || len(e.Sets) != 1 || !e.Sets[0].Bare && len(e.Sets[0].Exprs) != 1) {
			t.refuse(e, "GROUP BY %s", e.Kind)
		}
	}
}

// values writes rows of values. Where VALUES is not a query it becomes a union.
func (t *transpiler) values(v *trinosql.Values) {
	columns := t.columns
	t.columns = nil
	row := func(r trinosql.Expr) []trinosql.Expr {
		if r, ok := r.(*trinosql.Row); ok {
			return r.Items
		}
		return []trinosql.Expr{r}
	}
	if t.to == DuckDB || t.to == PostgreSQL {
		if len(columns) > 0 {
			t.put("SELECT * FROM (")
		}
		t.put("VALUES ")
		for i, r := range v.Rows {
			if i > 0 {
				t.put(", ")
			}
			t.put("(")
			for j, x := range row(r) {
				if j > 0 {
					t.put(", ")
				}
				t.cell(x, v, j)
			}
			t.put(")")
		}
		if len(columns) > 0 {
			quoted := make([]string, len(columns))
			for i, c := range columns {
				quoted[i] = t.quoted(c, false)
			}
			t.put(") AS ", t.quoted("list", false), "(", strings.Join(quoted, ", "), ")")
		}
		return
	}
	for i, r := range v.Rows {
		if i > 0 {
			t.put(" UNION ALL ")
		}
		t.put("SELECT ")
		for j, x := range row(r) {
			if j > 0 {
				t.put(", ")
			}
			t.cell(x, v, j)
			if i == 0 && j < len(columns) {
				t.put(" AS ", t.quoted(columns[j], false))
			} else if i == 0 {
				t.put(" AS ", t.quoted(fmt.Sprintf("_col%d", j), false))
			}
		}
	}
}

// cell writes a value of VALUES as the type of its column: other dialects take it from the first row, or from texts.
func (t *transpiler) cell(x trinosql.Expr, v *trinosql.Values, j int) {
	fields := t.a.Bodies[v].Fields
	if j >= len(fields) {
		t.w.Write(x)
		return
	}
	to := fields[j].Type
	if k := to.Kind; k == types.Unknown || t.to == MySQL && (k == types.Boolean || k == types.Integer || k == types.Bigint || k == types.Varchar) && t.a.Types[x].Kind != types.Unknown {
		t.w.Write(x)
		return
	}
	t.put("CAST(")
	t.w.Write(x)
	t.put(" AS ", t.typeName(x, to), ")")
}

func (t *transpiler) relation(r trinosql.Relation) bool {
	switch r := r.(type) {
	case *trinosql.TableRef:
		if r.PeriodKind != "" {
			t.refuse(r, "FOR %s", r.PeriodKind)
		}
		t.tableName(r, r.Name)
		return true
	case *trinosql.SubqueryRel:
		if !t.aliased[r] {
			t.distinctNames(r, r.Query)
		}
		t.put("(")
		t.w.Write(r.Query)
		t.put(")")
		if t.to != DuckDB && t.to != BigQuery && !t.aliased[r] {
			t.put(" AS ", t.quoted(fmt.Sprintf("part%d", t.next()), false))
		}
		return true
	case *trinosql.Aliased:
		return t.alias(r)
	case *trinosql.Unnest:
		if t.to == MySQL || t.to == BigQuery {
			t.refuse(r, "UNNEST")
		}
		if r.Ordinality && t.to == DuckDB {
			t.refuse(r, "WITH ORDINALITY")
		}
		for _, x := range r.Exprs {
			if k := t.typeOf(x); k.Kind != types.Array || k.Args[0].Kind == types.Row || k.Args[0].Kind == types.Array || len(r.Exprs) > 1 && t.to == DuckDB {
				t.refuse(r, "UNNEST of %s", k)
			}
		}
	case *trinosql.Lateral:
		if t.to == BigQuery {
			t.refuse(r, "LATERAL")
		}
		t.put("LATERAL (")
		t.w.Write(r.Query)
		t.put(")")
		if t.to != DuckDB && !t.lateral[r] {
			t.put(" AS ", t.quoted(fmt.Sprintf("part%d", t.next()), false))
		}
		return true
	case *trinosql.Sampled:
		t.refuse(r, "TABLESAMPLE")
	case *trinosql.Join:
		if r.Kind == "FULL" && t.to == MySQL {
			t.refuse(r, "FULL JOIN")
		}
		if r.Using != nil && t.starred && (t.to != PostgreSQL || t.targeted || r.Kind != "INNER") {
			t.refuse(r, "a star over JOIN USING")
		}
	}
	return false
}

// alias writes a relation with another name. Names for the columns of a query go into its select list where a dialect takes none behind it.
func (t *transpiler) alias(r *trinosql.Aliased) bool {
	if l, ok := r.Relation.(*trinosql.Lateral); ok {
		t.lateral[l] = true
	}
	sub, query := r.Relation.(*trinosql.SubqueryRel)
	if query {
		t.aliased[sub] = true
		if r.Columns == nil {
			t.distinctNames(r, sub.Query)
		}
	}
	into := r.Columns != nil && (t.to == MySQL || t.to == BigQuery)
	if into {
		if !query || !selectsExpressions(sub.Query.Body) {
			t.refuse(r, "names for the columns of a table")
		}
		t.columns = identNames(r.Columns)
	}
	t.w.Write(r.Relation)
	t.columns = nil
	t.put(" AS ", t.quoted(r.Alias.Name, r.Alias.Quoted))
	if r.Columns != nil && !into {
		t.put("(", t.list(r.Columns), ")")
	}
	return true
}

// distinctNames refuses a query of FROM with two columns of one name: MySQL takes none, and DuckDB gives one of them another name.
func (t *transpiler) distinctNames(at trinosql.Node, q *trinosql.Query) {
	if t.to != MySQL && t.to != DuckDB {
		return
	}
	seen := map[string]bool{}
	for _, f := range t.a.Queries[q].Fields {
		name := strings.ToLower(f.Name)
		if name != "" && seen[name] {
			t.refuse(at, "two columns of one name in a query of FROM")
		}
		seen[name] = true
	}
}

// tableName writes the full name of a table. A database of PostgreSQL or MySQL is one catalog.
func (t *transpiler) tableName(n trinosql.Node, parts []*trinosql.Ident) {
	use := t.a.Tables[n]
	if use == nil || use.Table == nil {
		t.put(t.quoted(parts[len(parts)-1].Name, parts[len(parts)-1].Quoted))
		return
	}
	name := use.Table.Name
	if t.to != PostgreSQL && t.to != MySQL {
		t.put(t.quoted(name.Catalog, false), ".")
	}
	t.put(t.quoted(name.Schema, false), ".", t.quoted(name.Table, false))
}

func (t *transpiler) next() int {
	t.made++
	return t.made
}
