package tables

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// sampleValue returns an example value for a column that an import accepts; rows differ, so that unique columns accept
// all five.
func sampleValue(c engine.Column, row int) string {
	switch c.Type {
	case "bigint":
		return fmt.Sprint(row)
	case "boolean":
		return fmt.Sprint(row%2 == 1)
	case "timestamp":
		return fmt.Sprintf("2024-01-%02d 12:00:00", row)
	case "date":
		return fmt.Sprintf("2024-01-%02d", row)
	case "time":
		return fmt.Sprintf("12:00:%02d", row)
	case "uuid":
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", row)
	}
	if precision, scale, ok := api.DecimalOf(c.Type); ok {
		return sampleDecimal(row, precision, scale)
	}
	if c.Unique {
		return fmt.Sprintf("\"sample text %d\"", row)
	}
	return `"sample text"`
}

// sampleDecimal is a number of the row that fits a decimal: 1.50, 1, or 0.01.
func sampleDecimal(row, precision, scale int) string {
	switch {
	case scale == 0:
		return fmt.Sprint(row)
	case precision == scale:
		return "0." + strings.Repeat("0", scale-1) + fmt.Sprint(row)
	}
	return fmt.Sprintf("%d.5", row) + strings.Repeat("0", scale-1)
}
