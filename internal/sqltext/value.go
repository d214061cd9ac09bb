package sqltext

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Value writes a JSON value as SQL. String literals get the type of what they are compared with.
func Value(v any) (string, error) {
	switch x := v.(type) {
	case string:
		return Literal(x), nil
	case bool:
		return strings.ToUpper(fmt.Sprint(x)), nil
	case json.Number:
		return x.String(), nil
	case float64:
		raw, err := json.Marshal(x)
		return string(raw), err
	case nil:
		return "", fmt.Errorf("comparisons with null are never true; use \"is null\" or \"is not null\"")
	}
	return "", fmt.Errorf("a value must be a string, a number or true or false")
}
