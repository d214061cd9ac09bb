//go:build cgo

package tables

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/cells"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/values"
)

const columnTypes = "VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE, UUID"

// columnType parses the type of a column declaration, case-insensitively.
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
	case values.Instant:
		return "TIMESTAMPTZ"
	}
	return strings.ToUpper(t)
}

// sqlValue converts a text to an expression of a type. The text is read like an imported value and written in
// the form that DuckDB reads as the same value.
func sqlValue(typ, value string) string {
	if parse := cells.ParserOf(typ); parse != nil {
		v, _ := parse([]byte(value))
		value = v.Text(typ)
	}
	return `CAST(` + sqltext.Literal(value) + ` AS ` + sqlType(typ) + `)`
}
