package manifest

import (
	"reflect"
	"slices"
	"strings"
)

// walkTypes visits the struct types of a file.
func walkTypes(t reflect.Type, visit func(t reflect.Type)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		walkTypes(t.Elem(), visit)
	case reflect.Struct:
		if t == reflect.TypeFor[Value]() {
			return
		}
		visit(t)
		for i := range t.NumField() {
			walkTypes(t.Field(i).Type, visit)
		}
	}
}

func membersOf(t reflect.Type, name string) []string {
	var out []string
	walkTypes(t, func(t reflect.Type) {
		if t.String() == name {
			for i := range t.NumField() {
				out = append(out, memberName(t.Field(i)))
			}
		}
	})
	return out
}

func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// complete reports members that are missing.
func (r *reader) complete(d *doc, into any) *doc {
	before := len(r.bad)
	var walk func(v reflect.Value, way []any)
	walk = func(v reflect.Value, way []any) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem(), way)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i), append(slices.Clone(way), i))
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				walk(v.MapIndex(k), append(slices.Clone(way), k.String()))
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[Value]() {
				return
			}
			for i := range v.NumField() {
				f := v.Type().Field(i)
				if f.Tag.Get("need") != "" && v.Field(i).IsZero() {
					r.problem(d.line(way...), "%s is missing", memberName(f))
				}
				walk(v.Field(i), append(slices.Clone(way), memberName(f)))
			}
		}
	}
	walk(reflect.ValueOf(into), nil)
	if len(r.bad) > before {
		return nil
	}
	return d
}
