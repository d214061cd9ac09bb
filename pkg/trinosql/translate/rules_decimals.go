package translate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// decimals computes with exactly the precision and scale of the result. If DuckDB has no type for an intermediate
// result, the function ~decimal is called.
func (p *printer) decimals(c *call, op string) {
	r, x, y := c.bound.Result, c.bound.Args[0], c.bound.Args[1]
	to := p.duckType(c.node, r)
	scale := max(x.Scale, y.Scale)
	common := types.NewDecimal(min(38, max(x.N-x.Scale, y.N-y.Scale)+scale), scale)
	fits := common.N-scale >= max(x.N-x.Scale, y.N-y.Scale) // both fit the common type
	as := func(arg int, t *types.Type) { p.put("CAST(", c.args[arg], " AS ", p.duckType(c.node, t), ")") }
	if p.whereSmall(c, func(fast, guard string) {
		fast = "CAST(" + fast + " AS " + to + ")"
		if guard == "" {
			p.put(fast)
			return
		}
		p.put("CASE WHEN ", guard, " THEN ", fast, " ELSE ", func() { p.decimals(c, op) }, " END")
	}) {
		return
	}
	if fits && r.N > narrow && common.N <= narrow && (op == "+" || op == "-") {
		common = types.NewDecimal(narrow+1, scale)
	}
	switch {
	case op == "*":
		p.put("CAST(")
		if r.N > narrow && x.N <= narrow && y.N <= narrow {
			as(0, types.NewDecimal(narrow+1, x.Scale))
		} else {
			c.args[0].write()
		}
		p.put(" * ", c.args[1], " AS ", to, ")")
	case op != "/" && op != "%" && fits:
		p.put("CAST(")
		as(0, common)
		p.put(" ", op, " ")
		as(1, common)
		p.put(" AS ", to, ")")
	case op == "%" && fits && p.nonZero(c.args[1].expr):
		p.put("CAST(")
		as(0, common)
		p.put(" % ")
		as(1, common)
		p.put(" AS ", to, ")")
	default:
		p.put(`CAST("~decimal"('`, op, "', ")
		as(0, types.NewVarchar(types.Unbounded))
		p.put(", ")
		as(1, types.NewVarchar(types.Unbounded))
		p.put(", '", strconv.Itoa(r.Scale), "') AS ", to, ")")
	}
}

// nonZero reports whether an expression is a literal other than zero.
func (p *printer) nonZero(x trinosql.Expr) bool {
	_, lit := p.numeral(x)
	switch lit := lit.(type) {
	case *trinosql.IntLit:
		return integer(lit.Text).Sign() != 0
	case *trinosql.DecimalLit:
		return strings.Trim(lit.Text, "0._") != ""
	}
	return false
}

// narrow is the number of digits of decimals with which DuckDB computes in 64 bits, and beyond which it fails then.
const narrow = 18

// mostSmall limits the columns of a term, which are compared with their limits for each row.
const mostSmall = 6

// term is a sum, a difference or a product of decimals.
type term struct {
	op      string // "" for a column or a constant
	l, r    *term
	text    string // of a column or a constant, as a decimal of at most 18 digits
	column  string // its name, with its type
	of      string
	scale   int
	value   float64 // the magnitude of a constant
	digits  int     // of a column: the limit of the digits before the point
	natural int     // which its type has
}

// whereSmall writes a call with arithmetic that DuckDB computes in 64 bits if the columns have fewer digits than their
// types allow, as nearly all do. Such arithmetic takes a fifth of the time of that in 128 bits. guard is the condition
// for it, "" for none: DuckDB knows the least and the greatest value of each column of its tables, and replaces most of
// these conditions by TRUE. false means that nothing was written.
func (p *printer) whereSmall(c *call, write func(fast, guard string)) bool {
	r := c.bound.Result
	if p.wide || p.tried != nil || r.N <= narrow {
		return false
	}
	t := p.term(c.node)
	return t != nil && t.scale == r.Scale && p.writeSmall(t, write)
}

func (p *printer) writeSmall(t *term, write func(fast, guard string)) bool {
	columns := t.columns(nil)
	if len(columns) == 0 || len(columns) > mostSmall || !t.limit(columns) {
		return false
	}
	var guards []string
	for _, c := range columns {
		if c.digits == c.natural {
			continue
		}
		most := strings.Repeat("9", c.digits)
		g := c.column + " BETWEEN CAST('-" + most + "' AS " + c.of + ") AND CAST('" + most + "' AS " + c.of + ")"
		if !slices.Contains(guards, g) {
			guards = append(guards, g)
		}
	}
	p.wide = true
	defer func() { p.wide = false }()
	write(t.write(), strings.Join(guards, " AND "))
	return true
}

