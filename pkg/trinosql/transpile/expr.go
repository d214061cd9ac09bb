package transpile

import (
	"regexp"
	"strings"

	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// expr writes the expressions that a dialect writes differently from Trino.
func (t *transpiler) expr(x trinosql.Expr) bool {
	columns := t.columns // the columns of a select list do not apply within an expression
	t.columns = nil
	defer func() { t.columns = columns }()
	switch x := x.(type) {
	case *trinosql.Ident:
		return t.output(x)
	case *trinosql.Param, *trinosql.Lambda, *trinosql.Subscript, *trinosql.AtTimeZone, *trinosql.Normalize,
		*trinosql.JSONFunc, *trinosql.JSONObject, *trinosql.JSONArray:
		t.refuse(x, "%s", trinosql.String(x))
	case *trinosql.Deref:
		base, ok := x.Base.(*trinosql.Ident)
		if d, deep := x.Base.(*trinosql.Deref); deep {
			base, ok = d.Field, true
		}
		if t.a.Columns[x] == nil || !ok {
			t.refuse(x, "the field of a row")
		}
		// the table's name without its schema
		t.put(t.quoted(base.Name, base.Quoted), ".", t.quoted(x.Field.Name, x.Field.Quoted))
		return true
	case *trinosql.IntLit:
		if len(x.Text) > 2 && (x.Text[1]|0x20 >= 'a' && x.Text[1]|0x20 <= 'z') {
			t.refuse(x, "an integer that is not decimal")
		}
	case *trinosql.DecimalLit:
		if t.to == BigQuery {
			t.put("NUMERIC '", x.Text, "'")
			return true
		}
	case *trinosql.DoubleLit:
		if t.to == PostgreSQL {
			t.put("CAST(", x.Text, " AS double precision)")
			return true
		}
	case *trinosql.BinaryLit:
		t.refuse(x, "a binary literal")
	case *trinosql.TypedLit:
		t.typedLiteral(x)
		return true
	case *trinosql.IntervalLit:
		t.refuse(x, "an interval that is not added to a date or timestamp")
	case *trinosql.Binary:
		return t.binary(x)
	case *trinosql.Compare:
		return t.compare(x)
	case *trinosql.Between:
		return t.between(x)
	case *trinosql.LikeExpr:
		return t.like(x)
	case *trinosql.IsDistinct:
		if t.to == MySQL {
			not := "NOT "
			if x.Not {
				not = ""
			}
			t.put("(", not)
			t.w.Fill("($1 <=> $2))", x.L, x.R)
			return true
		}
	case *trinosql.Quantified:
		if t.to == BigQuery || x.Op == "=" && x.Quantifier == "ALL" || x.Op == "<>" && x.Quantifier != "ALL" {
			t.refuse(x, "%s %s", x.Op, x.Quantifier)
		}
	case *trinosql.Row:
		if !x.Bare || t.typeOf(x).Kind == types.Row && !t.compared[x] {
			t.refuse(x, "a row")
		}
	case *trinosql.Subquery:
		if t.typeOf(x).Kind == types.Row {
			t.refuse(x, "a query of several columns as a value")
		}
	case *trinosql.InList:
		if k := t.typeOf(x.X).Kind; k == types.Array || k == types.Map {
			t.refuse(x, "IN of %s", t.typeOf(x.X))
		}
		if _, query := x.List[0].(*trinosql.Subquery); query && len(x.List) == 1 {
			t.refuse(x, "a query in parentheses as the only item of IN")
		}
		t.rows(append([]trinosql.Expr{x.X}, x.List...)...)
	case *trinosql.InQuery:
		if _, row := x.X.(*trinosql.Row); row {
			t.refuse(x, "IN (query) of a row")
		}
	case *trinosql.Array:
		switch t.to {
		case MySQL:
			t.refuse(x, "an array")
		case BigQuery:
			t.put("[", x.Items, "]")
			return true
		}
		t.put("CAST(ARRAY[", x.Items)
		t.put("] AS ", t.typeName(x, t.typeOf(x)), ")")
		return true
	case *trinosql.Cast:
		t.cast(x)
		return true
	case *trinosql.Current:
		t.current(x)
		return true
	case *trinosql.Trim:
		t.trim(x.X, x.Chars, x.Spec, x)
		return true
	case *trinosql.Substring:
		t.substring(x, x.X, x.From, x.For)
		return true
	case *trinosql.Position:
		t.named("strpos", x, []trinosql.Expr{x.X, x.Sub})
		return true
	case *trinosql.Extract:
		t.named(strings.ToLower(x.Field.Name), x, []trinosql.Expr{x.X})
		return true
	case *trinosql.Listagg:
		t.listagg(x)
		return true
	case *trinosql.Func:
		t.function(x)
		return true
	}
	return false
}

// output writes a column of the select list within an expression of ORDER BY: other dialects look such names up in FROM
// first, or not at all in the select list.
func (t *transpiler) output(x *trinosql.Ident) bool {
	ref := t.a.Columns[x]
	if ref == nil || !ref.OfOutput || t.items == nil || t.alone == x && t.to != MySQL || ref.Index >= len(t.items) ||
		ref.Outer > 0 {
		return false
	}
	it := t.items[ref.Index]
	if it.Expr == nil {
		return false
	}
	if id, ok := it.Expr.(*trinosql.Ident); ok {
		if t.a.Columns[id] == ref {
			return false
		}
		for i, other := range t.items { // MySQL resolves it to a column of the select list again
			if t.to == MySQL && i != ref.Index && strings.EqualFold(other.Name, id.Name) {
				t.refuse(x, "ORDER BY of a column with the name of another column")
			}
		}
	}
	outer := t.items
	t.items = nil
	t.put(it.Expr)
	t.items = outer
	return true
}

// rows marks rows that are compared: they may be written.
func (t *transpiler) rows(list ...trinosql.Expr) {
	for _, x := range list {
		if r, ok := x.(*trinosql.Row); ok && t.to != BigQuery {
			t.compared[r] = true
		}
	}
}

func (t *transpiler) typedLiteral(x *trinosql.TypedLit) {
	typ := t.typeOf(x)
	if to := t.a.Types[x]; to != nil {
		typ = to
	}
	text := t.text(x.Value)
	if typ.Kind == types.Decimal {
		text = t.text(strings.ReplaceAll(x.Value, "_", ""))
	}
	if (typ.Kind == types.Time || typ.Kind == types.Timestamp) && typ.N > 6 || strings.HasPrefix(x.Value, "+") ||
		strings.HasPrefix(x.Value, "-") && typ.Kind >= types.Date {
		t.refuse(x, "this literal")
	}
	switch typ.Kind {
	case types.Date:
		t.put("DATE ", text)
	case types.Time:
		t.put("TIME ", text)
	case types.Timestamp:
		if t.to == BigQuery {
			t.put("DATETIME ", text)
		} else {
			t.put("TIMESTAMP ", text)
		}
	case types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.Real, types.Double, types.Decimal,
		types.Boolean, types.UUID:
		t.put("CAST(", text, " AS ", t.typeName(x, typ), ")")
	default:
		t.refuse(x, "a literal of type %s", typ)
	}
}

func isInterval(k types.Kind) bool { return k == types.IntervalDS || k == types.IntervalYM }

// binary writes arithmetic. A date plus an interval is written as a whole.
func (t *transpiler) binary(x *trinosql.Binary) bool {
	l, r := t.typeOf(x.L), t.typeOf(x.R)
	switch {
	case t.to == MySQL && (l.Kind == types.Real || r.Kind == types.Real):
		t.refuse(x, "arithmetic of reals") // MySQL computes it in doubles
	case isInterval(l.Kind) || isInterval(r.Kind):
		t.dateArithmetic(x, l, r)
		return true
	case x.Op == "-" && l.Kind >= types.Date && l.Kind <= types.TimestampTZ:
		t.refuse(x, "the difference of times")
	case x.Op == "||" && l.Kind == types.Array:
		if t.to == MySQL || t.to == BigQuery || r.Kind != types.Array {
			t.refuse(x, "|| of arrays")
		}
	case x.Op == "||" && t.to == MySQL:
		t.w.Fill("concat($1, $2)", x.L, x.R)
		return true
	case x.Op == "/" && l.Integral() && r.Integral():
		t.w.Fill(map[Target]string{PostgreSQL: "($1 / $2)", MySQL: "($1 DIV $2)", BigQuery: "div($1, $2)"}[t.to], x.L,
			x.R)
		return true
	case x.Op == "%" && t.to == BigQuery:
		t.w.Fill("mod($1, $2)", x.L, x.R)
		return true
	case x.Op == "/" && l.Kind == types.Decimal:
		if t.to != PostgreSQL {
			t.refuse(x, "the division of decimals")
		}
		t.w.Fill("CAST($1 / $2 AS "+t.typeName(x, t.a.Types[x])+")", x.L, x.R)
		return true
	case x.Op == "%" && (l.Kind == types.Double || l.Kind == types.Real) && t.to == PostgreSQL:
		t.refuse(x, "%% of doubles")
	}
	return false
}

// plainTexts are the strings that every dialect parses to the same value.
var plainTexts = map[types.Kind]func() *regexp.Regexp{
	types.Date: late.Regexp(`^\d{4}-\d\d-\d\d$`), types.Boolean: late.Regexp(`^(true|false)$`),
	types.UUID:    late.Regexp(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
	types.Tinyint: integerText, types.Smallint: integerText, types.Integer: integerText, types.Bigint: integerText,
	types.Real: decimalText, types.Double: decimalText, types.Decimal: decimalText,
}

var (
	integerText = late.Regexp(`^-?\d{1,19}$`)
	decimalText = late.Regexp(`^-?\d{1,19}(\.\d{1,19})?$`)
)

var comparisons = map[string]bool{"<": true, "<=": true, ">": true, ">=": true}

// compare writes a comparison. Strings are ordered by code point.
func (t *transpiler) compare(x *trinosql.Compare) bool {
	if k := t.typeOf(x.L).Kind; k == types.Row || k == types.Array {
		t.refuse(x, "the comparison of %s", t.typeOf(x.L))
	}
	if t.to == PostgreSQL && comparisons[x.Op] && t.isText(x.L) {
		t.w.Fill(`($1 COLLATE "C" `+x.Op+" $2)", x.L, x.R)
		return true
	}
	return false
}

func (t *transpiler) between(x *trinosql.Between) bool {
	if t.to != PostgreSQL || !t.isText(x.X) {
		return false
	}
	not := ""
	if x.Not {
		not = "NOT "
	}
	t.w.Fill(`($1 COLLATE "C" `+not+`BETWEEN $2 AND $3)`, x.X, x.Lo, x.Hi)
	return true
}

// like writes LIKE. Without ESCAPE, Trino's patterns have no escape character; in other dialects it is a backslash.
func (t *transpiler) like(x *trinosql.LikeExpr) bool {
	pattern, literal := x.Pattern.(*trinosql.StringLit)
	if x.Escape != nil {
		escape := t.literal(x.Escape)
		if t.to == BigQuery || !literal || len(escape) != 1 || escape == "\\" && t.to == MySQL ||
			!escapesWell(pattern.Value, escape[0]) {
			t.refuse(x, "LIKE with this ESCAPE")
		}
		return false
	}
	switch {
	case literal && !strings.Contains(pattern.Value, `\`):
		return false
	case t.to != PostgreSQL:
		t.refuse(x, "LIKE with a pattern that may have a backslash")
	}
	not := ""
	if x.Not {
		not = "NOT "
	}
	t.w.Fill("($1 "+not+"LIKE $2 ESCAPE '')", x.X, x.Pattern)
	return true
}

// escapesWell reports whether the escape character is only used before characters that need it: otherwise the pattern
// is an error in Trino.
func escapesWell(pattern string, escape byte) bool {
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != escape {
			continue
		}
		if i++; i == len(pattern) || pattern[i] != '%' && pattern[i] != '_' && pattern[i] != escape {
			return false
		}
	}
	return true
}
