package transpile

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// values writes VALUES. Where that is not a query it becomes a union.
func (t *transpiler) values(v *trinosql.Values) {
	columns := t.columns
	t.columns = nil
	row := func(r trinosql.Expr) []trinosql.Expr {
		if r, ok := r.(*trinosql.Row); ok {
			return r.Items
		}
		return []trinosql.Expr{r}
	}
	if t.to == PostgreSQL {
		if len(columns) > 0 {
			t.put("SELECT * FROM (")
		}
		t.put("VALUES ")
		t.w.Join(", ", len(v.Rows), func(i int) {
			t.put("(")
			for j, x := range row(v.Rows[i]) {
				if j > 0 {
					t.put(", ")
				}
				t.cell(x, v, j)
			}
			t.put(")")
		})
		if len(columns) > 0 {
			quoted := make([]string, len(columns))
			for i, c := range columns {
				quoted[i] = t.quoted(c, false)
			}
			t.put(") AS ", t.quoted("list", false), "(", strings.Join(quoted, ", "), ")")
		}
		return
	}
	t.w.Join(" UNION ALL ", len(v.Rows), func(i int) {
		t.put("SELECT ")
		for j, x := range row(v.Rows[i]) {
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
	})
}

// cell writes a value of VALUES with the type of its column: other dialects take it from the first row, or from
// strings.
func (t *transpiler) cell(x trinosql.Expr, v *trinosql.Values, j int) {
	fields := t.a.Bodies[v].Fields
	if j >= len(fields) {
		t.put(x)
		return
	}
	to := fields[j].Type
	if k := to.Kind; k == types.Unknown || t.to == MySQL && (k == types.Boolean || k == types.Integer ||
		k == types.Bigint || k == types.Varchar) && t.a.Types[x].Kind != types.Unknown {
		t.put(x)
		return
	}
	t.castTo("CAST", x, x, to)
}

// only rejects the forms that Trino has and no other dialect.
func (t *transpiler) only(n trinosql.Node) {
	switch n := n.(type) {
	case *trinosql.Query:
		if n.Routines != nil {
			t.refuse(n.Routines[0], "WITH FUNCTION")
		}
	case *trinosql.SetOp:
		if n.Corresponding {
			t.refuse(n, "CORRESPONDING")
		}
	case *trinosql.MatchRecognize:
		t.refuse(n, "MATCH_RECOGNIZE")
	case *trinosql.JSONTable:
		t.refuse(n, "JSON_TABLE")
	case *trinosql.TableFunc:
		t.refuse(n, "a table function")
	case *trinosql.Func:
		if n.Measure || n.Over != nil && n.Over.Frame != nil && n.Over.Frame.Patterns != nil {
			t.refuse(n, "row pattern recognition in a window")
		}
	case *trinosql.Select:
		if n.GroupBy != nil {
			for _, e := range n.GroupBy.Elements {
				if e.Kind == "AUTO" {
					t.refuse(e, "GROUP BY AUTO")
				}
			}
		}
		for _, w := range n.Windows {
			if w.Window.Frame != nil && w.Window.Frame.Patterns != nil {
				t.refuse(w, "row pattern recognition in a window")
			}
		}
	}
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
		t.put("(", r.Query, ")")
		if t.to != BigQuery && !t.aliased[r] {
			t.put(" AS ", t.quoted(fmt.Sprintf("part%d", t.next()), false))
		}
		return true
	case *trinosql.Aliased:
		return t.alias(r)
	case *trinosql.Unnest:
		if t.to == MySQL || t.to == BigQuery {
			t.refuse(r, "UNNEST")
		}
		for _, x := range r.Exprs {
			if k := t.typeOf(x); k.Kind != types.Array || k.Args[0].Kind == types.Row || k.Args[0].Kind == types.Array {
				t.refuse(r, "UNNEST of %s", k)
			}
		}
	case *trinosql.Lateral:
		if t.to == BigQuery {
			t.refuse(r, "LATERAL")
		}
		t.put("LATERAL (", r.Query, ")")
		if !t.lateral[r] {
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

// alias writes an aliased relation. Column aliases of a query are moved into its select list for a dialect that has no
// column aliases.
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
	t.put(r.Relation)
	t.columns = nil
	t.put(" AS ", t.quoted(r.Alias.Name, r.Alias.Quoted))
	if r.Columns != nil && !into {
		t.put("(", t.list(r.Columns), ")")
	}
	return true
}

// distinctNames rejects a subquery in FROM with duplicate column names, which MySQL rejects.
func (t *transpiler) distinctNames(at trinosql.Node, q *trinosql.Query) {
	if t.to != MySQL {
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

// tableName writes the qualified name of a table. A database of PostgreSQL or MySQL is one catalog.
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
