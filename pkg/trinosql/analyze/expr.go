package analyze

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// context is the context of an expression.
type context struct {
	*scope
	// params are the parameter types of the lambda that is expected here; nil if none is.
	params       []*types.Type
	expectLambda bool
	inLambda     bool
	noOuter      bool        // columns of outer queries are rejected
	pattern      *rowPattern // in MEASURES and DEFINE
}

// here is the context without the lambda that is expected for the expression itself.
func (c context) here() context {
	c.params, c.expectLambda = nil, false
	return c
}

var (
	boolean = types.Of(types.Boolean)
	bigint  = types.Of(types.Bigint)
	varchar = types.Of(types.Varchar)
	unknown = types.Of(types.Unknown)
)

// expr resolves an expression and returns its type.
func (z *analyzer) expr(x trinosql.Expr, s *scope) *types.Type {
	return z.visit(x, context{scope: s, noOuter: z.noOuter})
}

func (z *analyzer) visit(x trinosql.Expr, c context) *types.Type {
	if t := z.rec.Types[x]; t != nil {
		return t // an expression may be resolved twice: GROUP BY 1
	}
	t := z.typeOf(x, c)
	z.rec.Types[x] = t
	return t
}

func (z *analyzer) typeOf(x trinosql.Expr, c context) *types.Type {
	if _, ok := x.(*trinosql.Lambda); !ok {
		c = c.here()
	}
	switch x := x.(type) {
	case *trinosql.Ident:
		return z.name(x, c)
	case *trinosql.Deref:
		return z.deref(x, c)
	case *trinosql.Param:
		return z.param(x)
	case *trinosql.Unary:
		return z.unary(x, c)
	case *trinosql.Binary:
		return z.binary(x, c)
	case *trinosql.Compare:
		return z.compare(x, c)
	case *trinosql.IsDistinct:
		return z.operator(x, "IS_DISTINCT_FROM", c, x.L, x.R)
	case *trinosql.Between:
		return z.between(x, c)
	case *trinosql.InList:
		z.single(c, "IN value and list items", append([]trinosql.Expr{x.X}, x.List...))
		return boolean
	case *trinosql.InQuery:
		z.predicate(x, z.visit(x.X, c), x.Query, c)
		return boolean
	case *trinosql.Quantified:
		return z.quantified(x, c)
	case *trinosql.LikeExpr:
		return z.like(x, c)
	case *trinosql.IsNull:
		z.visit(x.X, c)
		return boolean
	case *trinosql.Not:
		z.want(x.X, c, boolean, "Value of logical NOT expression")
		return boolean
	case *trinosql.Logic:
		for _, t := range x.Terms {
			z.want(t, c, boolean, "Logical expression term")
		}
		return boolean
	case *trinosql.Func:
		return z.call(x, c)
	case *trinosql.Listagg:
		return z.listagg(x, c)
	case *trinosql.Lambda:
		return z.lambda(x, c)
	case *trinosql.Subquery:
		t := z.subquery(x, x.Query, c)
		if t.Kind == types.Row && len(t.Args) == 1 {
			return t.Args[0]
		}
		return t
	case *trinosql.Exists:
		z.subquery(x, x.Query, c)
		return boolean
	case *trinosql.Case:
		return z.caseOf(x, c)
	case *trinosql.Cast:
		return z.cast(x, c)
	case *trinosql.Array:
		return types.NewArray(z.single(c, "All ARRAY elements", x.Items))
	case *trinosql.Row:
		args := make([]*types.Type, len(x.Items))
		for i, item := range x.Items {
			args[i] = z.visit(item, c)
		}
		return types.NewRow(nil, args)
	case *trinosql.Subscript:
		return z.subscript(x, c)
	case *trinosql.AtTimeZone:
		return z.atTimeZone(x, c)
	case *trinosql.Trim:
		return z.trim(x, c)
	case *trinosql.Substring:
		return z.function(x, "substr", some(x.X, x.From, x.For), c)
	case *trinosql.Position:
		return z.function(x, "strpos", []trinosql.Expr{x.X, x.Sub}, c)
	case *trinosql.Normalize:
		return z.normalize(x, c)
	case *trinosql.Extract:
		return z.extract(x, c)
	case *trinosql.Grouping:
		return z.grouping(x, c)
	case *trinosql.JSONFunc, *trinosql.JSONObject, *trinosql.JSONArray:
		return z.json(x, c)
	case *trinosql.Current:
		return current(x)
	}
	return literal(x)
}

// name resolves an unqualified name.
func (z *analyzer) name(x *trinosql.Ident, c context) *types.Type {
	name := x.Lower()
	r, ok := c.resolve(x, []string{name})
	if !ok {
		c.missingColumn(x, []string{name})
	}
	return z.column(x, r, c)
}

func (z *analyzer) column(x trinosql.Expr, r resolved, c context) *types.Type {
	if r.outer > 0 && c.noOuter {
		fail("NOT_SUPPORTED", x, "Reference to column '%s' from outer scope not allowed in this context", show(x))
	}
	if r.scope.lambda != nil {
		z.rec.Lambdas[x.(*trinosql.Ident)] = &LambdaRef{r.scope.lambda, r.index, r.field.Type}
		return r.field.Type
	}
	ref := &ColumnRef{Field: r.field, Outer: r.outer}
	if r.scope.output {
		ref.OfOutput, ref.Index = true, r.index
	}
	z.rec.Columns[x] = ref
	z.correlate(x, r.outer)
	return r.field.Type
}

func (z *analyzer) deref(x *trinosql.Deref, c context) *types.Type {
	name := qualifiedName(x)
	if name != nil && c.pattern != nil {
		return z.patternColumn(x, name, c)
	}
	if name != nil {
		if r, ok := c.resolve(x, name); ok {
			if r.scope.lambda == nil {
				return z.column(x, r, c)
			}
		} else if !c.isColumnReference(name) {
			c.missingColumn(x, name)
		}
	}
	base := z.visit(x.Base, c)
	if base.Kind != types.Row {
		fail("TYPE_MISMATCH", x.Base, "Expression %s is not of type ROW", show(x.Base))
	}
	found := -1
	for i := range base.Args {
		if strings.EqualFold(base.FieldName(i), x.Field.Name) && base.FieldName(i) != "" {
			if found >= 0 {
				fail("AMBIGUOUS_NAME", x.Field, "Ambiguous row field reference: %s", x.Field.Name)
			}
			found = i
		}
	}
	if found < 0 {
		if name == nil {
			name = []string{x.Field.Lower()}
		}
		failNamed("COLUMN_NOT_FOUND", strings.Join(name, "."), x, "Column '%s' cannot be resolved",
			strings.Join(name, "."))
	}
	z.rec.Fields[x] = found
	return base.Args[found]
}

func (z *analyzer) param(x *trinosql.Param) *types.Type {
	switch {
	case z.opt.Describe:
		return unknown
	case len(z.opt.Parameters) == 0:
		fail("INVALID_PARAMETER_USAGE", x, "Query takes no parameters")
	case x.Index >= len(z.opt.Parameters):
		fail("INVALID_PARAMETER_USAGE", x, "Invalid parameter index %d, max value is %d", x.Index,
			len(z.opt.Parameters)-1)
	}
	return z.opt.Parameters[x.Index]
}
