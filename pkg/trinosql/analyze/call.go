package analyze

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func (z *analyzer) call(x *trinosql.Func, c context) *types.Type {
	name := funcName(x)
	if t := z.special(x, name, c); t != nil {
		z.rec.Specials[x] = name
		return t
	}
	aggregate := functions.IsKind(name, functions.Aggregate)
	if x.Label != nil {
		if c.pattern == nil || name != "count" {
			fail("INVALID_FUNCTION_ARGUMENT", x.Label,
				"label.* syntax is only supported as the only argument of row pattern count function")
		}
		c.label(x.Label)
	}
	if c.pattern != nil {
		if t := z.patternCall(x, name, c); t != nil {
			z.rec.Specials[x] = name
			return t
		}
	}
	switch {
	case x.Mode != "" && c.pattern == nil:
		fail("INVALID_PROCESSING_MODE", x, "%s semantics is not supported out of pattern recognition context", x.Mode)
	case x.Mode != "" && !aggregate:
		fail("INVALID_PROCESSING_MODE", x,
			"%s semantics is supported only for FIRST(), LAST() and aggregation functions. Actual: %s", x.Mode, name)
	}
	if isWindow(x) {
		w := z.windows[x]
		if w == nil {
			w = z.resolveWindow(x.Over, x.OverName)
			z.windows[x] = w
		}
		z.an.Windows[x] = &w.Window
		if x.Over != nil {
			z.window(w, c, x.Over)
		}
		if x.Measure {
			z.rec.Specials[x] = name
			return z.measure(x, w)
		}
	} else if x.Distinct && !aggregate {
		fail("FUNCTION_NOT_AGGREGATE", x, "DISTINCT is not supported for non-aggregation functions")
	}
	if x.Filter != nil {
		z.want(x.Filter, c, boolean, "Filter expression")
	}
	b, given := z.resolve(x, name, x.Args, c)
	if len(x.Args) > 127 {
		fail("TOO_MANY_ARGUMENTS", x, "Too many arguments for function call %s()", b.Function.Name)
	}
	for _, s := range x.OrderBy {
		if t := z.visit(s.Expr, c); !t.Orderable() {
			fail("TYPE_MISMATCH", x, "ORDER BY can only be applied to orderable types (actual: %s)", t)
		}
	}
	for _, t := range b.Args {
		if x.Distinct && !t.Comparable() {
			fail("TYPE_MISMATCH", x, "DISTINCT can only be applied to comparable types (actual: %s)", t)
		}
	}
	z.bindArgs(x, b, x.Args, given, c)
	return b.Result
}

// function resolves a syntax form that is equivalent to a function call.
func (z *analyzer) function(x trinosql.Expr, name string, args []trinosql.Expr, c context) *types.Type {
	b, given := z.resolve(x, name, args, c)
	z.bindArgs(x, b, args, given, c)
	return b.Result
}

// callKey is a function or an operator and the types that it is called with.
type callKey struct {
	operator    bool
	name, types string
}

func newCallKey(operator bool, name string, of []*types.Type) callKey {
	var b strings.Builder
	for _, t := range of {
		b.WriteString(t.Signature()) // names in it are quoted
		b.WriteByte('|')
	}
	return callKey{operator, name, b.String()}
}

// resolve finds the signature of a call, and the types of its arguments; the type of a lambda is nil.
func (z *analyzer) resolve(x trinosql.Expr, name string, args []trinosql.Expr,
	c context) (*functions.Bound, []*types.Type) {
	list, given := make([]functions.Arg, len(args)), make([]*types.Type, len(args))
	lambdas := false
	for i, a := range args {
		if l, ok := a.(*trinosql.Lambda); ok {
			lambdas = true
			list[i].Lambda = func(params []*types.Type) (*types.Type, error) { return z.tryLambda(l, params, c) }
			continue
		}
		given[i] = z.visit(a, c)
		list[i].Type = given[i]
	}
	var key callKey
	if !lambdas {
		if key = newCallKey(false, name, given); z.calls[key] != nil {
			return z.calls[key], given
		}
	}
	b, err := functions.Resolve(name, list, z.declares[strings.ToLower(name)]...)
	switch e := err.(type) {
	case nil:
	case *functions.Error:
		if _, trim := x.(*trinosql.Trim); trim || e.Kind == "INVALID_FUNCTION_ARGUMENT" {
			failNowhere(e.Kind, "%s", e.Msg)
		}
		hint := ""
		if len(functions.Named(strings.ToLower(name))) == 0 && z.declares[strings.ToLower(name)] == nil {
			hint = functionHint(name)
		} else if name == "concat" {
			hint = joinHint(args, given)
		}
		hinted(e.Kind, name, x, hint, "%s", e.Msg)
	case *Error:
		panic(failure{e})
	default:
		fail("GENERIC_INTERNAL_ERROR", x, "%s", err)
	}
	if !lambdas {
		z.calls[key] = b
	}
	return b, given
}

