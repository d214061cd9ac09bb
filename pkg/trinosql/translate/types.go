package translate

import (
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

var duckNames = types.Names{
	types.Unknown: "INTEGER", types.Boolean: "BOOLEAN", types.Tinyint: "TINYINT", types.Smallint: "SMALLINT",
	types.Integer: "INTEGER", types.Bigint: "BIGINT", types.Real: "FLOAT", types.Double: "DOUBLE",
	types.Decimal: "DECIMAL(%d,%d)", types.Varchar: "VARCHAR", types.Char: "VARCHAR", types.Varbinary: "BLOB",
	types.Date: "DATE", types.Time: "TIME", types.Timestamp: "TIMESTAMP", types.TimestampTZ: "TIMESTAMPTZ",
	types.IntervalYM: "INTERVAL", types.IntervalDS: "INTERVAL", types.JSON: "JSON", types.UUID: "UUID",
}

// DuckType is the DuckDB type for the values of a type, and false if there is none.
func DuckType(t *types.Type) (string, bool) {
	switch t.Kind {
	case types.Timestamp:
		if t.N > 6 {
			return "TIMESTAMP_NS", t.N <= 9
		}
	case types.Opaque: // patterns and similar are strings until they are used
		return "VARCHAR", t.Name == "JoniRegExp" || t.Name == "CodePoints" || t.Name == "JsonPath"
	case types.Array:
		e, ok := DuckType(t.Args[0])
		return e + "[]", ok
	case types.Map:
		k, ok := DuckType(t.Args[0])
		v, ok2 := DuckType(t.Args[1])
		return "MAP(" + k + ", " + v + ")", ok && ok2
	case types.Row:
		fields := make([]string, len(t.Args))
		for i, f := range t.Args {
			e, ok := DuckType(f)
			if !ok {
				return "", false
			}
			fields[i] = "f" + strconv.Itoa(i+1) + " " + e
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")", true
	}
	name, ok := duckNames.Of(t)
	return name, ok && (t.Kind != types.Time && t.Kind != types.TimestampTZ || t.N <= 6)
}

// duckType is DuckType for the type of an expression.
func (p *printer) duckType(at trinosql.Node, t *types.Type) string {
	s, ok := DuckType(t)
	if !ok {
		p.refuse(at, "type %s is not supported on zone local", t)
	}
	return s
}
