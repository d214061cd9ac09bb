package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Fields are the dotted names of the fields that a result may have.
type Fields struct {
	Names []string
	List  bool     // the result is a list, whose rows have the fields
	under []string // names that may have any members
	open  bool     // any field is possible
}

// FieldsOf returns the fields of what a command prints of a type.
func FieldsOf(t reflect.Type) *Fields {
	f := &Fields{}
	_, shown := partsOf(t)
	for _, t := range shown {
		f.List = f.List || t.Kind() == reflect.Slice
		doc := document([]reflect.Type{t})
		defs, _ := doc["$defs"].(map[string]any)
		f.add(doc, "", defs, 0)
	}
	slices.Sort(f.Names)
	f.Names = slices.Compact(f.Names)
	if f.open { // such as the columns of a statement, which it alone knows
		f.Names = nil
	}
	return f
}

// Has reports whether the result may have a field.
func (f *Fields) Has(want string) bool {
	if f.open {
		return true
	}
	for _, n := range f.Names {
		if strings.EqualFold(n, want) ||
			len(n) > len(want) && strings.EqualFold(n[:len(want)], want) && n[len(want)] == '.' {
			return true
		}
	}
	for _, n := range f.under {
		if len(want) > len(n) && strings.EqualFold(want[:len(n)], n) && want[len(n)] == '.' {
			return true
		}
	}
	return false
}

// add adds the fields of a schema under a name.
func (f *Fields) add(schema any, name string, defs map[string]any, deep int) {
	s, _ := schema.(map[string]any)
	if s == nil || deep > 8 {
		f.anything(name)
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		f.add(defs[strings.TrimPrefix(ref, "#/$defs/")], name, defs, deep+1)
		return
	}
	var parts []any
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		some, _ := s[key].([]any)
		parts = append(parts, some...)
	}
	for _, p := range parts {
		f.add(p, name, defs, deep+1)
	}
	props, _ := s["properties"].(map[string]any)
	items, list := s["items"]
	kind := fmt.Sprint(s["type"])
	switch {
	case list && name == "": // the fields of its rows
		f.add(items, "", defs, deep+1)
	case len(props) > 0:
		for key, p := range props {
			at := key
			if name != "" {
				at = name + "." + key
			}
			f.Names = append(f.Names, at)
			f.add(p, at, defs, deep+1)
		}
	case len(parts) > 0:
	case list || s["type"] == nil || strings.Contains(kind, "object"):
		f.anything(name)
	case name == "" && kind != "null": // a row that is a value
		f.Names = append(f.Names, "value")
	}
}

func (f *Fields) anything(name string) {
	if name == "" {
		f.open = true
		return
	}
	f.under = append(f.under, name)
}