// bindArgs coerces the arguments to the parameter types of the signature.
func (z *analyzer) bindArgs(x trinosql.Expr, b *functions.Bound, args []trinosql.Expr, given []*types.Type, c context) {
	for i, a := range args {
		if given[i] == nil {
			inner := c
			inner.params, inner.expectLambda = b.Args[i].Args[:len(b.Args[i].Args)-1], true
			z.visit(a, inner)
			continue
		}
		z.coerce(a, given[i], b.Args[i], fmt.Sprintf("Function %s argument %d", b.Function.Name, i))
	}
	z.rec.Calls[x] = b
}

// lambdaBody is the analysis of a lambda's body for given parameter types.
type lambdaBody struct {
	params []*types.Type
	rec    *Expressions
	result *types.Type
	err    error
}

// tryLambda returns the type of a lambda's body for given parameter types, without committing to them.
func (z *analyzer) tryLambda(l *trinosql.Lambda, params []*types.Type, c context) (*types.Type, error) {
next:
	for _, b := range z.lambdas[l] {
		if len(b.params) == len(params) {
			for i := range params {
				if !types.Equal(b.params[i], params[i]) {
					continue next
				}
			}
			return b.result, b.err
		}
	}
	outer := z.rec
	b := &lambdaBody{params: params, rec: newExpressions()}
	z.rec = b.rec
	b.err = z.guard(func() { b.result = z.lambdaBody(l, params, c) })
	z.rec = outer
	z.lambdas[l] = append(z.lambdas[l], b)
	return b.result, b.err
}

// lambda resolves a lambda with the parameter types of the chosen signature.
func (z *analyzer) lambda(x *trinosql.Lambda, c context) *types.Type {
	if !c.expectLambda {
		z.scalarOnly(x, x.Body, "Lambda expression")
		fail("TYPE_MISMATCH", x, "Lambda expression should always be used inside a function")
	}
	result, err := z.tryLambda(x, c.params, c)
	if err != nil {
		panic(failure{err.(*Error)})
	}
	for _, b := range z.lambdas[x] {
		if b.result == result && sameTypes(b.params, c.params) {
			z.rec.merge(b.rec)
			break
		}
	}
	return types.NewFunction(c.params, result)
}

