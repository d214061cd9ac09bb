//go:build cgo

package duckdb

import (
	"strings"

	"github.com/dig-cli/dig/pkg/late"
)

// trinoWords tells an error of DuckDB about a value in the words of Trino.
func trinoWords(message string) string {
	if m := overflow().FindStringSubmatch(message); m != nil {
		return map[string]string{"8": "tinyint", "16": "smallint", "32": "integer", "64": "bigint"}[m[2]] + " " + m[1] + " overflow: " + m[3]
	}
	if strings.HasPrefix(message, "Overflow in ") && strings.Contains(message, " of DECIMAL(") {
		return "Decimal overflow"
	}
	if strings.HasPrefix(message, "More than one row returned by a subquery") {
		return "Scalar sub-query has returned multiple rows"
	}
	return message
}

var overflow = late.Regexp(`^Overflow in (\w+) of INT(8|16|32|64) \((.*)\)!$`)
