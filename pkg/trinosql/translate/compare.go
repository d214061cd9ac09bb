package translate

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Comparisons. In Trino nothing is equal to NaN and nothing is less or greater than it; in DuckDB it is equal to itself
// and greater than all else. Arrays, maps and rows that contain NULL may be neither equal nor unequal, and have no
// order.

func (p *printer) compare(x *trinosql.Compare) {
	p.comparison(x, x.Op, p.typeOf(x.L), p.operand(x.L), p.operand(x.R))
}

// nested reports whether a type is an array, map or row.
func nested(t *types.Type) bool {
	return t.Kind == types.Array || t.Kind == types.Map || t.Kind == types.Row
}

func float(t *types.Type) bool { return t.Kind == types.Real || t.Kind == types.Double }

// comparison writes l op r.
func (p *printer) comparison(at trinosql.Node, op string, t *types.Type, l, r operand) {
	switch {
	case nested(t):
		p.bindOnce([]operand{l, r}, func(args []operand) {
			p.put(p.compared(at, op, t, p.capture(args[0].write), p.capture(args[1].write)))
		})
	case float(t) && p.maybeNaN(op, l, r):
		p.bindOnce([]operand{l, r}, func(args []operand) {
			p.put(p.compared(at, op, t, p.capture(args[0].write), p.capture(args[1].write)))
		})
	default:
		p.put("(", l, " ", op, " ", r, ")")
	}
}

// maybeNaN reports whether the comparison of two numbers differs in DuckDB.
func (p *printer) maybeNaN(op string, l, r operand) bool {
	switch op {
	case "<", "<=": // false in DuckDB if only the left side is NaN
		return !p.finite(r.expr)
	case ">", ">=":
		return !p.finite(l.expr)
	}
	return !p.finite(l.expr) && !p.finite(r.expr)
}

// finite reports whether an expression is never NaN: a literal, or a value coerced from a type that is not floating
// point.
func (p *printer) finite(x trinosql.Expr) bool {
	if x == nil {
		return false
	}
	if _, lit := p.numeral(x); lit != nil {
		return true
	}
	return !float(p.a.Types[x])
}

// compared is the text of a comparison. The operands are texts that may be written more than once.
func (p *printer) compared(at trinosql.Node, op string, t *types.Type, l, r string) string {
	switch {
	case op == "<>":
		if float(t) {
			return fmt.Sprintf("(%s <> %s OR (isnan(%s) AND isnan(%s)))", l, r, l, r)
		}
		if nested(t) {
			return "(NOT " + p.equal(at, t, l, r) + ")"
		}
	case op == "=":
		return p.equal(at, t, l, r)
	case nested(t):
		return "CASE WHEN " + p.ordered(at, t, l, r) + " THEN (" + l + " " + op + " " + r + ") END"
	case float(t) && op[0] == '<':
		return fmt.Sprintf("(%s %s %s AND NOT (isnan(%s) AND %s IS NOT NULL))", l, op, r, r, l)
	case float(t):
		return fmt.Sprintf("(%s %s %s AND NOT (isnan(%s) AND %s IS NOT NULL))", l, op, r, l, r)
	}
	return "(" + l + " " + op + " " + r + ")"
}

// tally converts a truth value to a number: 2 for true, 1 for NULL, 0 for false. The minimum of several is their AND,
// the maximum their OR.
func tally(truth string) string { return "coalesce(2 * CAST(" + truth + " AS INTEGER), 1)" }

