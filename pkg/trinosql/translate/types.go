package translate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

var duckNames = map[types.Kind]string{
	types.Unknown: "INTEGER", types.Boolean: "BOOLEAN", types.Tinyint: "TINYINT", types.Smallint: "SMALLINT",
	types.Integer: "INTEGER", types.Bigint: "BIGINT",
	types.Real: "FLOAT", types.Double: "DOUBLE", types.Varchar: "VARCHAR", types.Char: "VARCHAR",
	types.Varbinary: "BLOB", types.Date: "DATE",
	types.TimestampTZ: "TIMESTAMPTZ", types.IntervalYM: "INTERVAL", types.IntervalDS: "INTERVAL", types.JSON: "JSON",
	types.UUID: "UUID",
}

// DuckType is the DuckDB type for the values of a type, and false if there is none.
func DuckType(t *types.Type) (string, bool) {
	switch t.Kind {
	case types.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.N, t.Scale), true
	case types.Time:
		return "TIME", t.N <= 6
	case types.Timestamp:
		if t.N > 6 {
			return "TIMESTAMP_NS", t.N <= 9
		}
		return "TIMESTAMP", true
	case types.TimestampTZ:
		return "TIMESTAMPTZ", t.N <= 6
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
		var b strings.Builder
		b.WriteString("STRUCT(")
		for i, f := range t.Args {
			e, ok := DuckType(f)
			if !ok {
				return "", false
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("f" + strconv.Itoa(i+1) + " " + e)
		}
		return b.String() + ")", true
	}
	name, ok := duckNames[t.Kind]
	return name, ok
}

// duckType is DuckType for the type of an expression.
func (p *printer) duckType(at trinosql.Node, t *types.Type) string {
	s, ok := DuckType(t)
	if !ok {
		p.refuse(at, "type %s is not supported on zone local", t)
	}
	return s
}
