package analyze

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

func current(x *trinosql.Current) *types.Type {
	digits := 3
	if x.Precision != "" {
		n, err := strconv.Atoi(x.Precision)
		if err != nil || n > types.MaxTimePrecision {
			name := map[string]string{"CURRENT_TIME": "TIME WITH TIME ZONE",
				"CURRENT_TIMESTAMP": "TIMESTAMP WITH TIME ZONE", "LOCALTIME": "TIME",
				"LOCALTIMESTAMP": "TIMESTAMP"}[x.What]
			failNowhere("NUMERIC_VALUE_OUT_OF_RANGE", "%s precision must be in range [0, 12]: %s", name, x.Precision)
		}
		digits = n
	}
	switch x.What {
	case "CURRENT_DATE":
		return types.Of(types.Date)
	case "CURRENT_TIME":
		return types.NewTime(types.TimeTZ, digits)
	case "CURRENT_TIMESTAMP":
		return types.NewTime(types.TimestampTZ, digits)
	case "LOCALTIME":
		return types.NewTime(types.Time, digits)
	case "LOCALTIMESTAMP":
		return types.NewTime(types.Timestamp, digits)
	}
	return varchar
}

func (z *analyzer) atTimeZone(x *trinosql.AtTimeZone, c context) *types.Type {
	t := z.visit(x.X, c)
	z.visit(x.Zone, c)
	switch t.Kind {
	case types.TimeTZ, types.TimestampTZ:
		return t
	case types.Time, types.Timestamp:
		zoned := types.NewTime(t.Kind+1, t.N)
		z.rec.Coercions[x.X] = zoned
		return zoned
	}
	fail("TYPE_MISMATCH", x.X, "Type of value must be a time or timestamp with or without time zone (actual %s)", t)
	return nil
}

func (z *analyzer) trim(x *trinosql.Trim, c context) *types.Type {
	name := map[string]string{"LEADING": "ltrim", "TRAILING": "rtrim"}[x.Spec]
	if name == "" {
		name = "trim"
	}
	return z.function(x, name, some(x.X, x.Chars), c)
}

// normalize resolves the function normalize, whose second argument is a keyword in this syntax.
func (z *analyzer) normalize(x *trinosql.Normalize, c context) *types.Type {
	t := z.visit(x.X, c)
	form := x.Form
	if form == "" {
		form = "NFC"
	}
	b, err := functions.Resolve("normalize", []functions.Arg{{Type: t}, {Type: types.NewVarchar(len(form))}})
	if err != nil {
		fail("FUNCTION_NOT_FOUND", x, "%s", err)
	}
	z.coerce(x.X, t, b.Args[0], "Function normalize argument 0")
	z.rec.Calls[x] = b
	return b.Result
}

var extractable = map[string][]types.Kind{
	"YEAR":            {types.Date, types.Timestamp, types.TimestampTZ, types.IntervalYM},
	"DAY":             {types.Date, types.Timestamp, types.TimestampTZ, types.IntervalDS},
	"QUARTER":         {types.Date, types.Timestamp, types.TimestampTZ},
	"HOUR":            {types.Timestamp, types.TimestampTZ, types.Time, types.TimeTZ, types.IntervalDS},
	"TIMEZONE_MINUTE": {types.TimestampTZ, types.TimeTZ},
}

func (z *analyzer) extract(x *trinosql.Extract, c context) *types.Type {
	field := strings.ToUpper(x.Field.Name)
	group := field
	switch field {
	case "MONTH":
		group = "YEAR"
	case "WEEK", "DAY_OF_MONTH", "DAY_OF_WEEK", "DOW", "DAY_OF_YEAR", "DOY", "YEAR_OF_WEEK", "YOW":
		group = "QUARTER"
	case "MINUTE", "SECOND":
		group = "HOUR"
	case "TIMEZONE_HOUR":
		group = "TIMEZONE_MINUTE"
	}
	kinds := extractable[group]
	if kinds == nil {
		fail("SYNTAX_ERROR", x, "Invalid EXTRACT field: %s", x.Field.Name)
	}
	t := z.visit(x.X, c)
	for _, k := range kinds {
		if t.Kind == k {
			return bigint
		}
	}
	fail("TYPE_MISMATCH", x.X, "Cannot extract %s from %s", field, t)
	return nil
}

// subquery resolves the subquery of an expression and returns the row type of its columns.
func (z *analyzer) subquery(x trinosql.Expr, q *trinosql.Query, c context) *types.Type {
	if _, exists := x.(*trinosql.Exists); c.inLambda && !exists { // Trino lets EXISTS pass
		var at trinosql.Node = x
		if _, ok := x.(*trinosql.Quantified); ok {
			at = q
		}
		fail("NOT_SUPPORTED", at, "Lambda expression cannot contain subqueries")
	}
	s := c.scope.below()
	fields := newRelation(z.queryIn(q, s, c.noOuter)).visible()
	names, args := make([]string, len(fields)), make([]*types.Type, len(fields))
	for i, f := range fields {
		names[i], args[i] = f.Name, f.Type
	}
	return types.NewRow(names, args)
}

// predicate resolves the subquery of IN or a quantified comparison and returns the type that the sides are compared as.
func (z *analyzer) predicate(x trinosql.Expr, value *types.Type, q *trinosql.Query, c context) *types.Type {
	if value.Kind != types.Row && value.Kind != types.Unknown {
		value = types.NewRow(nil, []*types.Type{value})
	}
	row := z.subquery(x, q, c)
	common := types.Common(value, row)
	if common == nil {
		fail("TYPE_MISMATCH", x, "Value expression and result of subquery must be of the same type: %s vs %s", value,
			row)
	}
	z.an.Predicates[x] = &Predicate{Value: value, Common: common}
	return common
}

func (z *analyzer) quantified(x *trinosql.Quantified, c context) *types.Type {
	t := z.predicate(x, z.visit(x.X, c), x.Query, c)
	switch {
	case (x.Op == "=" || x.Op == "<>") && !t.Comparable():
		fail("TYPE_MISMATCH", x, "Type [%s] must be comparable in order to be used in quantified comparison", t)
	case x.Op != "=" && x.Op != "<>" && !t.Orderable():
		fail("TYPE_MISMATCH", x, "Type [%s] must be orderable in order to be used in quantified comparison", t)
	}
	return boolean
}

// scalarOnly rejects aggregates, window functions and GROUPING.
func (z *analyzer) scalarOnly(at, x trinosql.Expr, clause string) {
	roots := []trinosql.Expr{x}
	found := collect(roots, isAggregate)
	found = append(found, collect(roots, isWindowFunction)...)
	found = append(found, collect(roots, isGrouping)...)
	if len(found) > 0 {
		fail("EXPRESSION_NOT_SCALAR", at,
			"%s cannot contain aggregations, window functions or grouping operations: [%s]", clause, showList(found))
	}
}
