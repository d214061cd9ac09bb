package javafn

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// The kind and message of Trino's errors of JSON_EXISTS, JSON_VALUE and JSON_QUERY with ERROR ON ERROR. TRY does not
// catch them.
var (
	errJSONInput     = Refusal("\x01JSON_INPUT_CONVERSION_ERROR\x01conversion to JSON failed: ")
	errJSONStructure = refuses("ERROR ON ERROR of a strict path that does not match the structure of the document is " +
		"not supported on zone local")
)

func jsonValueFault(what string) error {
	return Refusal("\x01JSON_VALUE_RESULT_ERROR\x01cannot extract SQL scalar from JSON: " + what)
}

func jsonQueryFault(what string) error {
	return Refusal("\x01JSON_OUTPUT_CONVERSION_ERROR\x01conversion from JSON failed: " + what)
}

const (
	foundNothing = "JSON path found no items"
	foundMany    = "JSON path found multiple items"
	foundNoValue = "JSON path found an item that cannot be converted to an SQL value"
)

// pathItems are the items of a path in a document. The path is a JSON array: "lax" or "strict", and its steps: "*", an
// index, or a member name after a point. In lax mode arrays are unwrapped where a step needs an object, and other
// values are wrapped where it needs an array.
func pathItems(text, path string) ([]any, error) {
	var steps []string
	if err := json.Unmarshal([]byte(path), &steps); err != nil {
		return nil, err
	}
	lax := steps[0] == "lax"
	document, ok := readFirst(text)
	if !ok {
		return nil, errJSONInput
	}
	items := []any{document}
	for _, step := range steps[1:] {
		var next []any
		for _, item := range items {
			if name, named := strings.CutPrefix(step, "."); named {
				had := len(next)
				if _, object := item.([]member); lax || object {
					next = appendMembers(next, item, name)
				}
				if !lax && len(next) == had {
					return nil, errJSONStructure
				}
				continue
			}
			list, ok := item.([]any)
			if !ok && !lax {
				return nil, errJSONStructure
			}
			if !ok {
				list = []any{item}
			}
			if step == "*" {
				next = append(next, list...)
			} else if i, err := strconv.Atoi(step); err == nil && i < len(list) {
				next = append(next, list[i])
			} else if !lax {
				return nil, errJSONStructure
			}
		}
		items = next
	}
	return items, nil
}

func appendMembers(items []any, item any, name string) []any {
	list, ok := item.([]any)
	if !ok {
		list = []any{item}
	}
	for _, e := range list {
		members, _ := e.([]member)
		if i := slices.IndexFunc(members, func(m member) bool { return m.key == name }); i >= 0 {
			items = append(items, members[i].value)
		}
	}
	return items
}

func sqlJSONFunctions() []Function {
	return []Function{{"sqljson_exists", 3, jsonExists}, {"sqljson_item", 4, jsonItem}, {"sqljson_query", 6, jsonQuery},
		{"sqljson_fault", 1, func(a []string) (string, bool, error) { return "", false, jsonValueFault(a[0]) }},
		{"sqljson_string", 1, func(a []string) (string, bool, error) {
			var b bytes.Buffer
			quote(&b, a[0])
			return b.String(), true, nil
		}}}
}

// jsonExists implements JSON_EXISTS of a document, a path, and the result of an error: TRUE, FALSE, UNKNOWN or ERROR.
func jsonExists(a []string) (string, bool, error) {
	items, err := pathItems(a[0], a[1])
	switch {
	case err == nil:
		return strconv.FormatBool(len(items) > 0), true, nil
	case a[2] == "ERROR":
		return "", false, err
	}
	return strings.ToLower(a[2]), a[2] != "UNKNOWN", nil
}

// jsonItem is the scalar that JSON_VALUE selects: a string after s, an integer after i, a double after d, or a boolean
// after b. E denotes the default ON EMPTY, and X that ON ERROR. The arguments are a document, a path, and the
// behaviours ON EMPTY and ON ERROR: NULL, ERROR or DEFAULT.
func jsonItem(a []string) (string, bool, error) {
	instead := func(how, mark string, err error) (string, bool, error) {
		switch how {
		case "DEFAULT":
			return mark, true, nil
		case "ERROR":
			return "", false, err
		}
		return "", false, nil
	}
	items, err := pathItems(a[0], a[1])
	switch {
	case err != nil:
		return instead(a[3], "X", err)
	case len(items) == 0:
		return instead(a[2], "E", jsonValueFault(foundNothing))
	case len(items) > 1:
		return instead(a[3], "X", jsonValueFault(foundMany))
	}
	switch v := items[0].(type) {
	case nil:
		return "", false, nil
	case string:
		return "s" + v, true, nil
	case bool:
		return "b" + strconv.FormatBool(v), true, nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "d" + v.String(), true, nil
		}
		if n, ok := new(big.Int).SetString(v.String(), 10); ok && n.IsInt64() {
			return "i" + n.String(), true, nil // -0 is 0
		}
	}
	return instead(a[3], "X", jsonValueFault(foundNoValue))
}

// jsonQuery implements JSON_QUERY of a document and a path. The other arguments are WITHOUT, CONDITIONAL or
// UNCONDITIONAL for the wrapper, KEEP or OMIT for the quotes of a string, and the behaviours ON EMPTY and ON ERROR:
// NULL, ERROR, EMPTY ARRAY or EMPTY OBJECT.
func jsonQuery(a []string) (string, bool, error) {
	instead := func(how string, err error) (string, bool, error) {
		switch how {
		case "ERROR":
			return "", false, err
		case "EMPTY ARRAY":
			return "[]", true, nil
		case "EMPTY OBJECT":
			return "{}", true, nil
		}
		return "", false, nil
	}
	items, err := pathItems(a[0], a[1])
	switch {
	case err != nil:
		return instead(a[5], err)
	case len(items) == 0:
		return instead(a[4], jsonQueryFault(foundNothing))
	}
	if a[2] == "UNCONDITIONAL" || a[2] == "CONDITIONAL" && (len(items) > 1 || scalar(items[0])) {
		return jsonText(items), true, nil
	}
	if len(items) > 1 {
		return instead(a[5], jsonQueryFault(foundMany))
	}
	if s, ok := items[0].(string); ok && a[3] == "OMIT" {
		return s, true, nil
	}
	return jsonText(items[0]), true, nil
}

func scalar(v any) bool {
	switch v.(type) {
	case []any, []member:
		return false
	}
	return true
}
