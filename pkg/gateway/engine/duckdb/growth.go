//go:build cgo

package duckdb

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// growing functions give texts that are several times as long as what they get; in each other they fill the memory within one row, and
// nothing interrupts that.
var growing = set(`hex to_hex bin to_binary base64 to_base64 url_encode regexp_escape json_quote to_json json_format json_object json_array
	json_pretty array_to_json row_to_json`)

// maxGrowing bounds how many growing functions stand in each other, by calls and by derived tables.
const maxGrowing = 6

// joining functions make a value of two, and twice as long a one of the same twice.
var joining = set(`|| concat concat_ws list_concat list_cat array_concat array_cat list_append array_append list_prepend array_prepend`)

// bounded refuses a tree that makes values grow without bound within one row.
func bounded(root map[string]any) error {
	n, err := growth(root)
	if err == nil && n > maxGrowing {
		err = &engine.Error{Kind: engine.KindLimit, Message: "more than 6 functions that make texts longer (hex, url_encode, to_json and the like) stand in each other"}
	}
	return err
}

// growth is the largest number of growing functions on the way from a row of a table to a result.
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

// noDoubling refuses a fold whose step joins what was gathered so far with itself: it doubles with each element.
func noDoubling(call map[string]any) error {
	args, _ := call["children"].([]any)
	for _, x := range args {
		lambda, _ := x.(map[string]any)
		if str(lambda, "class") != "LAMBDA" {
			continue
		}
		first := firstName(lambda["lhs"])
		if first != "" && joins(lambda["expr"], first) {
			return errorAt(location(call), engine.KindLimit, "'%s' may not join what it has gathered with itself", str(call, "function_name"))
		}
	}
	return nil
}

// firstName is the name of the first column that stands in a tree, in the order of lists.
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

// joins reports whether a joining function has a name twice among what it joins.
func joins(v any, name string) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if joins(x, name) {
				return true
			}
		}
	case map[string]any:
		if joining[strings.ToLower(str(v, "function_name"))] && uses(v, name) > 1 {
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
