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

var plainTypes = map[Target]map[types.Kind]string{
	PostgreSQL: {types.Boolean: "boolean", types.Tinyint: "smallint", types.Smallint: "smallint",
		types.Integer: "integer", types.Bigint: "bigint", types.Real: "real",
		types.Double: "double precision", types.Varchar: "varchar", types.Varbinary: "bytea", types.Date: "date",
		types.UUID: "uuid"},
	MySQL: {types.Tinyint: "signed", types.Smallint: "signed", types.Integer: "signed", types.Bigint: "signed",
		types.Real: "float", types.Double: "double",
		types.Varchar: "char", types.Date: "date"},
	BigQuery: {types.Boolean: "BOOL", types.Tinyint: "INT64", types.Smallint: "INT64", types.Integer: "INT64",
		types.Bigint: "INT64", types.Real: "FLOAT64",
		types.Double: "FLOAT64", types.Varchar: "STRING", types.Varbinary: "BYTES", types.Date: "DATE",
		types.Time: "TIME", types.Timestamp: "DATETIME",
		types.TimestampTZ: "TIMESTAMP"},
}

// typeName is the dialect's name of a type.
func (t *transpiler) typeName(at trinosql.Node, typ *types.Type) string {
	switch typ.Kind {
	case types.Decimal:
		switch t.to {
		case PostgreSQL:
			return fmt.Sprintf("numeric(%d, %d)", typ.N, typ.Scale)
		case BigQuery:
			if typ.Scale > 9 || typ.N-typ.Scale > 29 {
				return fmt.Sprintf("BIGNUMERIC(%d, %d)", typ.N, typ.Scale)
			}
			return fmt.Sprintf("NUMERIC(%d, %d)", typ.N, typ.Scale)
		}
		return fmt.Sprintf("decimal(%d, %d)", typ.N, typ.Scale)
	case types.Varchar:
		if typ.N != types.Unbounded {
			switch t.to {
			case PostgreSQL, MySQL:
				return fmt.Sprintf("%s(%d)", plainTypes[t.to][types.Varchar], max(1, typ.N))
			}
		}
	case types.Time, types.Timestamp, types.TimestampTZ:
		if typ.N > 6 {
			t.refuse(at, "type %s", typ)
		}
		name := map[types.Kind]string{types.Time: "time", types.Timestamp: "timestamp",
			types.TimestampTZ: "timestamp"}[typ.Kind]
		switch {
		case t.to == MySQL && typ.Kind == types.Timestamp:
			return fmt.Sprintf("datetime(%d)", typ.N)
		case t.to == MySQL && typ.Kind == types.Time:
			return fmt.Sprintf("time(%d)", typ.N)
		case t.to == PostgreSQL && typ.Kind == types.TimestampTZ:
			return fmt.Sprintf("%s(%d) with time zone", name, typ.N)
		case t.to == PostgreSQL:
			return fmt.Sprintf("%s(%d)", name, typ.N)
		}
	case types.Array:
		inner := t.typeName(at, typ.Args[0])
		switch {
		case t.to == BigQuery:
			return "ARRAY<" + inner + ">"
		case t.to != MySQL && typ.Args[0].Kind != types.Array:
			return inner + "[]"
		}
	}
	if s := plainTypes[t.to][typ.Kind]; s != "" {
		return s
	}
	t.refuse(at, "type %s", typ)
	return ""
}
