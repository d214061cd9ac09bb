package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// numberTypes lists the types of numbers from the narrowest to the widest; decimal is without its parameters.
var numberTypes = []string{"tinyint", "smallint", "integer", "bigint", "decimal", "real", "double"}

// wider returns the type that holds the numbers of two types, as in a UNION of the files; "" if there is none.
func wider(a, b string) string {
	if a == b {
		return a
	}
	base := func(t string) int {
		t, _, _ = strings.Cut(t, "(")
		return slices.Index(numberTypes, t)
	}
	if max(a, b) == "timestamp(9)" && min(a, b) == "timestamp" {
		return "timestamp(9)"
	}
	from, to := base(a), base(b)
	if from < 0 || to < 0 {
		return ""
	}
	switch high := numberTypes[max(from, to)]; high {
	case "decimal":
		whole, scale := digits(a)
		w, s := digits(b)
		if whole, scale = max(whole, w), max(scale, s); whole+scale > 38 {
			return ""
		}
		return fmt.Sprintf("decimal(%d,%d)", whole+scale, scale)
	case "real":
		return "double" // integers of more than 24 bits are not exact in a real
	default:
		return high
	}
}

// digits returns the number of digits before and after the point.
func digits(t string) (whole, scale int) {
	switch t {
	case "tinyint":
		return 3, 0
	case "smallint":
		return 5, 0
	case "integer":
		return 10, 0
	case "bigint":
		return 19, 0
	}
	precision := 38
	_, _ = fmt.Sscanf(t, "decimal(%d,%d)", &precision, &scale) // a decimal without parameters has 38 digits
	return precision - scale, scale
}

// widening returns a function that converts an integer to a wider type; nil if no conversion is needed.
func widening(to string) func(int64) any {
	switch {
	case strings.HasPrefix(to, "decimal"):
		return func(n int64) any { return strconv.FormatInt(n, 10) }
	case to == "double":
		return func(n int64) any { return float64(n) }
	}
	return nil
}