// equal is the text that compares two values for equality.
func (p *printer) equal(at trinosql.Node, t *types.Type, l, r string) string {
	switch {
	case float(t):
		return fmt.Sprintf("(%s = %s AND NOT (isnan(%s) AND isnan(%s)))", l, r, l, r)
	case t.Kind == types.Row:
		terms := make([]string, len(t.Args))
		for i, f := range t.Args {
			terms[i] = p.equal(at, f, field(l, i), field(r, i))
		}
		return "CASE WHEN " + l + " IS NOT NULL AND " + r + " IS NOT NULL THEN (" + strings.Join(terms, " AND ") +
			") END"
	case t.Kind == types.Array:
		e := p.name("x")
		all := "list_transform(list_zip(" + l + ", " + r + "), lambda " + e + ": " +
			tally(p.equal(at, t.Args[0], field(e, 0), field(e, 1))) + ")"
		return "CASE WHEN len(" + l + ") <> len(" + r + ") THEN false WHEN " + l + " IS NOT NULL AND " + r +
			" IS NOT NULL THEN CASE list_min(" + all +
			") WHEN 0 THEN false WHEN 1 THEN NULL ELSE true END END"
	case t.Kind == types.Map:
		k := p.name("x")
		values := p.equal(at, t.Args[1], "list_extract(map_extract("+l+", "+k+"), 1)", "list_extract(map_extract("+r+
			", "+k+"), 1)")
		found := "list_contains(map_keys(" + r + "), " + k + ")"
		if hasFloat(t.Args[0]) { // a key with NaN is found in no map
			found += " AND " + p.equal(at, t.Args[0], k, k)
		}
		all := "list_transform(map_keys(" + l + "), lambda " + k + ": CASE WHEN " + found + " THEN " + tally(values) +
			" ELSE 0 END)"
		return "CASE WHEN cardinality(" + l + ") <> cardinality(" + r + ") THEN false WHEN " + l + " IS NOT NULL AND " +
			r + " IS NOT NULL THEN CASE list_min(" + all +
			") WHEN 0 THEN false WHEN 1 THEN NULL ELSE true END END"
	}
	return "(" + l + " = " + r + ")"
}

// ordered is the text that is true for two values that can be ordered and NULL if one is NULL. It fails for values that
// cannot: those with a NULL before the first difference.
func (p *printer) ordered(at trinosql.Node, t *types.Type, l, r string) string {
	const fails = `CAST("~error"('%s') AS BOOLEAN)`
	null := l + " IS NULL OR " + r + " IS NULL"
	switch t.Kind {
	case types.Row:
		var b strings.Builder
		b.WriteString("CASE WHEN " + null + " THEN NULL")
		for i, f := range t.Args {
			x, y := field(l, i), field(r, i)
			fmt.Fprintf(&b, " WHEN %s IS NULL OR %s IS NULL THEN "+fails, x, y,
				"ROW comparison not supported for fields with null elements")
			fmt.Fprintf(&b, " WHEN %s <> %s THEN ", x, y)
			if nested(f) {
				b.WriteString(p.ordered(at, f, x, y))
			} else {
				b.WriteString("true")
			}
		}
		return b.String() + " ELSE true END"
	case types.Array:
		e, first := p.name("x"), p.name("x")
		found := "list_filter(list_zip(" + l + ", " + r + ", true), lambda " + e + ": " + field(e, 0) + " IS NULL OR " +
			field(e, 1) + " IS NULL OR " + field(e, 0) + " <> " + field(e, 1) + ")[1]"
		inner := "true"
		if nested(t.Args[0]) {
			inner = p.ordered(at, t.Args[0], field(first, 0), field(first, 1))
		}
		return "CASE WHEN " + null + " THEN NULL ELSE list_transform([" + found + "], lambda " + first +
			": CASE WHEN " + first + " IS NULL THEN true WHEN " +
			field(first, 0) + " IS NULL OR " + field(first, 1) + " IS NULL THEN " +
			fmt.Sprintf(fails, "ARRAY comparison not supported for arrays with null elements") + " ELSE " + inner +
			" END)[1] END"
	}
	return "(" + l + " IS NOT NULL AND " + r + " IS NOT NULL)"
}

func field(row string, i int) string { return fmt.Sprintf("struct_extract_at(%s, %d)", row, i+1) }

// eachItem writes an array with the result of write for each element of an array.
func (p *printer) eachItem(x operand, write func(item operand)) {
	e := p.name("x")
	p.put("list_transform(", x, ", lambda ", e, ": ")
	write(p.alias(e))
	p.put(")")
}

