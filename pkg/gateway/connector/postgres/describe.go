package postgres

import (
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

const (
	schemasSQL   = `SELECT nspname::text FROM pg_namespace n WHERE ` + usableSchema + ` ORDER BY 1`
	usableSchema = `n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%' AND has_schema_privilege(n.oid, ` +
		`'USAGE')`
)

// Tables, partitioned ones, views, materialized views and foreign tables that the user may read.
const tablesSQL = `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r','p','v','m','f')
  AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT')) ORDER BY 1`

// A domain counts as its base type, also through other domains.
const columnsSQL = `WITH RECURSIVE col AS (
  SELECT a.attname, a.attnum, a.atttypid AS typ, a.atttypmod AS mod, a.attnotnull AS required, c.oid AS rel
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE n.nspname = $1 AND ` + usableSchema +
	` AND c.relname = $2 AND c.relkind IN ('r','p','v','m','f') AND a.attnum > 0 AND NOT a.attisdropped
    AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  UNION ALL SELECT attname, attnum, t.typbasetype, t.typtypmod, required OR t.typnotnull, rel FROM col JOIN pg_type t ON t.oid = typ WHERE t.typtype = 'd')
SELECT attname::text, t.oid, t.typname::text, t.typtype::text, t.typcategory::text, mod, required, coalesce(col_description(rel, attnum), ''),
  EXISTS (SELECT FROM pg_index i WHERE i.indrelid = rel AND i.indisprimary AND attnum = ANY (i.indkey)),
  EXISTS (SELECT FROM pg_index i WHERE i.indrelid = rel AND i.indisunique AND i.indisvalid AND i.indnatts = 1 AND i.indkey[0] = attnum AND i.indpred IS NULL)
FROM col JOIN pg_type t ON t.oid = typ WHERE t.typtype <> 'd' ORDER BY attnum`

const foreignKeysSQL = `SELECT n.nspname::text, c.relname::text, a.attname::text, fn.nspname::text, fc.relname::text, fa.attname::text, cardinality(k.conkey) = 1
FROM pg_constraint k CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS u(src, dst)
JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.src
JOIN pg_class fc ON fc.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = fc.relnamespace JOIN pg_attribute fa ON fa.attrelid = fc.oid AND fa.attnum = u.dst
WHERE k.contype = 'f' AND ` + usableSchema + ` AND has_schema_privilege(fn.oid, 'USAGE')
  AND has_column_privilege(c.oid, a.attnum, 'SELECT') AND has_column_privilege(fc.oid, fa.attnum, 'SELECT')
ORDER BY 1, 2, k.conname, a.attnum`

// ForeignKeys implements connector.Related.
func (p *postgres) ForeignKeys(ctx context.Context) ([]connector.ForeignKey, error) {
	return rows(ctx, p, func(row pgx.CollectableRow) (k connector.ForeignKey, err error) {
		err = row.Scan(&k.From.Schema, &k.From.Table, &k.From.Column, &k.To.Schema, &k.To.Table,
			&k.To.Column, &k.Single)
		return
	}, foreignKeysSQL)
}

// Schemas lists the schemas that the user may use, except the server's own.
func (p *postgres) Schemas(ctx context.Context) ([]string, error) {
	return rows(ctx, p, pgx.RowTo[string], schemasSQL)
}

func (p *postgres) schema(ctx context.Context, name string) (string, error) {
	all, err := p.Schemas(ctx)
	if err != nil {
		return "", err
	}
	return connector.PickSchema(name, all)
}

// Tables lists the readable tables of a schema.
func (p *postgres) Tables(ctx context.Context, schema string) ([]connector.Table, error) {
	schema, err := p.schema(ctx, schema)
	if err != nil {
		return nil, err
	}
	names, err := rows(ctx, p, pgx.RowTo[string], tablesSQL, schema)
	return connector.Tables(names), err
}

// find returns the server's spelling of a table name.
func (p *postgres) find(ctx context.Context, schema, table string) (string, string, error) {
	schema, err := p.schema(ctx, schema)
	if err != nil {
		return "", "", err
	}
	names, err := rows(ctx, p, pgx.RowTo[string], tablesSQL, schema)
	if err != nil {
		return "", "", err
	}
	found, err := connector.PickTable(table, names)
	return schema, found, err
}

// column is a column of a table with the server's description of its type.
type column struct {
	engine.ColumnInfo
	server string // pg_type.typname
	oid    uint32 // pg_type.oid
	wire   wire
	scale  int // of a decimal
	push   pushable
}

func scanColumn(row pgx.CollectableRow) (c column, err error) {
	var kind, category string
	var mod int32
	var notNull bool
	if err = row.Scan(&c.Name, &c.oid, &c.server, &kind, &category, &mod, &notNull, &c.Comment, &c.Primary,
		&c.Unique); err != nil {
		return
	}
	c.Nullable = !notNull
	c.Type, c.wire, c.push = typeOf(c.server, kind, category, mod)
	if c.wire == wireNumeric {
		_, c.scale = digits(mod)
	}
	return
}

// Table opens a table or a view for reading.
func (p *postgres) Table(ctx context.Context, schema, table string) (engine.Scanner, error) {
	cols, err := rows(ctx, p, scanColumn, columnsSQL, schema, table) // the name usually has the server's spelling
	if err == nil && len(cols) == 0 {
		if schema, table, err = p.find(ctx, schema, table); err == nil {
			cols, err = rows(ctx, p, scanColumn, columnsSQL, schema, table)
		}
	}
	if err != nil {
		return nil, err
	}
	t := &relation{p: p, name: sqltext.Quote(schema, table), cols: map[string]column{}}
	for _, c := range cols {
		t.order = append(t.order, c.ColumnInfo)
		t.cols[c.Name] = c
	}
	return t, nil
}

// Statistics returns n_distinct of pg_stats: a positive number is a count, a negative one a fraction of the rows [L].
// Columns that were not analyzed are omitted.
func (p *postgres) Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error) {
	schema, table, err := p.find(ctx, schema, table)
	if err != nil {
		return nil, err
	}
	return rows(ctx, p, pgx.RowToStructByPos[api.ColumnStatistics],
		`SELECT s.attname::text, s.n_distinct::float8 FROM pg_stats s
JOIN pg_namespace n ON n.nspname = s.schemaname JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = s.attname
WHERE s.schemaname = $1 AND s.tablename = $2 AND NOT s.inherited ORDER BY a.attnum`, schema, table)
}

