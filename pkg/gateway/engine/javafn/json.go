package javafn

import (
	"encoding/json"
	"errors"
	"strings"
)

// jsonParse writes JSON in Trino's canonical form: no whitespace, sorted keys.
func jsonParse(a string) (string, bool, error) {
	d := json.NewDecoder(strings.NewReader(a))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil && d.More() {
		err = errors.New("more than one value")
	}
	if err != nil {
		return "", false, says("Cannot convert value to JSON: '%s'", a)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(jsonNumbers(v)); err != nil {
		return "", false, err
	}
	return strings.TrimSuffix(b.String(), "\n"), true, nil
}

// jsonNumbers writes numbers with a point or an exponent as Java writes doubles.
func jsonNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = jsonNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = jsonNumbers(v[i])
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return json.RawMessage(AppendDouble(nil, f, 64))
		}
	}
	return v
}

// shallow returns its argument unless it nests so deeply that a recursive function could overflow the stack.
func shallow(a string) (string, bool, error) {
	const most = 1000
	if JSONDepth(a) > most {
		return "", false, says("JSON nests deeper than %d levels", most)
	}
	return a, true, nil
}

// JSONDepth is the nesting depth of arrays and objects in a text, which may be invalid JSON.
func JSONDepth(s string) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return most
}
