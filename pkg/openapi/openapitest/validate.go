// Package openapitest checks values against the description of the API, in tests.
package openapitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Document is a decoded OpenAPI document, as far as needed to check values.
type Document struct{ Root map[string]any }

// Load decodes a document.
func Load(raw []byte) (*Document, error) {
	d := &Document{}
	return d, json.Unmarshal(raw, &d.Root)
}

// At follows names through objects; nil if one is missing.
func (d *Document) At(names ...string) any {
	var v any = d.Root
	for _, n := range names {
		o, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = o[n]
	}
	return v
}

// Operation finds an operation by method and path template.
func (d *Document) Operation(method, path string) map[string]any {
	o, _ := d.At("paths", path, strings.ToLower(method)).(map[string]any)
	return o
}

// Success returns the success status of an operation and the schema of its JSON reply, nil if the reply is empty or not
// JSON.
func (d *Document) Success(op map[string]any) (status string, schema any) {
	responses, _ := op["responses"].(map[string]any)
	for code, v := range responses {
		if code == "default" {
			continue
		}
		content, _ := v.(map[string]any)["content"].(map[string]any)
		media, _ := content["application/json"].(map[string]any)
		return code, media["schema"]
	}
	return "", nil
}

// Body returns the schema of an operation's JSON body, nil for none.
func (d *Document) Body(op map[string]any) any {
	body, _ := op["requestBody"].(map[string]any)
	content, _ := body["content"].(map[string]any)
	media, _ := content["application/json"].(map[string]any)
	return media["schema"]
}

// Resolve follows a schema's $ref.
func (d *Document) Resolve(schema any) map[string]any {
	s, _ := schema.(map[string]any)
	for {
		target, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		s, _ = d.At(strings.Split(strings.TrimPrefix(target, "#/"), "/")...).(map[string]any)
	}
}

// Check lists what the schema does not allow in a decoded JSON value: another type, a missing or an unknown member, a
// word that is not in the list. An object with listed members allows no others unless the schema says so.
func (d *Document) Check(at string, schema, value any) []string {
	s := d.Resolve(schema)
	if s == nil {
		return []string{at + ": there is no schema"}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		list, ok := s[key].([]any)
		if !ok {
			continue
		}
		var all []string
		for _, alt := range list {
			problems := d.Check(at, alt, value)
			if len(problems) == 0 {
				return nil
			}
			all = append(all, problems...)
		}
		return all
	}
	var problems []string
	if want := Types(s); len(want) > 0 && !slices.ContainsFunc(kinds(value),
		func(k string) bool { return slices.Contains(want, k) }) {
		return []string{fmt.Sprintf("%s: %s, want %s", at, kinds(value)[0], strings.Join(want, " or "))}
	}
	if words, ok := s["enum"].([]any); ok && !slices.Contains(words, value) {
		problems = append(problems, fmt.Sprintf("%s: %v is not one of %v", at, value, words))
	}
	switch v := value.(type) {
	case map[string]any:
		props, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				problems = append(problems, fmt.Sprintf("%s.%s: missing", at, name))
			}
		}
		for name, member := range v {
			if p, ok := props[name]; ok {
				problems = append(problems, d.Check(at+"."+name, p, member)...)
			} else if extra, ok := s["additionalProperties"]; !ok && props != nil {
				problems = append(problems, fmt.Sprintf("%s.%s: unknown", at, name))
			} else if sub, ok := extra.(map[string]any); ok {
				problems = append(problems, d.Check(at+"."+name, sub, member)...)
			}
		}
	case []any:
		tuple, _ := s["prefixItems"].([]any)
		for i, item := range v {
			sub, ok := s["items"]
			if i < len(tuple) {
				sub, ok = tuple[i], true
			}
			if ok {
				problems = append(problems, d.Check(fmt.Sprintf("%s[%d]", at, i), sub, item)...)
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// Types returns the JSON types that a schema allows; none means any.
func Types(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		out := make([]string, len(t))
		for i := range t {
			out[i], _ = t[i].(string)
		}
		return out
	}
	return nil
}

// kinds returns the JSON types of a decoded value.
func kinds(v any) []string {
	switch v := v.(type) {
	case nil:
		return []string{"null"}
	case bool:
		return []string{"boolean"}
	case string:
		return []string{"string"}
	case float64:
		if v == float64(int64(v)) {
			return []string{"integer", "number"}
		}
		return []string{"number"}
	case []any:
		return []string{"array"}
	case map[string]any:
		return []string{"object"}
	}
	return []string{fmt.Sprintf("%T", v)}
}
