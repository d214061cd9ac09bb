package analyze

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// want coerces an expression to a type.
func (z *analyzer) want(x trinosql.Expr, c context, to *types.Type, what string) {
	z.coerce(x, z.visit(x, c), to, what)
}

func (z *analyzer) coerce(x trinosql.Expr, from, to *types.Type, what string) {
	if types.Equal(from, to) {
		return
	}
	if !types.CanCoerce(from, to) {
		fail("TYPE_MISMATCH", x, "%s must evaluate to a %s (actual: %s)", what, to, from)
	}
	z.rec.Coercions[x] = to
}

// single coerces expressions to their common type.
func (z *analyzer) single(c context, what string, list []trinosql.Expr) *types.Type {
	common := unknown
	var kinds []*types.Type // without duplicates, in order
	var first []trinosql.Expr
	last := -1
	of := make([]int, len(list))
	for i, x := range list {
		t := z.visit(x, c)
		if last < 0 || !types.Equal(kinds[last], t) {
			last = -1
			for j, k := range kinds {
				if types.Equal(k, t) {
					last = j
					break
				}
			}
			if last < 0 {
				last = len(kinds)
				kinds, first = append(kinds, t), append(first, x)
			}
		}
		of[i] = last
	}
	mismatch := func(i int) {
		all := make([]string, len(kinds))
		for i, t := range kinds {
			all[i] = t.String()
		}
		hinted("TYPE_MISMATCH", "", first[i], mixedHint(first, kinds), "%s must be the same type or coercible to a "+
			"common type. Cannot find common type between %s and %s, all types (without duplicates): [%s]",
			what, common, kinds[i], strings.Join(all, ", "))
	}
	for i, t := range kinds {
		super := types.Common(common, t)
		if super == nil {
			mismatch(i)
		}
		common = super
	}
	for i, t := range kinds {
		if !types.CanCoerce(t, common) {
			mismatch(i)
		}
	}
	for i, x := range list {
		if !types.Equal(kinds[of[i]], common) {
			z.rec.Coercions[x] = common
		}
	}
	return common
}

// operator resolves an operator and its operands.
func (z *analyzer) operator(x trinosql.Expr, name string, c context, args ...trinosql.Expr) *types.Type {
	given := make([]*types.Type, len(args))
	for i, a := range args {
		given[i] = z.visit(a, c)
	}
	b, err := z.resolveOperator(name, given...)
	if err != nil {
		hint := mixedHint(args, given)
		if name == "ADD" && given[0].Text() && given[1].Text() {
			hint = "texts are joined with ||"
		}
		failOperator(x, err, hint)
	}
	for i, a := range args {
		z.coerce(a, given[i], b.Args[i], fmt.Sprintf("Operator %s argument %d", b, i))
	}
	z.rec.Operators[x] = b
	return b.Result
}

// failOperator ends the analysis for an operator that is not defined for its operands.
func failOperator(x trinosql.Node, err error, hint string) {
	if e, ok := err.(*functions.Error); ok && e.Kind != "OPERATOR_NOT_FOUND" {
		failNowhere(e.Kind, "%s", e.Msg)
	}
	hinted("TYPE_MISMATCH", "", x, hint, "%s", err)
}

func (z *analyzer) resolveOperator(name string, args ...*types.Type) (*functions.Bound, error) {
	key := newCallKey(true, name, args)
	if b := z.calls[key]; b != nil {
		return b, nil
	}
	b, err := functions.ResolveOperator(name, args...)
	if err == nil {
		z.calls[key] = b
	}
	return b, err
}

func (z *analyzer) unary(x *trinosql.Unary, c context) *types.Type {
	if x.Op == "-" {
		if t := negativeLiteral(x); t != nil {
			z.rec.Types[x.X] = t
			return t
		}
		return z.operator(x, "NEGATION", c, x.X)
	}
	t := z.visit(x.X, c)
	if t.Kind < types.Tinyint || t.Kind > types.Double {
		fail("TYPE_MISMATCH", x, "Unary '+' operator cannot by applied to %s type", t)
	}
	return t
}

var arithmetic = map[string]string{"+": "ADD", "-": "SUBTRACT", "*": "MULTIPLY", "/": "DIVIDE", "%": "MODULUS"}

func (z *analyzer) binary(x *trinosql.Binary, c context) *types.Type {
	if x.Op == "||" {
		return z.function(x, "concat", []trinosql.Expr{x.L, x.R}, c)
	}
	return z.operator(x, arithmetic[x.Op], c, x.L, x.R)
}

var comparisons = map[string]string{"=": "EQUAL", "<>": "EQUAL", "<": "LESS_THAN", ">": "LESS_THAN",
	"<=": "LESS_THAN_OR_EQUAL", ">=": "LESS_THAN_OR_EQUAL"}

func (z *analyzer) compare(x *trinosql.Compare, c context) *types.Type {
	return z.operator(x, comparisons[x.Op], c, x.L, x.R)
}

