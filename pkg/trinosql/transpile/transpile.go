// Package transpile translates analysed queries from Trino's dialect to other dialects.
//
// Where a target computes differently, the translation gives Trino's result or is an error that names the construct.
// Exceptions, which are left to the target: the collation of columns that have one (MySQL ignores case by default),
// division by zero, which is NULL in MySQL, and the range of integers.
package transpile

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Target is a dialect.
type Target string

// The dialects. Trino's own is written by trinosql.String.
const (
	PostgreSQL Target = "postgresql"
	MySQL      Target = "mysql"
	BigQuery   Target = "bigquery"
)

// Targets are the supported dialects.
func Targets() []Target { return []Target{PostgreSQL, MySQL, BigQuery} }

// Query writes a query. The error is a *trinosql.Unsupported.
func Query(q *trinosql.Query, a *analyze.Analysis, to Target) (string, error) {
	t := &transpiler{a: a, to: to, root: q, aliased: map[*trinosql.SubqueryRel]bool{},
		compared: map[*trinosql.Row]bool{}, lateral: map[*trinosql.Lateral]bool{}}
	trinosql.Inspect(q, func(n trinosql.Node) bool {
		star, ok := n.(*trinosql.SelectStar)
		t.starred = t.starred || ok
		t.targeted = t.targeted || ok && star.Target != nil
		return true
	})
	w := &trinosql.Writer{Override: t.override, Quoted: t.quoted, Text: t.text}
	t.w = w
	return w.Print(func() { w.Write(q) })
}

type transpiler struct {
	a    *analyze.Analysis
	to   Target
	w    *trinosql.Writer
	root *trinosql.Query

	lateral  map[*trinosql.Lateral]bool // LATERAL subqueries with an alias
	targeted bool                       // the query has a star qualified by a table

	items []analyze.Item // the select list that the current ORDER BY may refer to
	alone trinosql.Expr  // the sort key

	columns  []string                       // the column names of the next select list
	aliased  map[*trinosql.SubqueryRel]bool // subqueries in FROM with an alias
	compared map[*trinosql.Row]bool         // rows that are compared
	starred  bool                           // the query has a star in a select list
	made     int                            // number of generated names
}

func (t *transpiler) refuse(n trinosql.Node, format string, args ...any) {
	trinosql.Refuse(n, "%s cannot be written for %s", fmt.Sprintf(format, args...), names[t.to])
}

var names = map[Target]string{PostgreSQL: "PostgreSQL", MySQL: "MySQL", BigQuery: "BigQuery"}

// quoted writes a name. Trino ignores case; PostgreSQL does not for quoted names.
func (t *transpiler) quoted(name string, _ bool) string {
	switch t.to {
	case PostgreSQL:
		name = strings.ToLower(name)
		if reserved(name) || trinosql.QuoteName(name) != name {
			return sqltext.Quote(name)
		}
		return name
	}
	if trinosql.QuoteName(name) == name && !reserved(strings.ToLower(name)) {
		return name
	}
	return sqltext.Backtick(name)
}

// reserved reports whether a valid name of Trino is a keyword in other dialects.
func reserved(name string) bool {
	return strings.Contains(" add alter as authorization binary both by case cast check collate concurrently "+
		"constraint create cross current_catalog current_date current_schema current_time current_timestamp "+
		"current_user deferrable deallocate delete distinct do drop else end except execute exists extract false for "+
		"foreign freeze from full function grant group having ilike in inner insert intersect into is isnull join "+
		"lambda left like localtime localtimestamp natural notnull null on or order outer overlaps prepare primary "+
		"references revoke right select similar table tablesample then to true union unnest using varying when where "+
		"with all analyse analyze any array asc asymmetric both change column condition current_role database "+
		"databases default desc div do each explain fetch float force groups ignore index initially interval key "+
		"keys kill lag lateral lead leading limit load lock loop maxvalue mediumint not offset only option "+
		"optionally out over pivot placing qualify range rank read references rename repeat replace return rlike row "+
		"rows schema schemas session_user set show some sql ssl summarize symmetric system system_user trailing "+
		"trigger unique unlock unsigned unpivot update usage use user utc_date values variadic verbose window write "+
		"xor year_month zerofill ", " "+name+" ")
}

// text writes a string literal.
func (t *transpiler) text(s string) string {
	switch t.to {
	case MySQL:
		return sqltext.Literal(strings.ReplaceAll(s, `\`, `\\`))
	case BigQuery:
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(s) + "'"
	}
	return sqltext.Literal(s)
}

func (t *transpiler) override(_ *trinosql.Writer, n trinosql.Node) bool {
	t.only(n)
	switch n := n.(type) {
	case *trinosql.Query:
		return t.query(n)
	case trinosql.QueryBody:
		return t.body(n)
	case *trinosql.SelectExpr:
		return t.item(n)
	case *trinosql.SelectStar:
		if n.Columns != nil {
			t.refuse(n, "names for the columns of a row")
		}
		if t.columns != nil {
			t.refuse(n, "names for the columns of a star")
		}
	case *trinosql.SortItem:
		return t.sortItem(n)
	case trinosql.Relation:
		return t.relation(n)
	case trinosql.Type:
		t.dataType(n)
		return true
	case trinosql.Expr:
		return t.expr(n)
	}
	return false
}

func (t *transpiler) put(parts ...any) { t.w.Put(parts...) }

// typeOf is the type of an expression after coercion.
func (t *transpiler) typeOf(x trinosql.Expr) *types.Type {
	if to := t.a.Coercions[x]; to != nil {
		return to
	}
	if from := t.a.Types[x]; from != nil {
		return from
	}
	return types.Of(types.Unknown)
}

func (t *transpiler) isText(x trinosql.Expr) bool { return t.typeOf(x).Kind == types.Varchar }
