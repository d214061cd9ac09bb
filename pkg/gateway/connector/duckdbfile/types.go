//go:build cgo

package duckdbfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/dbfile"
	"github.com/dig-cli/dig/pkg/late"
)

// column is a column of a table.
type column struct {
	engine.ColumnInfo
	read dbfile.Kind
	expr string // the selected expression, if it is not the column itself
	push bool   // comparisons have the same meaning in both engines
}

// columnOf maps a DuckDB type. Types without a counterpart become varchar as printed by DuckDB; nested values are JSON.
func columnOf(name, typ string) column {
	c := column{ColumnInfo: engine.ColumnInfo{Name: name, Type: "varchar"}}
	text := "CAST(" + sqltext.Quote(name) + " AS VARCHAR)"
	is := func(trino string, read dbfile.Kind, expr string) {
		c.Type, c.read, c.expr = trino, read, expr
	}
	switch typ {
	case "BOOLEAN":
		is("boolean", dbfile.Bool, "")
		c.push = true
	case "TINYINT":
		is("tinyint", dbfile.Int8, "")
		c.push = true
	case "SMALLINT":
		is("smallint", dbfile.Int16, "")
		c.push = true
	case "INTEGER":
		is("integer", dbfile.Int32, "")
		c.push = true
	case "BIGINT":
		is("bigint", dbfile.Int64, "")
		c.push = true
	case "UTINYINT":
		is("smallint", dbfile.Int16, "CAST("+sqltext.Quote(name)+" AS SMALLINT)")
		c.push = true
	case "USMALLINT":
		is("integer", dbfile.Int32, "CAST("+sqltext.Quote(name)+" AS INTEGER)")
		c.push = true
	case "UINTEGER":
		is("bigint", dbfile.Int64, "CAST("+sqltext.Quote(name)+" AS BIGINT)")
		c.push = true
	case "UBIGINT":
		is("decimal(20,0)", dbfile.Text, text)
	case "HUGEINT", "UHUGEINT": // one digit more than a decimal can have: such a value is an error
		is("decimal(38,0)", dbfile.Text, text)
	case "FLOAT":
		is("real", dbfile.Float, "")
	case "DOUBLE":
		is("double", dbfile.Double, "")
	case "VARCHAR":
		is("varchar", dbfile.Text, "")
		c.push = true
	case "JSON":
		is("json", dbfile.Text, "")
	case "UUID":
		is("uuid", dbfile.UUID, "")
	case "BLOB":
		is("varbinary", dbfile.Blob, "")
	case "DATE":
		is("date", dbfile.Int32, "")
	case "TIME":
		is("time", dbfile.Int64, "")
	case "TIMESTAMP":
		is("timestamp", dbfile.Int64, "")
	case "TIMESTAMP_S", "TIMESTAMP_MS":
		is("timestamp", dbfile.Int64, "CAST("+sqltext.Quote(name)+" AS TIMESTAMP)")
	case "TIMESTAMP WITH TIME ZONE":
		is("timestamp with time zone", dbfile.Int64, "")
	default:
		var width, scale int
		switch n, _ := fmt.Sscanf(typ, "DECIMAL(%d,%d)", &width, &scale); {
		case n == 2 && !strings.HasSuffix(typ, "]"):
			c.Type = fmt.Sprintf("decimal(%d,%d)", width, scale)
			switch {
			case width <= 4:
				c.read = dbfile.Int16
			case width <= 9:
				c.read = dbfile.Int32
			case width <= 18:
				c.read = dbfile.Int64
			default:
				c.expr = text
			}
		case strings.HasSuffix(typ, "]"), strings.HasPrefix(typ, "STRUCT("), strings.HasPrefix(typ, "MAP("),
			strings.HasPrefix(typ, "UNION("), typ == "VARIANT":
			is("json", dbfile.JSON, "CAST(to_json("+exactly(sqltext.Quote(name), typ)+") AS VARCHAR)")
		default:
			c.expr = text
		}
	}
	if c.expr == "" {
		c.expr = sqltext.Quote(name)
	}
	return c
}

var decimalForm = late.Regexp(`DECIMAL\(([0-9]+),[0-9]+\)`)

// exactly preserves the digits of decimals in a nested value, which JSON numbers would represent as doubles: those of
// more than 15 digits become strings.
func exactly(value, typ string) string {
	long := false
	as := decimalForm().ReplaceAllStringFunc(typ, func(d string) string {
		if w, _ := strconv.Atoi(decimalForm().FindStringSubmatch(d)[1]); w <= 15 {
			return d
		}
		long = true
		return "VARCHAR"
	})
	if !long {
		return value
	}
	return "CAST(" + value + " AS " + as + ")"
}
