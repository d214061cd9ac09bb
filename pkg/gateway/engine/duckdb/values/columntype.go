//go:build cgo

package values

import (
	"fmt"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// ScanType creates the DuckDB type for one of the names of translate.DuckType that a Scanner has values of. The caller
// destroys it.
func ScanType(name string) bindings.LogicalType {
	if p, ok := strings.CutPrefix(name, "DECIMAL("); ok {
		var w, s int
		_, _ = fmt.Sscanf(p, "%d,%d)", &w, &s)
		return bindings.CreateDecimalType(uint8(w), uint8(s))
	}
	if name == "JSON" {
		t := bindings.CreateLogicalType(bindings.TypeVarchar)
		bindings.LogicalTypeSetAlias(t, "JSON")
		return t
	}
	return bindings.CreateLogicalType(scanTypes[name])
}

var scanTypes = map[string]bindings.Type{
	"BOOLEAN": bindings.TypeBoolean, "TINYINT": bindings.TypeTinyInt, "SMALLINT": bindings.TypeSmallInt,
	"INTEGER": bindings.TypeInteger,
	"BIGINT":  bindings.TypeBigInt, "DOUBLE": bindings.TypeDouble, "FLOAT": bindings.TypeFloat,
	"DATE": bindings.TypeDate,
	"UUID": bindings.TypeUUID, "TIME": bindings.TypeTime, "TIMESTAMP": bindings.TypeTimestamp,
	"TIMESTAMPTZ":  bindings.TypeTimestampTZ,
	"TIMESTAMP_NS": bindings.TypeTimestampNS, "BLOB": bindings.TypeBlob, "VARCHAR": bindings.TypeVarchar,
}