func (z *analyzer) between(x *trinosql.Between, c context) *types.Type {
	v, lo, hi := z.visit(x.X, c), z.visit(x.Lo, c), z.visit(x.Hi, c)
	common := types.Common(v, lo)
	if common != nil {
		common = types.Common(common, hi)
	}
	if common == nil || !common.Orderable() {
		hint := mixedHint([]trinosql.Expr{x.X, x.Lo}, []*types.Type{v, lo})
		if hint == "" {
			hint = mixedHint([]trinosql.Expr{x.X, x.Hi}, []*types.Type{v, hi})
		}
		hinted("TYPE_MISMATCH", "", x, hint, "Cannot check if %s is BETWEEN %s and %s", v, lo, hi)
	}
	for i, t := range []*types.Type{v, lo, hi} {
		if !types.Equal(t, common) {
			z.rec.Coercions[[]trinosql.Expr{x.X, x.Lo, x.Hi}[i]] = common
		}
	}
	return boolean
}

func (z *analyzer) like(x *trinosql.LikeExpr, c context) *types.Type {
	if t := z.visit(x.X, c); !t.Text() {
		z.want(x.X, c, varchar, "Left side of LIKE expression")
	}
	if t := z.visit(x.Pattern, c); t.Kind != types.Varchar {
		z.want(x.Pattern, c, varchar, "Pattern for LIKE expression")
	}
	if x.Escape != nil {
		if t := z.visit(x.Escape, c); t.Kind != types.Varchar {
			z.want(x.Escape, c, varchar, "Escape for LIKE expression")
		}
	}
	return boolean
}

func (z *analyzer) caseOf(x *trinosql.Case, c context) *types.Type {
	if x.Operand == nil {
		for _, w := range x.Whens {
			z.want(w.Cond, c, boolean, "CASE WHEN clause")
		}
	} else {
		operand := z.visit(x.Operand, c)
		common := operand
		for _, w := range x.Whens {
			t := z.visit(w.Cond, c)
			super := types.Common(common, t)
			if super == nil {
				fail("TYPE_MISMATCH", w.Cond, "CASE operand type does not match WHEN clause operand type: %s vs %s",
					operand, t)
			}
			common = super
		}
		if !types.Equal(operand, common) {
			z.rec.Coercions[x.Operand] = common
		}
		for _, w := range x.Whens {
			if !types.Equal(z.rec.Types[w.Cond], common) {
				z.rec.Coercions[w.Cond] = common
			}
		}
	}
	var results []trinosql.Expr
	for _, w := range x.Whens {
		results = append(results, w.Then)
	}
	return z.single(c, "All CASE results", append(results, some(x.Else)...))
}

func (z *analyzer) cast(x *trinosql.Cast, c context) *types.Type {
	to, err := types.FromTree(x.Type)
	if err != nil {
		failType(x, err)
	}
	if to.Kind == types.Unknown {
		fail("TYPE_MISMATCH", x, "UNKNOWN is not a valid type")
	}
	from := z.visit(x.X, c)
	if !z.canCast(from, to) {
		fail("TYPE_MISMATCH", x, "Cannot cast %s to %s", from, to)
	}
	return to
}

// failType ends the analysis for a type that does not exist.
func failType(x trinosql.Node, err error) {
	switch err.(type) {
	case *types.RangeError:
		failNowhere("INVALID_FUNCTION_ARGUMENT", "%s", err)
	case *types.UnsupportedError:
		failNowhere("NOT_SUPPORTED", "%s", err)
	}
	hint := ""
	if u, ok := err.(*types.UnknownError); ok {
		hint = typeHint(u.Text)
	}
	hinted("TYPE_MISMATCH", "", x, hint, "%s", err)
}

func (z *analyzer) canCast(from, to *types.Type) bool {
	key := [2]string{from.Signature(), to.Signature()}
	can, ok := z.casts[key]
	if !ok {
		can = functions.CanCast(from, to)
		z.casts[key] = can
	}
	return can
}

func (z *analyzer) subscript(x *trinosql.Subscript, c context) *types.Type {
	base := z.visit(x.X, c)
	if base.Kind != types.Row {
		return z.operator(x, "SUBSCRIPT", c, x.X, x.Index)
	}
	lit, ok := x.Index.(*trinosql.IntLit)
	if !ok {
		fail("EXPRESSION_NOT_CONSTANT", x.Index, "Subscript expression on ROW requires a constant index")
	}
	if t := z.visit(x.Index, c); t.Kind != types.Integer {
		fail("TYPE_MISMATCH", x.Index, "Subscript expression on ROW requires integer index, found %s", t)
	}
	n := int(integer(lit))
	if n <= 0 {
		fail("INVALID_FUNCTION_ARGUMENT", x.Index, "Invalid subscript index: %d. ROW indices start at 1", n)
	}
	if n > len(base.Args) {
		fail("INVALID_FUNCTION_ARGUMENT", x.Index, "Subscript index out of bounds: %d, max value is %d", n,
			len(base.Args))
	}
	z.rec.Fields[x] = n - 1
	return base.Args[n-1]
}

func (z *analyzer) grouping(x *trinosql.Grouping, c context) *types.Type {
	if len(x.Columns) > 63 {
		fail("TOO_MANY_ARGUMENTS", x, "GROUPING supports up to %d column arguments", 63)
	}
	for _, col := range x.Columns {
		z.visit(col, c)
	}
	if len(x.Columns) <= 31 {
		return types.Of(types.Integer)
	}
	return bigint
}