// eachField writes a row with the result of write for each field of a row.
func (p *printer) eachField(t *types.Type, x operand, write func(t *types.Type, field operand)) {
	p.bindOnce([]operand{x}, func(args []operand) {
		row := p.capture(args[0].write)
		fields := make([]string, len(t.Args))
		for i, f := range t.Args {
			fields[i] = p.capture(func() { write(f, p.alias(field(row, i))) })
		}
		p.put("CASE WHEN ", row, " IS NOT NULL THEN ", pack(fields), " END")
	})
}

func (p *printer) between(x *trinosql.Between) {
	t := p.typeOf(x.X)
	if x.Not {
		p.put("(NOT ")
		defer p.put(")")
	}
	if !nested(t) && !(float(t) && !p.finite(x.Hi)) {
		p.put("(", x.X, " BETWEEN ", x.Lo, " AND ", x.Hi, ")")
		return
	}
	p.bindOnce([]operand{p.operand(x.X), p.operand(x.Lo), p.operand(x.Hi)}, func(args []operand) {
		v, lo, hi := p.capture(args[0].write), p.capture(args[1].write), p.capture(args[2].write)
		p.put("(", p.compared(x, ">=", t, v, lo), " AND ", p.compared(x, "<=", t, v, hi), ")")
	})
}

func (p *printer) inList(x *trinosql.InList) {
	t := p.typeOf(x.X)
	plain := !nested(t)
	if _, query := x.List[0].(*trinosql.Subquery); query && len(x.List) == 1 {
		plain = false // DuckDB takes IN ((query)) for IN (query)
	}
	if float(t) && !p.finite(x.X) {
		for _, item := range x.List {
			plain = plain && p.finite(item)
		}
	}
	if plain {
		p.put("(", x.X)
		if x.Not {
			p.put(" NOT")
		}
		p.put(" IN (")
		p.list(len(x.List), func(i int) { p.inItem(x.List[i], t) })
		p.put("))")
		return
	}
	if x.Not {
		p.put("(NOT ")
		defer p.put(")")
	}
	args := []operand{p.operand(x.X)}
	for _, item := range x.List {
		args = append(args, p.operand(item))
	}
	p.bindOnce(args, func(args []operand) {
		p.put("(")
		left := p.capture(args[0].write)
		p.w.Join(" OR ", len(args[1:]), func(i int) { p.put(p.equal(x, t, left, p.capture(args[1:][i].write))) })
		p.put(")")
	})
}

// inItem writes an item of IN. An integer literal takes the type of the others by itself, which is parsed faster than a
// cast.
func (p *printer) inItem(x trinosql.Expr, t *types.Type) {
	if n, ok := p.constant(x); ok && t.Integral() {
		p.put(n.String())
		return
	}
	p.expr(x)
}

func (p *printer) isDistinct(x *trinosql.IsDistinct) {
	p.put("(")
	t := p.typeOf(x.L)
	p.canonical(t, p.operand(x.L))
	if x.Not {
		p.put(" IS NOT DISTINCT FROM ")
	} else {
		p.put(" IS DISTINCT FROM ")
	}
	p.canonical(t, p.operand(x.R))
	p.put(")")
}

// canonical writes a value such that equal values are identical to DuckDB: maps, at any depth, are sorted by key.
func (p *printer) canonical(t *types.Type, x operand) {
	if !hasMap(t) {
		x.write()
		return
	}
	switch t.Kind {
	case types.Array:
		p.eachItem(x, func(item operand) { p.canonical(t.Args[0], item) })
	case types.Row:
		p.eachField(t, x, p.canonical)
	case types.Map:
		entries := operand{write: func() { p.put("map_entries(", x, ")") }}
		p.put("map_from_entries(list_sort(")
		p.canonical(types.NewArray(types.NewRow(nil, t.Args)), entries)
		p.put("))")
	}
}
