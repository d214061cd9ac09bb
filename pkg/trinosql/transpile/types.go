package transpile

import (
	"fmt"

	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// dataType writes the type of a cast.
func (t *transpiler) dataType(n trinosql.Type) {
	typ, err := types.Parse(trinosql.String(n))
	if err != nil {
		t.refuse(n, "type %s", trinosql.String(n))
	}
	t.put(t.typeName(n, typ))
}

var typeNames = map[Target]types.Names{
	PostgreSQL: {types.Boolean: "boolean", types.Tinyint: "smallint", types.Smallint: "smallint",
		types.Integer: "integer", types.Bigint: "bigint", types.Real: "real", types.Double: "double precision",
		types.Decimal: "numeric(%d, %d)", types.Varchar: "varchar", types.Varbinary: "bytea", types.UUID: "uuid",
		types.Date: "date", types.Time: "time(%d)", types.Timestamp: "timestamp(%d)",
		types.TimestampTZ: "timestamp(%d) with time zone", types.Array: "%s[]"},
	MySQL: {types.Tinyint: "signed", types.Smallint: "signed", types.Integer: "signed", types.Bigint: "signed",
		types.Real: "float", types.Double: "double", types.Decimal: "decimal(%d, %d)", types.Varchar: "char",
		types.Date: "date", types.Time: "time(%d)", types.Timestamp: "datetime(%d)"},
	BigQuery: {types.Boolean: "BOOL", types.Tinyint: "INT64", types.Smallint: "INT64", types.Integer: "INT64",
		types.Bigint: "INT64", types.Real: "FLOAT64", types.Double: "FLOAT64", types.Decimal: "NUMERIC(%d, %d)",
		types.Varchar: "STRING", types.Varbinary: "BYTES", types.Date: "DATE", types.Time: "TIME",
		types.Timestamp: "DATETIME", types.TimestampTZ: "TIMESTAMP", types.Array: "ARRAY<%s>"},
}

// castTo writes a cast; at is what is refused for a type that the dialect does not have.
func (t *transpiler) castTo(word string, at trinosql.Node, x trinosql.Expr, to *types.Type) {
	t.put(word, "(", x)
	t.put(" AS ", t.typeName(at, to), ")")
}

// typeName is the dialect's name of a type.
func (t *transpiler) typeName(at trinosql.Node, typ *types.Type) string {
	name, ok := typeNames[t.to].Of(typ)
	switch typ.Kind {
	case types.Decimal:
		if t.to == BigQuery && (typ.Scale > 9 || typ.N-typ.Scale > 29) {
			name = "BIG" + name
		}
	case types.Varchar:
		if t.to != BigQuery && typ.N != types.Unbounded {
			name = fmt.Sprintf("%s(%d)", name, max(1, typ.N))
		}
	case types.Time, types.Timestamp, types.TimestampTZ:
		ok = ok && typ.N <= 6
	case types.Array:
		inner := t.typeName(at, typ.Args[0]) // which has parameters of its own
		ok = ok && (t.to == BigQuery || typ.Args[0].Kind != types.Array)
		name = fmt.Sprintf(typeNames[t.to][types.Array], inner)
	}
	if !ok {
		t.refuse(at, "type %s", typ)
	}
	return name
}
