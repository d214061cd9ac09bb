package transpile

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Dotted quotes reserved words that follow a dot, as in catalog.schema.table: the service accepts them in names [O].
func Dotted(sql string) string {
	var out strings.Builder
	done, dot := 0, false
	sqltext.Scan(sql, false, func(from, to int) {
		token := sql[from:to]
		if dot && trinosql.Reserved(token) {
			out.WriteString(sql[done:from] + sqltext.Quote(token))
			done = to
		}
		dot = token == "."
	})
	return out.String() + sql[done:]
}

// AsWritten writes a query whose tables need not exist. Names are kept with their catalogs, and quoted. What depends on
// the types of columns is a *trinosql.Unsupported. The collation of texts is left to the target.
func AsWritten(q *trinosql.Query, to Target) (string, error) {
	t := &written{transpiler{a: &analyze.Analysis{}, to: to, root: q}}
	w := &trinosql.Writer{Override: t.override, Quoted: t.quoted, Text: t.text}
	t.w = w
	return w.Print(func() { w.Write(q) })
}

type written struct{ transpiler }

func (t *written) quoted(name string, quoted bool) string {
	switch {
	case t.to == MySQL || t.to == BigQuery:
		return sqltext.Backtick(name)
	case t.to == PostgreSQL && !quoted:
		return sqltext.Quote(strings.ToLower(name))
	}
	return sqltext.Quote(name)
}

func (t *written) untyped(n trinosql.Node, what string) {
	t.refuse(n, "%s without the types of its columns", what)
}

func (t *written) override(_ *trinosql.Writer, n trinosql.Node) bool {
	t.only(n)
	switch n := n.(type) {
	case *trinosql.Query:
		return t.writtenQuery(n)
	case *trinosql.Values, *trinosql.Unnest, *trinosql.Lateral, *trinosql.Sampled:
		t.untyped(n, "this relation")
	case *trinosql.TableRef:
		if n.PeriodKind != "" {
			t.refuse(n, "FOR %s", n.PeriodKind)
		}
	case *trinosql.SelectStar:
		if n.Columns != nil {
			t.refuse(n, "names for the columns of a row")
		}
	case *trinosql.SetOp:
		if n.Op != "UNION" || !n.All && t.to == BigQuery {
			t.refuse(n, "%s of tables that are not known", n.Op)
		}
	case *trinosql.Join:
		if n.Natural || n.Kind == "FULL" && t.to == MySQL {
			t.refuse(n, "this join")
		}
	case *trinosql.Aliased:
		if n.Columns != nil && (t.to == MySQL || t.to == BigQuery) {
			t.refuse(n, "names for the columns of a table")
		}
	case *trinosql.Select:
		if n.GroupBy != nil {
			t.selectChecks(n)
		}
	case *trinosql.SortItem:
		if _, ordinal := n.Expr.(*trinosql.IntLit); ordinal && t.to == MySQL {
			t.refuse(n, "ORDER BY with the position of a column")
		}
		return t.sortItem(n)
	case trinosql.Expr:
		return t.writtenExpr(n)
	}
	return false
}

// writtenQuery writes the clauses of a query in the order of the other dialects.
func (t *written) writtenQuery(q *trinosql.Query) bool {
	if q.With != nil || q.WithTies || q.Fetch || q.Limit == nil && q.Offset != nil &&
		(t.to == MySQL || t.to == BigQuery) {
		t.refuse(q, "this query of tables that are not known")
	}
	t.put(q.Body)
	for i, s := range q.OrderBy {
		t.put([]string{" ORDER BY ", ", "}[min(i, 1)], s)
	}
	if q.Limit != nil {
		t.put(" LIMIT ", q.Limit)
	}
	if q.Offset != nil {
		t.put(" OFFSET ", q.Offset)
	}
	return true
}

// sameCalls are the functions that are the same everywhere, whatever the types.
var sameCalls = []string{"count", "min", "max", "coalesce", "nullif"}

// writtenExpr rejects the expressions that mean something else in other dialects, or depend on types.
func (t *written) writtenExpr(x trinosql.Expr) bool {
	switch x := x.(type) {
	case *trinosql.Ident, *trinosql.Deref, *trinosql.NullLit, *trinosql.BoolLit, *trinosql.StringLit,
		*trinosql.DecimalLit, *trinosql.Param,
		*trinosql.Compare, *trinosql.Between, *trinosql.InList, *trinosql.InQuery, *trinosql.IsNull, *trinosql.Not,
		*trinosql.Logic,
		*trinosql.Subquery, *trinosql.Exists, *trinosql.Case:
	case *trinosql.IntLit:
		if strings.ContainsAny(x.Text, "xXoObB") {
			t.refuse(x, "an integer that is not decimal")
		}
	case *trinosql.LikeExpr:
		if pattern, ok := x.Pattern.(*trinosql.StringLit); !ok || x.Escape != nil ||
			strings.Contains(pattern.Value, `\`) {
			t.refuse(x, "LIKE with a pattern that may have a backslash")
		}
	case *trinosql.TypedLit:
		if x.Type != "DATE" || !plainTexts[types.Date]().MatchString(x.Value) {
			t.refuse(x, "this literal")
		}
	case *trinosql.Binary:
		if x.Op != "+" && x.Op != "*" {
			t.untyped(x, x.Op)
		}
	case *trinosql.Func:
		name := strings.ToLower(x.Name[len(x.Name)-1].Name)
		if len(x.Name) > 1 || !slices.Contains(sameCalls, name) || x.Over != nil || x.OverName != nil ||
			x.Filter != nil || x.OrderBy != nil || x.Nulls != "" {
			t.untyped(x, name)
		}
		t.put(name, "(")
		if x.Distinct {
			t.put("DISTINCT ")
		}
		if x.Star {
			t.put("*")
		}
		t.put(x.Args, ")")
		return true
	default:
		t.untyped(x, trinosql.String(x))
	}
	return false
}
