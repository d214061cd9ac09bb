package javafn

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// laxItems are the items of a path in a document, by the lax rules of SQL: where a step needs an object, arrays are unwrapped, and where it
// needs an array, other values are wrapped. The path is a JSON array of its steps: "*", an index, or a member's name after a point.
func laxItems(text, path string) ([]any, error) {
	var steps []string
	if err := json.Unmarshal([]byte(path), &steps); err != nil {
		return nil, err
	}
	document, ok := readJSON(text)
	if !ok {
		return nil, nil // as ON ERROR has it
	}
	items := []any{document}
	for _, step := range steps {
		var next []any
		for _, item := range items {
			if name, member := strings.CutPrefix(step, "."); member {
				next = appendMembers(next, item, name)
				continue
			}
			list, ok := item.([]any)
			if !ok {
				list = []any{item}
			}
			if step == "*" {
				next = append(next, list...)
			} else if i, err := strconv.Atoi(step); err == nil && i < len(list) {
				next = append(next, list[i])
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
		for i := len(members) - 1; i >= 0; i-- { // of members with one name the last is kept
			if members[i].key == name {
				items = append(items, members[i].value)
				break
			}
		}
	}
	return items
}

func sqlJSONFunctions() []Function {
	return []Function{
		{"sqljson_exists", 2, func(a []string) (string, bool, error) {
			items, err := laxItems(a[0], a[1])
			return strconv.FormatBool(len(items) > 0), true, err
		}},
		{"sqljson_value", 2, func(a []string) (string, bool, error) {
			items, err := laxItems(a[0], a[1])
			if err != nil || len(items) != 1 {
				return "", false, err
			}
			if n, ok := items[0].(json.Number); ok {
				if strings.ContainsAny(n.String(), ".eE") {
					return doubleVarchar(n.String()), true, nil
				}
				if b, ok := new(big.Int).SetString(n.String(), 10); ok {
					return b.String(), b.IsInt64(), nil // NULL beyond bigint; -0 is 0
				}
			}
			s, ok := scalarText(items[0])
			return s, ok, nil
		}},
		{"sqljson_query", 2, func(a []string) (string, bool, error) {
			items, err := laxItems(a[0], a[1])
			if err != nil || len(items) != 1 {
				return "", false, err
			}
			return jsonText(items[0]), true, nil
		}},
	}
}