// pushable describes which conditions on a column have the same meaning on the server as in the engine.
type pushable int

const (
	pushNull  pushable = iota // only whether it is NULL
	pushCast                  // equality of the text as seen by the engine: the column is cast
	pushWide                  // the server's equality holds for more values than the engine's
	pushText                  // equality and LIKE; the collation may treat more values as equal
	pushEqual                 // equality
	pushOrder                 // all comparisons
)

// typeOf maps a server type to a lower-case Trino name. Types without an exact counterpart become varchar as printed by
// psql.
func typeOf(name, kind, category string, mod int32) (trino string, w wire, push pushable) {
	if kind == "e" {
		return "varchar", wireText, pushCast
	}
	if kind == "b" && category != "A" {
		switch name {
		case "bool":
			return "boolean", wireBool, pushOrder
		case "int2":
			return "smallint", wireInt2, pushOrder
		case "int4":
			return "integer", wireInt4, pushOrder
		case "int8":
			return "bigint", wireInt8, pushOrder
		case "float4":
			return "real", wireFloat4, pushNull // the comparison of a real with a double differs between the engines
		case "float8":
			return "double", wireFloat8, pushOrder
		case "numeric":
			precision, scale := digits(mod)
			switch typ := fmt.Sprintf("decimal(%d,%d)", precision, scale); {
			// without a modifier any number of digits is possible
			case precision > 38 || scale < 0 || scale > precision:
			case precision <= 18:
				return typ, wireNumeric, pushOrder
			default:
				return typ, wirePrinted, pushOrder
			}
			return "varchar", wirePrinted, pushCast
		case "text":
			return "varchar", wireText, pushText
		case "varchar":
			return sized("varchar", mod, math.MaxInt32), wireText, pushText
		case "bpchar":
			if typ := sized("char", mod, 65_536); typ != "char" {
				return typ, wireChar, pushWide
			}
			return "varchar", wireText, pushWide // the server ignores trailing blanks in comparisons
		case "date":
			return "date", wireDate, pushOrder
		case "timestamp":
			return "timestamp" + places(mod), wireTimestamp, pushOrder
		case "timestamptz":
			return "timestamp" + places(mod) + " with time zone", wireTimestamp, pushOrder
		case "time":
			return "time" + places(mod), wireTime, pushNull // 24:00 exists in only one of the two
		case "uuid":
			return "uuid", wireUUID, pushEqual
		case "json":
			return "json", wireJSON, pushNull
		case "jsonb":
			return "json", wireJSONB, pushNull
		case "bytea":
			return "varbinary", wireText, pushEqual
		}
	}
	switch name {
	// their cast to text equals the printed form; that of inet, for example, does not
	case "interval", "name", "macaddr", "bit", "varbit":
		return "varchar", wirePrinted, pushCast
	}
	return "varchar", wirePrinted, pushNull
}

// sized is a type with the length of a modifier, and without it if there is none or it is greater than most.
func sized(name string, mod int32, most int32) string {
	n := mod - 4 // the server counts a header
	if n < 1 || n > most {
		return name
	}
	return fmt.Sprintf("%s(%d)", name, n)
}

// places is the number of digits of a second in a modifier, "" for all six.
func places(mod int32) string {
	if mod < 0 || mod >= 6 {
		return ""
	}
	return fmt.Sprintf("(%d)", mod)
}

// digits parses the modifier of a numeric: its precision, 1000 if it has none, and its scale, a signed number of 11
// bits.
func digits(mod int32) (precision, scale int) {
	if mod < 4 {
		return 1000, 0
	}
	return int(mod-4) >> 16 & 0xffff, (int(mod-4)&0x7ff ^ 1024) - 1024
}
