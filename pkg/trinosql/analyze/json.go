package analyze

import (
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// json resolves JSON_EXISTS, JSON_VALUE, JSON_QUERY, JSON_OBJECT and JSON_ARRAY. Paths are not parsed.
func (z *analyzer) json(x trinosql.Expr, c context) *types.Type {
	switch x := x.(type) {
	case *trinosql.JSONFunc:
		z.jsonPath(x, c)
		switch x.Name {
		case "JSON_EXISTS":
			return boolean
		case "JSON_VALUE":
			return z.jsonValue(x, c)
		}
		return z.jsonQuery(x)
	case *trinosql.JSONObject:
		for _, m := range x.Members {
			if t := z.visit(m.Key, c); !t.Text() {
				fail("INVALID_FUNCTION_ARGUMENT", m.Key, "Invalid type of JSON object key: %s", t)
			}
			z.jsonItem(x, m.Value, "JSON_OBJECT function", "JSON object value", x.Unique == "WITH", c)
		}
		return z.jsonResult(x, x.Returning, x.Format)
	case *trinosql.JSONArray:
		for _, v := range x.Values {
			z.jsonItem(x, v, "JSON_ARRAY function", "JSON array element", false, c)
		}
		return z.jsonResult(x, x.Returning, x.Format)
	}
	return nil
}

func (z *analyzer) jsonQuery(x *trinosql.JSONFunc) *types.Type {
	if x.Wrapper != "" && x.Wrapper != "WITHOUT" && x.Quotes != "" {
		fail("INVALID_FUNCTION_ARGUMENT", x, "%s QUOTES behavior specified with WITH %s ARRAY WRAPPER behavior",
			x.Quotes,
			strings.TrimPrefix(x.Wrapper, "WITH "))
	}
	return z.jsonResult(x, x.Returning, x.Format)
}

func (z *analyzer) jsonPath(x *trinosql.JSONFunc, c context) {
	format := x.Input.Format
	if format == "" {
		format = "JSON"
	}
	z.jsonInput(x.Input.X, z.visit(x.Input.X, c), format)
	seen := map[string]bool{}
	for _, p := range x.Passing {
		name := windowKey(p.Name)
		if seen[name] {
			fail("DUPLICATE_PARAMETER_NAME", p.Name, "%s JSON path parameter is specified more than once", name)
		}
		seen[name] = true
		if _, ok := p.Input.X.(*trinosql.Lambda); ok {
			fail("NOT_SUPPORTED", p.Input.X, "LambdaExpression is not supported as JSON path parameter")
		}
		t := z.visit(p.Input.X, c)
		switch format := jsonFormat(p.Input); {
		case format != "":
			z.jsonInput(p.Input.X, t, format)
		case t.Kind == types.Varbinary:
			fail("NOT_SUPPORTED", p.Input.X, "Unsupported type of JSON path parameter: %s", t)
		case t.Text(), t.Numeric(), t.Kind == types.Boolean, t.DateTime() && !t.Interval():
		case !z.canCast(t, varchar):
			fail("NOT_SUPPORTED", x, "Unsupported type of JSON path parameter: %s", t)
		default:
			z.rec.Coercions[p.Input.X] = varchar
		}
	}
}

// jsonFormat is the format of a value; JSON for the functions that return JSON.
func jsonFormat(in *trinosql.JSONInput) string {
	if in.Format == "" {
		switch x := in.X.(type) {
		case *trinosql.JSONFunc:
			if x.Name == "JSON_QUERY" {
				return "JSON"
			}
		case *trinosql.JSONObject, *trinosql.JSONArray:
			return "JSON"
		}
	}
	return in.Format
}

// jsonInput checks the type of a value that is parsed as JSON.
func (z *analyzer) jsonInput(x trinosql.Expr, t *types.Type, format string) {
	ok := t.Text() || t.Kind == types.Varbinary || t.Kind == types.Unknown
	if format != "JSON" {
		ok = t.Kind == types.Varbinary || t.Kind == types.Unknown
	}
	if !ok {
		fail("TYPE_MISMATCH", x, "Cannot read input of type %s as JSON using formatting %s", t, jsonEncoding(format))
	}
	want := varchar
	if t.Kind == types.Varbinary || format != "JSON" {
		want = types.Of(types.Varbinary)
	}
	z.coerce(x, t, want, "JSON input")
}

func jsonEncoding(format string) string { return strings.TrimPrefix(format, "JSON ") }

func (z *analyzer) jsonItem(x trinosql.Expr, in *trinosql.JSONInput, where, what string, unique bool, c context) {
	if _, ok := in.X.(*trinosql.Lambda); ok {
		fail("NOT_SUPPORTED", in.X, "LambdaExpression is not supported as %s", what)
	}
	t := z.visit(in.X, c)
	switch format := jsonFormat(in); {
	case format != "":
		if unique {
			fail("NOT_SUPPORTED", x,
				"WITH UNIQUE KEYS behavior is not supported for JSON_OBJECT function when input expression has FORMAT")
		}
		z.jsonInput(in.X, t, format)
	case t.Kind == types.Varbinary:
		fail("NOT_SUPPORTED", in.X, "Unsupported type of value passed to %s: %s", where, t)
	case t.Text(), t.Numeric(), t.Kind == types.Boolean:
	case !z.canCast(t, varchar):
		fail("NOT_SUPPORTED", x, "Unsupported type of value passed to %s: %s", where, t)
	default:
		z.rec.Coercions[in.X] = varchar
	}
}

// jsonResult is the type of the RETURNING clause.
func (z *analyzer) jsonResult(x trinosql.Expr, returning trinosql.Type, format string) *types.Type {
	if returning == nil {
		return varchar
	}
	t, err := types.FromTree(returning)
	if err != nil {
		failType(x, err)
	}
	if format == "" {
		format = "JSON"
	}
	if t.Kind != types.Varbinary && (format != "JSON" || !t.Text()) {
		fail("TYPE_MISMATCH", x, "Cannot output JSON value as %s using formatting %s", t, jsonEncoding(format))
	}
	return t
}

func (z *analyzer) jsonValue(x *trinosql.JSONFunc, c context) *types.Type {
	t := varchar
	if x.Returning != nil {
		var err error
		if t, err = types.FromTree(x.Returning); err != nil {
			failType(x, err)
		}
	}
	if !t.Text() && !t.Numeric() && t.Kind != types.Boolean && (!t.DateTime() || t.Interval()) {
		fail("TYPE_MISMATCH", x, "Invalid return type of function JSON_VALUE: %s", trinosql.String(x.Returning))
	}
	for i, b := range []*trinosql.JSONBehaviour{x.Empty, x.Error} {
		if b != nil && b.Value != nil {
			z.want(b.Value, c, t, "Function JSON_VALUE default ON "+[...]string{"EMPTY", "ERROR"}[i]+" result")
		}
	}
	return t
}