func sameTypes(a, b []*types.Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !types.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (z *analyzer) lambdaBody(l *trinosql.Lambda, params []*types.Type, c context) *types.Type {
	z.scalarOnly(l.Body, l.Body, "Lambda expression")
	if len(params) != len(l.Params) {
		fail("INVALID_PARAMETER_USAGE", l, "Expected a lambda that takes %d argument(s) but got %d",
			len(params), len(l.Params))
	}
	fields := make([]*Field, len(params))
	for i, p := range l.Params {
		fields[i] = &Field{Name: p.Name, Type: params[i]}
	}
	s := c.scope.inner(newRelation(fields))
	s.lambda = l
	for _, p := range l.Params {
		s.resolve(p, []string{p.Lower()}) // a duplicate name
	}
	inner := c.here()
	inner.scope, inner.inLambda = s, true
	return z.visit(l.Body, inner)
}

// merge adds the entries of another record.
func (e *Expressions) merge(o *Expressions) {
	for k, v := range o.Types {
		e.Types[k] = v
	}
	for k, v := range o.Coercions {
		e.Coercions[k] = v
	}
	for k, v := range o.Columns {
		e.Columns[k] = v
	}
	for k, v := range o.Fields {
		e.Fields[k] = v
	}
	for k, v := range o.Lambdas {
		e.Lambdas[k] = v
	}
	for k, v := range o.Calls {
		e.Calls[k] = v
	}
	for k, v := range o.Specials {
		e.Specials[k] = v
	}
	for k, v := range o.Operators {
		e.Operators[k] = v
	}
}

// special resolves the special forms that are written as function calls. It returns nil for other calls.
func (z *analyzer) special(x *trinosql.Func, name string, c context) *types.Type {
	check := func(ok bool, msg string) {
		switch {
		case !ok:
			fail("SYNTAX_ERROR", x, "%s", msg)
		case isWindow(x):
			fail("SYNTAX_ERROR", x, "OVER clause not valid for '%s' function", name)
		case x.Distinct:
			fail("SYNTAX_ERROR", x, "DISTINCT not valid for '%s' function", name)
		case x.Nulls != "":
			fail("SYNTAX_ERROR", x, "Null treatment clause not valid for '%s' function", name)
		case x.Filter != nil:
			fail("SYNTAX_ERROR", x, "FILTER not valid for '%s' function", name)
		}
	}
	switch name {
	case "if":
		check(len(x.Args) == 2 || len(x.Args) == 3, "Invalid number of arguments for 'if' function")
		z.want(x.Args[0], c, boolean, "IF condition")
		if len(x.Args) == 2 {
			return z.visit(x.Args[1], c)
		}
		return z.pair(x, "Result types for IF must be the same", x.Args[1], x.Args[2], c)
	case "nullif":
		check(len(x.Args) == 2, "Invalid number of arguments for 'nullif' function")
		a, b := z.visit(x.Args[0], c), z.visit(x.Args[1], c)
		if types.Common(a, b) == nil {
			fail("TYPE_MISMATCH", x, "Types are not comparable with NULLIF: %s vs %s", a, b)
		}
		return a
	case "coalesce":
		check(len(x.Args) >= 2, "The 'coalesce' function must have at least two arguments")
		return z.single(c, "All COALESCE operands", x.Args)
	case "try":
		check(len(x.Args) == 1, "The 'try' function must have exactly one argument")
		return z.visit(x.Args[0], c)
	case "format":
		check(len(x.Args) >= 2, "The 'format' function must have at least two arguments")
		for i, a := range x.Args {
			t := z.visit(a, c)
			if i == 0 && t.Kind != types.Varchar {
				fail("TYPE_MISMATCH", a, "Type of first argument to format() must be VARCHAR (actual: %s)", t)
			}
			if i > 0 && !z.formats(t) {
				fail("NOT_SUPPORTED", a, "Type not supported for formatting: %s", t)
			}
		}
		return varchar
	}
	return nil
}

// formats reports whether format accepts values of a type.
func (z *analyzer) formats(t *types.Type) bool {
	switch t.Kind {
	case types.Unknown, types.Boolean, types.Tinyint, types.Smallint, types.Integer, types.Bigint, types.Real,
		types.Double, types.Decimal, types.Date,
		types.Timestamp, types.TimestampTZ, types.Time, types.Varchar, types.Char, types.JSON:
		return true
	}
	return z.canCast(t, varchar)
}

// pair coerces two expressions to their common type.
func (z *analyzer) pair(at trinosql.Expr, msg string, l, r trinosql.Expr, c context) *types.Type {
	a, b := z.visit(l, c), z.visit(r, c)
	common := types.Common(a, b)
	if common == nil || !types.CanCoerce(a, common) || !types.CanCoerce(b, common) {
		fail("TYPE_MISMATCH", at, "%s: %s vs %s", msg, a, b)
	}
	if !types.Equal(a, common) {
		z.rec.Coercions[l] = common
	}
	if !types.Equal(b, common) {
		z.rec.Coercions[r] = common
	}
	return common
}

func (z *analyzer) listagg(x *trinosql.Listagg, c context) *types.Type {
	if x.Filter != nil {
		z.want(x.Filter, c, boolean, "Filter expression")
	}
	t := z.visit(x.X, c)
	if t.Kind != types.Varchar {
		fail("TYPE_MISMATCH", x, "Expected expression of varchar, but '%s' has %s type", show(x.X), t)
	}
	args := []functions.Arg{{Type: t}, {Type: types.NewVarchar(0)}, {Type: boolean}, {Type: types.NewVarchar(3)},
		{Type: boolean}}
	b, err := functions.Resolve("listagg", args)
	if err != nil {
		fail("FUNCTION_NOT_FOUND", x, "%s", err)
	}
	for _, s := range x.Within {
		if t := z.visit(s.Expr, c); !t.Orderable() {
			fail("TYPE_MISMATCH", x, "ORDER BY can only be applied to orderable types (actual: %s)", t)
		}
	}
	z.coerce(x.X, t, b.Args[0], "Function listagg argument 0")
	z.rec.Calls[x] = b
	return b.Result
}
