package analyze

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
)

// show formats an expression as Trino does in errors: with parentheses around each operator.
func show(x trinosql.Expr) string {
	var b strings.Builder
	write(&b, x)
	return b.String()
}

func showList(list []trinosql.Expr) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = show(x)
	}
	return strings.Join(parts, ", ")
}

func write(b *strings.Builder, x trinosql.Expr) {
	put := func(parts ...any) {
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				b.WriteString(p)
			case trinosql.Expr:
				write(b, p)
			}
		}
	}
	list := func(items []trinosql.Expr, between string) {
		for i, x := range items {
			if i > 0 {
				b.WriteString(between)
			}
			write(b, x)
		}
	}
	not := func(not bool, f func()) {
		if not {
			put("(NOT ")
		}
		f()
		if not {
			put(")")
		}
	}
	switch x := x.(type) {
	case *trinosql.Ident:
		put(showName(x))
	case *trinosql.Deref:
		put(x.Base, ".", showName(x.Field))
	case *trinosql.NullLit:
		put("null")
	case *trinosql.BoolLit:
		put(strconv.FormatBool(x.Value))
	case *trinosql.BinaryLit:
		put(fmt.Sprintf("X'%X'", x.Value))
	case *trinosql.IntLit:
		put(x.Text)
	case *trinosql.DecimalLit:
		put("DECIMAL '", x.Text, "'")
	case *trinosql.DoubleLit:
		put(showDouble(x.Text))
	case *trinosql.TypedLit:
		put(x.Type, " ", trinosql.QuoteText(x.Value))
	case *trinosql.IntervalLit:
		put("INTERVAL ")
		if x.Negative {
			put("-")
		}
		put(trinosql.QuoteText(x.Value), " ", x.From)
		if x.To != "" {
			put(" TO ", x.To)
		}
	case *trinosql.Unary:
		put(x.Op)
		if u, ok := x.X.(*trinosql.Unary); ok && u.Op == "-" && x.Op == "-" {
			put(" ")
		}
		put(x.X)
	case *trinosql.Binary:
		if x.Op == "||" {
			put("concat(", x.L, ", ", x.R, ")")
		} else {
			put("(", x.L, " "+x.Op+" ", x.R, ")")
		}
	case *trinosql.Compare:
		put("(", x.L, " "+x.Op+" ", x.R, ")")
	case *trinosql.IsDistinct:
		not(x.Not, func() { put("(", x.L, " IS DISTINCT FROM ", x.R, ")") })
	case *trinosql.Quantified:
		put("(", x.X, " "+x.Op+" "+x.Quantifier+" ", showQuery(x.Query), ")")
	case *trinosql.Between:
		not(x.Not, func() { put("(", x.X, " BETWEEN ", x.Lo, " AND ", x.Hi, ")") })
	case *trinosql.InList:
		not(x.Not, func() {
			put("(", x.X, " IN (")
			list(x.List, ", ")
			put("))")
		})
	case *trinosql.InQuery:
		not(x.Not, func() { put("(", x.X, " IN ", showQuery(x.Query), ")") })
	case *trinosql.LikeExpr:
		not(x.Not, func() {
			put("(", x.X, " LIKE ", x.Pattern)
			if x.Escape != nil {
				put(" ESCAPE ", x.Escape)
			}
			put(")")
		})
	case *trinosql.IsNull:
		put("(", x.X, " IS ")
		if x.Not {
			put("NOT ")
		}
		put("NULL)")
	case *trinosql.Not:
		put("(NOT ", x.X, ")")
	case *trinosql.Logic:
		put("(")
		list(x.Terms, " "+x.Op+" ")
		put(")")
	case *trinosql.Func:
		writeCall(b, x)
	case *trinosql.Subquery:
		put(showQuery(x.Query))
	case *trinosql.Exists:
		put("(EXISTS ", showQuery(x.Query), ")")
	case *trinosql.Case:
		put("(CASE")
		if x.Operand != nil {
			put(" ", x.Operand)
		}
		for _, w := range x.Whens {
			put(" WHEN ", w.Cond, " THEN ", w.Then)
		}
		if x.Else != nil {
			put(" ELSE ", x.Else)
		}
		put(" END)")
	case *trinosql.Cast:
		if x.Try {
			put("TRY_")
		}
		put("CAST(", x.X, " AS ", trinosql.String(x.Type), ")")
	case *trinosql.Array:
		put("ARRAY[")
		list(x.Items, ",")
		put("]")
	case *trinosql.Row:
		put("ROW (")
		list(x.Items, ", ")
		put(")")
	case *trinosql.Subscript:
		put(x.X, "[", x.Index, "]")
	case *trinosql.AtTimeZone:
		put(x.X, " AT TIME ZONE ", x.Zone)
	case *trinosql.Extract:
		put("EXTRACT(", strings.ToUpper(x.Field.Name), " FROM ", x.X, ")")
	case *trinosql.Position:
		put("strpos(", x.X, ", ", x.Sub, ")")
	case *trinosql.Substring:
		put("substr(")
		list(some(x.X, x.From, x.For), ", ")
		put(")")
	case *trinosql.Normalize:
		form := x.Form
		if form == "" {
			form = "NFC"
		}
		put("normalize(", x.X, ", '", form, "')")
	case *trinosql.Trim:
		put("trim(")
		if x.Spec != "" {
			put(x.Spec, " ")
		} else {
			put("BOTH ")
		}
		if x.Chars != nil {
			put(x.Chars, " ")
		}
		put("FROM ", x.X, ")")
	case *trinosql.Lambda:
		names := make([]string, len(x.Params))
		for i, p := range x.Params {
			names[i] = showName(p)
		}
		put("(", strings.Join(names, ", "), ") -> ", x.Body)
	case *trinosql.Grouping:
		put("GROUPING (")
		list(x.Columns, ", ")
		put(")")
	default:
		put(trinosql.String(x))
	}
}

