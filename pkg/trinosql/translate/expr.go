package translate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// typeOf is the type of an expression after coercion.
func (p *printer) typeOf(x trinosql.Expr) *types.Type {
	if t := p.a.Coercions[x]; t != nil {
		return t
	}
	return p.a.Types[x]
}

// expr writes an expression, cast to the type it is coerced to. The result can be an operand of anything: operators are
// parenthesized.
func (p *printer) expr(x trinosql.Expr) {
	to := p.a.Coercions[x]
	if to == nil || types.Equal(to, p.a.Types[x]) {
		p.plain(x)
		return
	}
	if sign, lit := p.numeral(x); lit != nil && to.Kind >= types.Tinyint && to.Kind <= types.Decimal {
		p.numberAs(sign, lit, to)
		return
	}
	if p.grouped == nil && p.remade(x, to) {
		return
	}
	p.convert(x, p.a.Types[x], to, operand{write: func() { p.plain(x) },
		cheap: p.plainCheap(x)})
}

// remade writes a row or array constructor as another type, by converting its values.
func (p *printer) remade(x trinosql.Expr, to *types.Type) bool {
	switch x := x.(type) {
	case *trinosql.Row:
		if to.Kind != types.Row {
			return false
		}
		p.put("struct_pack(")
		p.list(len(x.Items), func(i int) {
			p.put(fmt.Sprintf("f%d := ", i+1))
			p.cell(x.Items[i], to.Args[i])
		})
		p.put(")")
		return true
	case *trinosql.Array:
		if to.Kind != types.Array || len(x.Items) == 0 {
			return false
		}
		p.put("[")
		p.list(len(x.Items), func(i int) { p.cell(x.Items[i], to.Args[0]) })
		p.put("]")
		return true
	}
	return false
}

// plain writes an expression without its coercion.
func (p *printer) plain(x trinosql.Expr) {
	if s, ok := p.literal[x]; ok {
		p.put(s)
		return
	}
	if p.grouped != nil {
		if s, ok := p.grouped[p.a.Key(x)]; ok {
			p.column(s)
			return
		}
	}
	switch x := x.(type) {
	case *trinosql.Ident:
		p.ident(x, x)
	case *trinosql.Deref:
		p.deref(x)
	case *trinosql.NullLit, *trinosql.IsNull, *trinosql.Not:
		p.w.Usual(x)
	case *trinosql.BoolLit, *trinosql.StringLit, *trinosql.BinaryLit, *trinosql.IntLit,
		*trinosql.DecimalLit, *trinosql.DoubleLit,
		*trinosql.TypedLit, *trinosql.IntervalLit, *trinosql.Param:
		p.literalValue(x)
	case *trinosql.Unary:
		p.unary(x)
	case *trinosql.Binary:
		p.binary(x)
	case *trinosql.Compare:
		p.compare(x)
	case *trinosql.Quantified:
		p.quantified(x)
	case *trinosql.Between:
		p.between(x)
	case *trinosql.InList:
		p.inList(x)
	case *trinosql.InQuery:
		p.inQuery(x)
	case *trinosql.LikeExpr:
		p.like(x)
	case *trinosql.IsDistinct:
		p.isDistinct(x)
	case *trinosql.Logic:
		p.logic(x)
	case *trinosql.Func:
		p.function(x)
	case *trinosql.Lambda:
		p.lambda(x)
	case *trinosql.Subquery:
		p.scalar(x)
	case *trinosql.Exists:
		p.outOfTry(func() { p.put("(EXISTS (", func() { p.query(x.Query) }, "))") })
	case *trinosql.Case:
		p.caseOf(x)
	case *trinosql.Cast:
		p.castExpr(x)
	default:
		p.special(x)
	}
}

// logic writes terms joined by AND or OR. Trino evaluates them from left to right until the result is known, DuckDB
// evaluates all: a term that may fail is written such that it is evaluated only if the preceding ones leave the result
// open.
func (p *printer) logic(x *trinosql.Logic) {
	for _, t := range x.Terms {
		// decided before any other term is evaluated
		if b, ok := t.(*trinosql.BoolLit); ok && b.Value == (x.Op == "OR") {
			p.literalValue(b)
			return
		}
	}
	texts := make([]string, len(x.Terms))
	last := 0 // the last term that may fail
	for i, t := range x.Terms {
		texts[i] = p.capture(func() { p.expr(t) })
		if i > 0 && strings.Contains(texts[i], `"(`) {
			last = i
		}
	}
	const short = 150 // a longer text is not written twice
	test, answer := " IS FALSE", " THEN false"
	if x.Op == "OR" {
		test, answer = "", " THEN true"
	}
	guards := 0
	for _, text := range texts[:last] {
		if len(text) <= short {
			if guards++; guards == 1 {
				p.put("CASE")
			}
			p.put(" WHEN ", text, test, answer)
		}
	}
	if guards > 0 {
		p.put(" ELSE ")
		defer p.put(" END")
	}
	p.put("(", strings.Join(texts, " "+x.Op+" "), ")")
}

