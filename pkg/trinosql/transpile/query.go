package transpile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// query writes a query whose clauses are in another order, or that MySQL can only sort from an enclosing query.
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
			t.put(" AS (", n.Query)
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
	t.put(q.Body)
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
			t.put(" OFFSET ", q.Offset)
		}
		t.put(" FETCH FIRST ")
		if limit != nil {
			t.put(limit)
		} else {
			t.put("1")
		}
		t.put(" ROWS WITH TIES")
		return true
	case q.Fetch && limit == nil:
		t.put(" LIMIT 1")
	case limit != nil:
		t.put(" LIMIT ", limit)
	case q.Offset != nil && (t.to == MySQL || t.to == BigQuery):
		t.put(" LIMIT 9223372036854775807")
	}
	if q.Offset != nil {
		t.put(" OFFSET ", q.Offset)
	}
	return true
}

// selectsExpressions reports whether the column names of a body come from its own select lists.
func selectsExpressions(b trinosql.QueryBody) bool {
	switch b := b.(type) {
	case *trinosql.Select:
		return !slices.ContainsFunc(b.Items, func(i trinosql.SelectItem) bool {
			_, star := i.(*trinosql.SelectStar)
			return star
		})
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

// sorted writes the ORDER BY of a query. Constants do not sort, and some dialects reject them. MySQL has no NULLS LAST:
// it sorts by whether the value is NULL first, for which an ordinal is replaced by its expression.
func (t *transpiler) sorted(q *trinosql.Query) {
	n := 0
	for _, s := range q.OrderBy {
		switch s.Expr.(type) {
		case *trinosql.StringLit, *trinosql.NullLit, *trinosql.BoolLit, *trinosql.DecimalLit, *trinosql.DoubleLit,
			*trinosql.TypedLit:
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
				t.refuse(i, "ORDER BY with the position of a column")
			}
			if _, constant := t.items[at-1].Expr.(*trinosql.IntLit); constant {
				t.refuse(i, "ORDER BY of a constant")
			}
			t.sortKey(s, t.w.String(t.items[at-1].Expr))
			continue
		}
		t.put(s)
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

// item writes a column of a select list with the name that it needs.
func (t *transpiler) item(it *trinosql.SelectExpr) bool {
	if len(t.columns) == 0 {
		return false
	}
	name := t.columns[0]
	t.columns = t.columns[1:]
	rest := t.columns
	t.columns = nil
	t.put(it.Expr)
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
			if b.Op != "UNION" && t.to != PostgreSQL {
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

// side writes an operand of a set operation. Nested ones are parenthesized, since precedence differs between dialects.
func (t *transpiler) side(b trinosql.QueryBody) {
	if _, set := b.(*trinosql.SetOp); !set {
		t.put(b)
		return
	}
	if t.to == MySQL {
		t.put("SELECT * FROM (", b, ") AS ", t.quoted("side", false))
		return
	}
	t.put("(", b, ")")
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
				case *trinosql.StringLit, *trinosql.NullLit, *trinosql.BoolLit, *trinosql.DecimalLit,
					*trinosql.DoubleLit, *trinosql.TypedLit:
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
