package narrow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Tables computes the pushdown to the sources of a statement: for each table the conditions of the WHERE clause, and of
// the joins, of the SELECT with the table in its FROM clause.
type Tables struct {
	a      *analyze.Analysis
	values []string // bound to ?
	found  map[trinosql.Node]Narrowing
}

// Wants returns the pushdown for the table that a *trinosql.TableRef or *trinosql.TableBody names.
func (w *Tables) Wants(ref trinosql.Node) Narrowing {
	if n, ok := w.found[ref]; ok {
		return n
	}
	return Everything()
}

// Of computes the pushdown of an analysed query, with the values bound to its parameters.
func Of(q *trinosql.Query, a *analyze.Analysis, values []string) *Tables {
	w := &Tables{a: a, values: values, found: map[trinosql.Node]Narrowing{}}
	trinosql.Inspect(q, func(n trinosql.Node) bool {
		switch n := n.(type) {
		case *trinosql.Query:
			if sel, ok := n.Body.(*trinosql.Select); ok {
				w.selected(sel, n)
			}
		case *trinosql.Select:
			w.selected(n, nil) // of a set operation; the body of a query has been handled already
		}
		return true
	})
	return w
}

// selected computes what a SELECT needs of each table in its FROM clause.
func (w *Tables) selected(sel *trinosql.Select, q *trinosql.Query) {
	tables := map[*trinosql.TableRef][]trinosql.Expr{} // join conditions that hold for every relevant row
	for _, r := range sel.From {
		for _, ref := range w.from(r, tables) {
			tables[ref] = append(tables[ref], nil)[:len(tables[ref])]
		}
	}
	alone := len(sel.From) == 1 && plainTable(sel.From[0]) != nil
	for ref, on := range tables {
		if _, done := w.found[ref]; done {
			continue
		}
		n := Everything()
		t := narrowTable{Tables: w, fields: map[*analyze.Field]string{}, joined: !alone}
		for i, f := range w.a.Relations[ref].Fields {
			if use := w.a.Tables[ref]; use != nil && use.Table != nil && i < len(use.Table.Columns) {
				t.fields[f] = use.Table.Columns[i].Name
			}
		}
		for _, c := range on {
			t.conditions(c, false, &n.Conds)
		}
		all := true
		if sel.Where != nil {
			all = t.conditions(sel.Where, false, &n.Conds)
		}
		if all && alone {
			if q != nil {
				n.Limit = w.limit(sel, q)
			}
			n.Count = w.onlyCounts(sel, q)
		}
		w.found[ref] = n
	}
}

// plainTable returns the table of a FROM item, with or without an alias.
func plainTable(r trinosql.Relation) *trinosql.TableRef {
	for {
		switch x := r.(type) {
		case *trinosql.TableRef:
			return x
		case *trinosql.ParenRel:
			r = x.Relation
		case *trinosql.Aliased:
			if x.Columns != nil {
				return nil
			}
			r = x.Relation
		default:
			return nil
		}
	}
}

// from collects the tables of a FROM item, with the join conditions that hold for every relevant row of them.
func (w *Tables) from(r trinosql.Relation, tables map[*trinosql.TableRef][]trinosql.Expr) []*trinosql.TableRef {
	if ref := plainTable(r); ref != nil {
		return []*trinosql.TableRef{ref}
	}
	switch r := r.(type) {
	case *trinosql.ParenRel:
		return w.from(r.Relation, tables)
	case *trinosql.Join:
		left, right := w.from(r.Left, tables), w.from(r.Right, tables)
		if r.On != nil {
			if r.Kind == "INNER" || r.Kind == "RIGHT" {
				for _, ref := range left {
					tables[ref] = append(tables[ref], r.On)
				}
			}
			if r.Kind == "INNER" || r.Kind == "LEFT" {
				for _, ref := range right {
					tables[ref] = append(tables[ref], r.On)
				}
			}
		}
		return append(left, right...)
	}
	return nil
}