// special writes the expressions with a syntax of their own.
func (p *printer) special(x trinosql.Expr) {
	switch x := x.(type) {
	case *trinosql.Grouping:
		p.outOfTry(func() { p.grouping(x) })
	case *trinosql.Listagg:
		p.outOfTry(func() { p.listagg(x) })
	case *trinosql.Current:
		p.current(x)
	case *trinosql.JSONFunc:
		p.jsonFunc(x)
	case *trinosql.JSONObject:
		p.jsonObject(x)
	case *trinosql.JSONArray:
		p.jsonArray(x)
	case *trinosql.Array:
		p.array(x)
	case *trinosql.Row:
		p.row(x)
	case *trinosql.Subscript:
		p.subscript(x)
	case *trinosql.Trim:
		p.formCall(x, x.X, x.Chars)
	case *trinosql.Substring:
		p.formCall(x, x.X, x.From, x.For)
	case *trinosql.Position:
		p.formCall(x, x.X, x.Sub)
	case *trinosql.Normalize:
		p.normalize(x)
	case *trinosql.Extract:
		p.extract(x)
	case *trinosql.IntervalLit:
		p.interval(x)
	case *trinosql.AtTimeZone:
		p.atTimeZone(x)
	default:
		p.refuse(x, "%s is not supported on zone local", strings.TrimPrefix(fmt.Sprintf("%T", x), "*trinosql."))
	}
}

// ident writes the name of a column or of a lambda parameter.
func (p *printer) ident(x *trinosql.Ident, at trinosql.Expr) {
	if l := p.a.Lambdas[x]; l != nil {
		p.put(p.lambdas[l.Lambda][l.Index])
		return
	}
	c := p.a.Columns[at]
	if c == nil {
		panic("a name without a meaning: " + x.Name)
	}
	if c.OfOutput {
		p.column(p.output(c.Index))
		return
	}
	ref, ok := p.fields[c.Field]
	if !ok {
		panic("a column of no relation: " + x.Name)
	}
	if c.Outer > 0 {
		p.noOuterMap(at, c.Field)
		if p.tried != nil {
			p.tried.outer = true
		}
	}
	p.column(ref)
}

// column writes the reference of a column. In TRY within a lambda it is moved out of TRY: DuckDB does not find grouping
// keys there.
func (p *printer) column(ref string) {
	if p.tried != nil && p.tried.columns {
		p.outOfTry(func() { p.put(ref) })
		return
	}
	p.put(ref)
}

func (p *printer) deref(x *trinosql.Deref) {
	if p.a.Columns[x] != nil {
		p.ident(x.Field, x)
		return
	}
	p.put("struct_extract_at(", x.Base, ", ", fmt.Sprint(p.a.Fields[x]+1), ")")
}

func (p *printer) caseOf(x *trinosql.Case) {
	if x.Operand != nil {
		if t := p.typeOf(x.Operand); nested(t) || float(t) && !p.finite(x.Operand) {
			p.caseCompared(x, t)
			return
		}
	}
	p.w.Usual(x)
}

// caseCompared writes CASE x WHEN where DuckDB would compare differently. The index of the first equal value is
// determined first.
func (p *printer) caseCompared(x *trinosql.Case, t *types.Type) {
	operands := []operand{p.operand(x.Operand)}
	for _, w := range x.Whens {
		operands = append(operands, p.operand(w.Cond))
	}
	p.put("CASE ")
	p.bindOnce(operands, func(args []operand) {
		left := p.capture(args[0].write)
		p.put("CASE")
		for i, a := range args[1:] {
			p.put(" WHEN ", p.equal(x, t, left, p.capture(a.write)), " THEN ", strconv.Itoa(i+1))
		}
		p.put(" END")
	})
	for i, w := range x.Whens {
		p.put(" WHEN ", strconv.Itoa(i+1), " THEN ", w.Then)
	}
	if x.Else != nil {
		p.put(" ELSE ", x.Else)
	}
	p.put(" END")
}

// lambda writes a lambda.
func (p *printer) lambda(x *trinosql.Lambda) {
	if t := p.tried; t != nil {
		t.lambdas++
		defer func() { t.lambdas-- }()
	}
	trinosql.Inspect(x.Body, func(n trinosql.Node) bool {
		if _, ok := n.(*trinosql.Exists); ok {
			p.refuse(n, "EXISTS in a lambda is not supported on zone local")
		}
		return true
	})
	names := make([]string, len(x.Params))
	for i := range names {
		names[i] = p.name("x")
	}
	p.lambdas[x] = names
	p.put("lambda ")
	p.list(len(names), func(i int) { p.put(names[i]) })
	p.put(": ", x.Body)
}

func (p *printer) function(x *trinosql.Func) {
	if x.Measure {
		p.refuse(x, "row pattern recognition in a window is not supported on zone local: "+noPatterns)
	}
	if form := p.a.Specials[x]; form != "" {
		p.form(x, form)
		return
	}
	c := &call{node: x, bound: p.a.Calls[x], fn: x}
	for _, a := range x.Args {
		c.args = append(c.args, p.operand(a))
	}
	if c.bound.Function.Kind != functions.Scalar { // its errors are not caught by TRY
		if w := p.a.Windows[x]; w != nil {
			p.noOuterWindow(x, w)
		}
		p.outOfTry(func() { p.call(c) })
		return
	}
	p.call(c)
}

// form writes a special form, which looks like a function.
func (p *printer) form(x *trinosql.Func, form string) {
	switch form {
	case "if":
		p.put("CASE WHEN ", x.Args[0], " THEN ", x.Args[1])
		if len(x.Args) > 2 {
			p.put(" ELSE ", x.Args[2])
		}
		p.put(" END")
	case "coalesce":
		p.put("coalesce(", x.Args, ")")
	case "try":
		p.try(x.Args[0])
	default:
		if r := writers.get().rules[form]; r != nil {
			r(p, &call{node: x, fn: x})
			return
		}
		p.refuse(x, "%s is not supported on zone local", form)
	}
}

// After an error, TRY of DuckDB 1.5 evaluates rows one by one, and then a CASE or coalesce that is its direct operand
// writes beyond a vector of one value: rows get wrong values, and other memory is overwritten. As operands of a
// function they have a vector of their own.
const tryOpen, tryClose = "TRY([", "][1])"

func quoteText(s string) string { return sqltext.DuckDBLiteral(s) }
