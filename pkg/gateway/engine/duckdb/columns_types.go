//go:build cgo

package duckdb

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
)

// typeInstant is the type of the system's times.
const typeInstant = "timestamp with time zone"

const columnTypes = "VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE, UUID"

// columnType reads a type that a column may be declared with, in any case of letters.
func columnType(s string) (string, error) {
	switch t := strings.ToLower(strings.TrimSpace(s)); t {
	case "varchar", "bigint", "boolean", "decimal", "timestamp", "time", "date", "uuid":
		return t, nil
	}
	return "", fmt.Errorf("data type %q is not allowed; allowed are %s", s, columnTypes)
}

// sqlType is the stored type of a column.
func sqlType(t string) string {
	switch t {
	case "decimal":
		return fmt.Sprintf("DECIMAL(38,%d)", cells.DecimalScale)
	case typeInstant:
		return "TIMESTAMPTZ"
	}
	return strings.ToUpper(t)
}

// sqlValue is a checked text of a type as an expression. The text passes through the reader of imports and is written anew in
// the form that DuckDB reads alike.
func sqlValue(typ, value string) string {
	if parse := cells.ParserOf(typ); parse != nil {
		v, _ := parse([]byte(value))
		value = v.Text(typ)
	}
	return `CAST(` + sqltext.Literal(value) + ` AS ` + sqlType(typ) + `)`
}