// term returns the arithmetic of an expression, nil if it has anything but columns, constants, +, - and *.
func (p *printer) term(x trinosql.Expr) *term {
	from, to := p.a.Types[x], p.typeOf(x)
	whole := from.Kind >= types.Tinyint && from.Kind <= types.Bigint
	_, replaced := p.literal[x]
	if replaced || to.Kind != types.Decimal || !whole && !types.Equal(from, to) {
		return nil
	}
	if sign, lit := p.numeral(x); lit != nil {
		v, ok := p.constantDouble(x)
		digits := len(strings.Trim(strconv.FormatFloat(math.Abs(v), 'f', to.Scale, 64), "-."))
		if !ok || digits > narrow {
			return nil
		}
		t := types.NewDecimal(max(digits, to.Scale+1), to.Scale)
		return &term{text: p.capture(func() { p.numberAs(sign, lit, t) }), scale: to.Scale, value: math.Abs(v)}
	}
	if b, ok := x.(*trinosql.Binary); ok {
		if _, key := p.grouped[p.a.Key(x)]; key || whole || p.a.Operators[x] == nil || !strings.Contains("+-*", b.Op) {
			return nil
		}
		t := &term{op: b.Op, l: p.term(b.L), r: p.term(b.R)}
		if t.l == nil || t.r == nil {
			return nil
		}
		if t.scale = max(t.l.scale, t.r.scale); t.op == "*" {
			t.scale = t.l.scale + t.r.scale
		}
		return t
	}
	if p.a.Columns[x] == nil || to.N > narrow && !whole {
		return nil
	}
	t := &term{column: p.capture(func() { p.plain(x) }), of: p.duckType(x, from), scale: to.Scale,
		natural: to.N - to.Scale}
	t.text, t.digits = t.column, t.natural
	if whole {
		t.digits = min(t.natural, narrow-1)
		t.text = "CAST(" + t.column + " AS DECIMAL(" + strconv.Itoa(min(to.N, narrow)) + ",0))"
	}
	return t
}

func (t *term) columns(to []*term) []*term {
	switch {
	case t.op != "":
		return t.r.columns(t.l.columns(to))
	case t.column != "":
		return append(to, t)
	}
	return to
}

// limit limits the digits of the columns such that no step has more than 18. A column beside a constant, as in 1 -
// discount, is likely a rate, which has few.
func (t *term) limit(columns []*term) bool {
	t.limitRates()
	const least = 3
	for {
		if _, fits := t.most(); fits {
			return true
		}
		widest := slices.MaxFunc(columns, func(a, b *term) int { return a.digits - b.digits })
		if widest.digits <= least {
			return false
		}
		widest.digits--
	}
}

func (t *term) limitRates() {
	if t.op == "" {
		return
	}
	for _, pair := range [][2]*term{{t.l, t.r}, {t.r, t.l}} {
		if t.op != "*" && pair[0].column != "" && pair[1].op == "" && pair[1].column == "" {
			pair[0].digits = min(pair[0].digits, 2)
		}
		pair[0].limitRates()
	}
}

// most is a magnitude that no value of a term has, and whether it and all within it fit 18 digits.
func (t *term) most() (m float64, fits bool) {
	switch {
	case t.column != "":
		return math.Pow10(t.digits), true
	case t.op == "":
		return t.value, true
	}
	l, fits1 := t.l.most()
	r, fits2 := t.r.most()
	if m = l + r; t.op == "*" {
		m = l * r
	}
	return m, fits1 && fits2 && t.scale < narrow && m*math.Pow10(t.scale) < 0.99*math.Pow10(narrow)
}

func (t *term) write() string {
	if t.op == "" {
		return t.text
	}
	return "(" + t.l.write() + " " + t.op + " " + t.r.write() + ")"
}

// sumSmall writes the sum of a term as one of the rows for which 64 bits are enough and one of the others. false means
// that nothing was written.
func (p *printer) sumSmall(c *call) bool {
	fn, of, to := c.fn, c.bound.Args[0], p.duckType(c.node, c.bound.Result)
	if fn == nil || fn.Distinct || len(fn.OrderBy) > 0 || p.a.Windows[fn] != nil || p.wide || p.tried != nil ||
		of.N <= narrow {
		return false
	}
	t := p.term(fn.Args[0])
	if t == nil || t.op == "" || t.scale != of.Scale {
		return false
	}
	slow := c.args[0].write
	return p.writeSmall(t, func(fast, guard string) {
		with := *c
		sum := func(text string) {
			with.args = []operand{{write: func() { p.put(text) }}}
		}
		if guard == "" {
			sum(fast)
			p.wrapped(&with, "sum($1)", "CAST($0 AS "+to+")")
			return
		}
		sum("CASE WHEN " + guard + " THEN " + fast + " END")
		small := p.capture(func() { p.wrapped(&with, "sum($1)", "CAST($0 AS "+to+")") })
		sum("CASE WHEN " + guard + " THEN NULL ELSE " + p.capture(slow) + " END")
		p.wrapped(&with, "sum($1)", "CASE WHEN $0 IS NULL THEN "+small+" ELSE coalesce("+small+", CAST('0' AS "+to+
			")) + ")
		p.sumChecked(&with)
		p.put(" END")
	})
}

// sumChecked writes the sum of decimals, which has at most 38 digits.
func (p *printer) sumChecked(c *call) {
	to := p.duckType(c.node, c.bound.Result)
	if c.bound.Args[0].N < 30 { // more than 38 digits would take at least a billion rows
		p.wrapped(c, "sum($1)", "CAST($0 AS "+to+")")
		return
	}
	limit := "CAST('" + strings.Repeat("9", 38-c.bound.Result.Scale) + "." + strings.Repeat("9",
		c.bound.Result.Scale) + "' AS " + to + ")"
	p.wrapped(c, "sum($1)", `list_transform([$0], lambda "~s": CASE WHEN "~s" BETWEEN -`+limit+" AND "+limit+
		` THEN CAST("~s" AS `+to+`) WHEN "~s" IS NOT NULL THEN "~error"('Decimal overflow') END)[1]`)
}