func writeCall(b *strings.Builder, x *trinosql.Func) {
	name := make([]string, len(x.Name))
	for i, id := range x.Name {
		name[i] = showName(id)
	}
	fn := strings.Join(name, ".")
	switch funcName(x) {
	case "if", "coalesce", "nullif", "try":
		fn = strings.ToUpper(funcName(x))
	}
	b.WriteString(fn)
	b.WriteByte('(')
	if x.Distinct {
		b.WriteString("DISTINCT ")
	}
	if x.Star {
		b.WriteByte('*')
	}
	b.WriteString(showList(x.Args))
	if x.OrderBy != nil {
		b.WriteByte(' ')
		writeOrder(b, x.OrderBy)
	}
	b.WriteByte(')')
	if x.Filter != nil {
		fmt.Fprintf(b, " FILTER (WHERE %s)", show(x.Filter))
	}
	if x.Nulls != "" {
		fmt.Fprintf(b, " %s NULLS", x.Nulls)
	}
	if x.OverName != nil {
		b.WriteString(" OVER " + showName(x.OverName))
	}
	if x.Over != nil {
		b.WriteString(" OVER (")
		space := ""
		if x.Over.Base != nil {
			b.WriteString(showName(x.Over.Base))
			space = " "
		}
		if x.Over.PartitionBy != nil {
			fmt.Fprintf(b, "%sPARTITION BY %s", space, showList(x.Over.PartitionBy))
			space = " "
		}
		if x.Over.OrderBy != nil {
			b.WriteString(space)
			writeOrder(b, x.Over.OrderBy)
			space = " "
		}
		if f := x.Over.Frame; f != nil {
			fmt.Fprintf(b, "%s%s ", space, f.Kind)
			if f.End != nil {
				fmt.Fprintf(b, "BETWEEN %s AND %s", showBound(f.Start), showBound(f.End))
			} else {
				b.WriteString(showBound(f.Start))
			}
		}
		b.WriteByte(')')
	}
}

func writeOrder(b *strings.Builder, items []*trinosql.SortItem) {
	b.WriteString("ORDER BY ")
	for i, s := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, s.Expr)
		if s.Desc {
			b.WriteString(" DESC")
		} else {
			b.WriteString(" ASC")
		}
		if s.Nulls != "" {
			b.WriteString(" NULLS " + s.Nulls)
		}
	}
}

func showBound(f *trinosql.FrameBound) string {
	if f.Value == nil {
		return f.Kind
	}
	return show(f.Value) + " " + f.Kind
}

func showQuery(q *trinosql.Query) string { return "(" + trinosql.String(q) + ")" }

// showName is a name as written in the statement.
func showName(id *trinosql.Ident) string {
	if id.Quoted {
		return sqltext.Quote(id.Name)
	}
	return id.Name
}

// showDouble formats a number with an exponent as Trino does: 1.5E0.
func showDouble(text string) string {
	f, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
	if err != nil {
		return text
	}
	d, _ := f.Float64()
	s := strconv.FormatFloat(d, 'E', -1, 64)
	m, e, _ := strings.Cut(s, "E")
	n, _ := strconv.Atoi(e)
	return m + "E" + strconv.Itoa(n)
}
