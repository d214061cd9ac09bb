package transpile

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// dateArithmetic writes a date or timestamp plus or minus a literal interval.
func (t *transpiler) dateArithmetic(x *trinosql.Binary, l, r *types.Type) {
	moment, interval, typ := x.L, x.R, l
	if isInterval(l.Kind) {
		moment, interval, typ = x.R, x.L, r
	}
	i, ok := interval.(*trinosql.IntervalLit)
	if !ok || typ.Kind != types.Date && typ.Kind != types.Timestamp || i.To != "" {
		t.refuse(x, "arithmetic of %s and %s", l, r)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(i.Value, "+"))
	if err != nil {
		t.refuse(i, "this interval")
	}
	if i.Negative {
		n = -n
	}
	if x.Op == "-" {
		n = -n
	}
	t.moved(x, moment, typ, n, i.From)
}

// moved writes a date or timestamp plus a number of units.
func (t *transpiler) moved(at trinosql.Node, moment trinosql.Expr, typ *types.Type, n int, unit string) {
	if typ.Kind == types.Date && (unit == "HOUR" || unit == "MINUTE" || unit == "SECOND") {
		t.refuse(at, "a date plus hours, minutes or seconds")
	}
	count := strconv.Itoa(n)
	switch t.to {
	case MySQL:
		t.w.Fill("date_add($1, INTERVAL "+count+" "+unit+")", moment)
	case BigQuery:
		f := "DATETIME_ADD"
		if typ.Kind == types.Date {
			f = "DATE_ADD"
		}
		t.w.Fill(f+"($1, INTERVAL "+count+" "+unit+")", moment)
	default:
		text := "($1 + INTERVAL '" + count + "' " + unit + ")"
		if typ.Kind == types.Date {
			text = "CAST" + strings.TrimSuffix(text, ")") + " AS date)"
		}
		t.w.Fill(text, moment)
	}
}

// dateFunction writes date_trunc, date_add and date_diff with a constant unit.
func (t *transpiler) dateFunction(x *trinosql.Func, name string) {
	unit := strings.ToLower(t.literal(x.Args[0]))
	typ := t.typeOf(last(x.Args))
	day := typ.Kind == types.Date
	if unit == "" || !day && typ.Kind != types.Timestamp {
		t.refuse(x, "%s of %s", name, typ)
	}
	switch name {
	case "date_trunc":
		t.truncated(x, unit, typ)
	case "date_add":
		n, ok := constant(x.Args[1])
		if !ok || unit == "millisecond" {
			t.refuse(x, "date_add of a number that is not a constant")
		}
		if unit == "quarter" {
			unit, n = "month", 3*n
		}
		if unit == "week" {
			unit, n = "day", 7*n
		}
		t.moved(x, x.Args[2], typ, n, strings.ToUpper(unit))
	case "date_diff":
		if !day || t.typeOf(x.Args[1]).Kind != types.Date || !strings.Contains(" day week month quarter year ",
			" "+unit+" ") || unit != "day" && t.to != MySQL {
			t.refuse(x, "date_diff of %s in %s", typ, unit)
		}
		switch t.to {
		case PostgreSQL:
			t.w.Fill("CAST($2 - $1 AS bigint)", x.Args[1:]...)
		case MySQL:
			t.w.Fill("timestampdiff("+strings.ToUpper(unit)+", $1, $2)", x.Args[1:]...)
		case BigQuery:
			t.w.Fill("date_diff($2, $1, DAY)", x.Args[1:]...)
		}
	}
}

func (t *transpiler) truncated(x *trinosql.Func, unit string, typ *types.Type) {
	arg := x.Args[1]
	if !strings.Contains(" year quarter month week day hour minute second ", " "+unit+" ") {
		t.refuse(x, "date_trunc to %s", unit)
	}
	switch t.to {
	case PostgreSQL:
		t.w.Fill("CAST(date_trunc('"+unit+"', $1) AS "+t.typeName(x, typ)+")", arg)
	case BigQuery:
		f, field := "DATETIME_TRUNC", strings.ToUpper(unit)
		if typ.Kind == types.Date {
			f = "DATE_TRUNC"
		}
		if unit == "week" {
			field = "ISOWEEK"
		}
		t.w.Fill(f+"($1, "+field+")", arg)
	case MySQL:
		format := map[string]string{"year": "%Y-01-01", "month": "%Y-%m-01", "day": "%Y-%m-%d"}[unit]
		if format == "" {
			t.refuse(x, "date_trunc to %s", unit)
		}
		t.w.Fill("CAST(date_format($1, '"+format+"') AS "+t.typeName(x, typ)+")", arg)
	}
}

// constant is the value of an integer literal with an optional sign.
func constant(x trinosql.Expr) (int, bool) {
	sign := 1
	if u, ok := x.(*trinosql.Unary); ok && u.Op == "-" {
		x, sign = u.X, -1
	}
	n, ok := x.(*trinosql.IntLit)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(n.Text)
	return sign * v, err == nil
}
