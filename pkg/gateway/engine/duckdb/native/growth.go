package native

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
)

// growing functions return strings several times as long as their arguments; nested, they exhaust the memory within one row,
// and cannot be interrupted.
var growing = limits.Words(`hex to_hex bin to_binary base64 to_base64 url_encode regexp_escape json_quote to_json json_format json_object json_array
	json_pretty array_to_json row_to_json`)

// bounded rejects a tree in which values grow without bound within one row.
func bounded(root map[string]any) error {
	n, err := growth(root)
	if err != nil {
		return err
	}
	return limits.Growing(n)
}

// growth is the maximum number of growing functions between a row of a table and a result.
func growth(v any) (int, error) {
	most := 0
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			n, err := growth(x)
			if err != nil {
				return 0, err
			}
			most = max(most, n)
		}
	case map[string]any:
		name := strings.ToLower(str(v, "function_name"))
		if strings.HasSuffix(name, "reduce") {
			if err := noDoubling(v); err != nil {
				return 0, err
			}
		}
		below := 0
		for k, x := range v {
			n, err := growth(x)
			if err != nil {
				return 0, err
			}
			if k == "from_table" || k == "cte_map" {
				below += n
			} else {
				most = max(most, n)
			}
		}
		if most += below; growing[name] {
			most++
		}
	}
	return most, nil
}

// noDoubling rejects a fold whose step concatenates its state with itself: it doubles with each element.
func noDoubling(call map[string]any) error {
	args, _ := call["children"].([]any)
	for _, x := range args {
		lambda, _ := x.(map[string]any)
		if str(lambda, "class") != "LAMBDA" {
			continue
		}
		first := firstName(lambda["lhs"])
		if first != "" && joins(lambda["expr"], first) {
			return ErrorAt(location(call), engine.KindLimit, "'%s' may not concatenate its state with itself", str(call, "function_name"))
		}
	}
	return nil
}

// firstName is the name of the first column in a tree.
func firstName(v any) string {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if name := firstName(x); name != "" {
				return name
			}
		}
	case map[string]any:
		if names, _ := v["column_names"].([]any); len(names) > 0 {
			name, _ := names[0].(string)
			return name
		}
		return firstName(v["children"])
	}
	return ""
}

// joins reports whether a name occurs twice among the arguments of a joining function.
func joins(v any, name string) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if joins(x, name) {
				return true
			}
		}
	case map[string]any:
		if limits.Joining[strings.ToLower(str(v, "function_name"))] && uses(v, name) > 1 {
			return true
		}
		for _, x := range v {
			if joins(x, name) {
				return true
			}
		}
	}
	return false
}

// uses counts the references to a name.
func uses(v any, name string) (n int) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			n += uses(x, name)
		}
	case map[string]any:
		if names, _ := v["column_names"].([]any); len(names) > 0 {
			if first, _ := names[0].(string); strings.EqualFold(first, name) {
				return 1
			}
		}
		for _, x := range v {
			n += uses(x, name)
		}
	}
	return n
}
