//go:build cgo

package duckdb

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
)

// typeInstant is the type of the system's times.
const typeInstant = "timestamp with time zone"

const columnTypes = "VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE, UUID"

// decimalScale is the number of places of a DECIMAL column [L].
const decimalScale = 10

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
		return fmt.Sprintf("DECIMAL(38,%d)", decimalScale)
	case typeInstant:
		return "TIMESTAMPTZ"
	}
	return strings.ToUpper(t)
}

// sqlValue is a checked text of a type as an expression. The text passes through the reader of imports and is written anew in
// the form that DuckDB reads alike.
func sqlValue(typ, value string) string {
	if parse := parserOf(typ); parse != nil {
		v, _ := parse([]byte(value))
		value = cellText(typ, v)
	}
	return `CAST(` + sqltext.Literal(value) + ` AS ` + sqlType(typ) + `)`
}

// cellText is the plain text of a value.
func cellText(typ string, v cell) string {
	micros := time.UnixMicro(int64(v.lo)).UTC()
	switch typ {
	case "boolean":
		return strconv.FormatBool(v.lo != 0)
	case "decimal":
		n := new(big.Int).Lsh(big.NewInt(v.hi), 64)
		n.Add(n, new(big.Int).SetUint64(v.lo))
		digits := new(big.Int).Abs(n).String()
		digits = strings.Repeat("0", max(0, decimalScale+1-len(digits))) + digits
		at := len(digits) - decimalScale
		if n.Sign() < 0 {
			return "-" + digits[:at] + "." + digits[at:]
		}
		return digits[:at] + "." + digits[at:]
	case "timestamp":
		return micros.Format("2006-01-02 15:04:05.999999")
	case "time":
		return micros.Format("15:04:05.999999")
	case "date":
		return time.Unix(int64(v.lo)*24*60*60, 0).UTC().Format("2006-01-02")
	case "uuid":
		return fmt.Sprintf("%016x%016x", uint64(v.hi)^1<<63, v.lo)
	}
	return strconv.FormatInt(int64(v.lo), 10)
}