// plainQuery reports whether a query consists only of its SELECT, without anything that needs more than the result
// rows. q is nil in a set operation.
func plainQuery(sel *trinosql.Select, q *trinosql.Query) bool {
	return (q == nil || len(q.OrderBy) == 0 && !q.WithTies) && !sel.Distinct && sel.GroupBy == nil && sel.Having == nil
}

// onlyCounts reports whether a SELECT returns only count(*) and constants.
func (w *Tables) onlyCounts(sel *trinosql.Select, q *trinosql.Query) bool {
	if !plainQuery(sel, q) || q != nil && (q.Limit != nil || q.Offset != nil || q.Fetch) || sel.Where != nil {
		return false
	}
	for _, it := range sel.Items {
		x, ok := it.(*trinosql.SelectExpr)
		if !ok {
			return false
		}
		if _, ok := w.constant(x.Expr); ok {
			continue
		}
		f, ok := x.Expr.(*trinosql.Func)
		if !ok || !f.Star || f.Filter != nil || f.Over != nil || f.OverName != nil || f.Distinct {
			return false
		}
	}
	return true
}

// limit returns the maximum number of rows of its table that a SELECT needs, -1 if that is not obvious.
func (w *Tables) limit(sel *trinosql.Select, q *trinosql.Query) int64 {
	if !plainQuery(sel, q) || q.Limit == nil {
		return -1
	}
	for _, it := range sel.Items {
		x, ok := it.(*trinosql.SelectExpr)
		if !ok {
			if star := it.(*trinosql.SelectStar); star.Columns != nil || star.Target != nil &&
				w.a.Types[star.Target] != nil {
				return -1
			}
			continue
		}
		e := x.Expr
		for cast, ok := e.(*trinosql.Cast); ok; cast, ok = e.(*trinosql.Cast) {
			e = cast.X
		}
		if _, ok := w.constant(e); !ok && w.a.Columns[e] == nil {
			return -1
		}
	}
	total := int64(0)
	for _, x := range []trinosql.Expr{q.Limit, q.Offset} {
		if x == nil {
			continue
		}
		lit, ok := x.(*trinosql.IntLit)
		if !ok {
			return -1
		}
		n, err := strconv.ParseInt(lit.Text, 10, 64)
		if err != nil || n < 0 || n > 1<<40 {
			return -1
		}
		total += n
	}
	return total
}

// narrowTable collects conditions on one table.
type narrowTable struct {
	*Tables
	fields map[*analyze.Field]string // the table's columns, by name
	joined bool
}

var opposite = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// conditions adds the conditions of an expression that are on the table, and reports whether they are the whole
// expression.
func (t *narrowTable) conditions(x trinosql.Expr, not bool, out *[]Condition) bool {
	switch x := x.(type) {
	case *trinosql.Not:
		return t.conditions(x.X, !not, out)
	case *trinosql.Logic:
		switch {
		case x.Op == "AND" && !not:
			all := true
			for _, k := range x.Terms {
				all = t.conditions(k, false, out) && all
			}
			return all
		case x.Op == "OR" && !not:
			return t.either(x, out)
		}
	case *trinosql.Compare:
		op, l, r := x.Op, x.L, x.R
		if t.column(l) == "" {
			op, l, r = mirrored[op], r, l
		}
		if not && op != "=" && op != "<>" && t.float(l, r) { // NaN is neither less nor greater, so NOT holds for it
			return false
		}
		if not {
			op = opposite[op]
		}
		return op != "" && t.compare(out, op, l, r)
	case *trinosql.Between:
		if x.Not != not {
			return false
		}
		first := t.compare(out, ">=", x.X, x.Lo)
		return t.compare(out, "<=", x.X, x.Hi) && first
	case *trinosql.InList:
		op := "in"
		if x.Not != not {
			op = "not in"
		}
		return t.compare(out, op, x.X, x.List...)
	case *trinosql.IsNull:
		op := "is null"
		if x.Not != not {
			op = "is not null"
		} else if t.joined { // a missing join partner is NULL too
			return false
		}
		return t.compare(out, op, x.X)
	case *trinosql.LikeExpr:
		return x.Not == not && x.Escape == nil && t.compare(out, "like", x.X, x.Pattern)
	case *trinosql.Ident, *trinosql.Deref: // WHERE flag
		if name := t.column(x); name != "" {
			*out = append(*out, Condition{name, "=", []Constant{{Bool, strconv.FormatBool(!not)}}})
			return true
		}
	}
	return false
}

// float reports whether one of two operands is a number that may be NaN.
func (t *narrowTable) float(operands ...trinosql.Expr) bool {
	return slices.ContainsFunc(operands, func(x trinosql.Expr) bool {
		typ := t.a.Types[x]
		return typ == nil || typ.Kind == types.Real || typ.Kind == types.Double
	})
}

// either handles x = 1 OR x = 2.
func (t *narrowTable) either(x *trinosql.Logic, out *[]Condition) bool {
	c := Condition{Op: "in"}
	for _, k := range x.Terms {
		var one []Condition
		if !t.conditions(k, false, &one) || len(one) != 1 || one[0].Op != "=" && one[0].Op != "in" || c.Column != "" &&
			one[0].Column != c.Column {
			return false
		}
		c.Column, c.Values = one[0].Column, append(c.Values, one[0].Values...)
	}
	*out = append(*out, c)
	return true
}

func (t *narrowTable) compare(out *[]Condition, op string, col trinosql.Expr, vals ...trinosql.Expr) bool {
	c := Condition{Column: t.column(col), Op: op}
	if c.Column == "" {
		return false
	}
	for _, v := range vals {
		k, ok := t.constant(v)
		if !ok {
			return false
		}
		c.Values = append(c.Values, k)
	}
	*out = append(*out, c)
	return true
}

// column returns the name of the table's column that an expression is, "" if it is not one.
func (t *narrowTable) column(x trinosql.Expr) string {
	ref := t.a.Columns[x]
	if ref == nil || ref.Outer != 0 || ref.OfOutput {
		return ""
	}
	f := ref.Field
	for {
		if name, ok := t.fields[f]; ok {
			return name
		}
		if len(f.From) != 1 {
			return ""
		}
		f = f.From[0]
	}
}

var integerText = late.Regexp(`^[+-]?[0-9]+$`)

var dateOrTime = late.Regexp(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)

// constant returns a value that is written in the statement or bound to it.
func (w *Tables) constant(x trinosql.Expr) (Constant, bool) {
	switch x := x.(type) {
	case *trinosql.Param:
		if x.Index < len(w.values) {
			return Constant{Param, w.values[x.Index]}, true
		}
	case *trinosql.StringLit:
		return Constant{Text, x.Value}, true
	case *trinosql.BoolLit:
		return Constant{Bool, strconv.FormatBool(x.Value)}, true
	case *trinosql.Unary:
		if k, ok := w.constant(x.X); ok && x.Op == "-" && (k.Kind == Int || k.Kind == Decimal || k.Kind == Double) &&
			k.Text[0] != '-' {
			return Constant{k.Kind, "-" + k.Text}, true
		}
	case *trinosql.IntLit:
		if _, err := strconv.ParseInt(x.Text, 10, 64); err == nil {
			return Constant{Int, x.Text}, true
		}
	case *trinosql.DecimalLit:
		return Constant{Decimal, x.Text}, len(x.Text) < 20
	case *trinosql.DoubleLit:
		return Constant{Double, x.Text}, true
	case *trinosql.TypedLit:
		return typedConstant(x)
	}
	return Constant{}, false
}

func typedConstant(x *trinosql.TypedLit) (Constant, bool) {
	text := strings.TrimSpace(x.Value)
	switch strings.ToUpper(x.Type) {
	case "DATE":
		return Constant{Date, text}, dateOrTime().MatchString(text)
	case "TIMESTAMP":
		return Constant{Timestamp, text}, dateOrTime().MatchString(text)
	case "DECIMAL":
		return Constant{Decimal, text}, DecimalText().MatchString(text)
	case "UUID":
		return Constant{UUID, text}, true
	case "VARCHAR":
		return Constant{Text, x.Value}, true
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "INT":
		return Constant{Int, text}, integerText().MatchString(text)
	}
	return Constant{}, false
}
