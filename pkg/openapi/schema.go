package openapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// schema describes the JSON encoding of a Go type. Structs become components. In a reply, a field without omitempty is
// required; in a request, the fields listed in needed. A pointer or a map may be null.
func (b *builder) schema(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t == reflect.TypeFor[any]():
		return object{}
	case t.Kind() == reflect.Pointer:
		return orNull(b.schema(t.Elem()))
	case t.Name() != "" && t.PkgPath() != "" && t.Kind() != reflect.String && (t.Kind() != reflect.Map ||
		written()[t] != nil):
		return b.component(t)
	}
	switch t.Kind() {
	case reflect.String:
		return text()
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return whole(member{"format", "int64"})
	case reflect.Float64:
		return object{{"type", "number"}}
	case reflect.Slice:
		return listOf(b.schema(t.Elem()))
	case reflect.Map:
		return object{{"type", []string{"object", "null"}}, {"additionalProperties", b.schema(t.Elem())}}
	}
	b.unknown = append(b.unknown, t.String())
	return object{}
}

// orNull also allows null.
func orNull(schema object) object {
	if kind, ok := schema.get("type").(string); ok {
		out := slices.Clone(schema)
		for i := range out {
			if out[i].name == "type" {
				out[i].value = []string{kind, "null"}
			}
		}
		return out
	}
	if schema.get("type") != nil || len(schema) == 0 {
		return schema
	}
	return nullable(schema)
}

func (b *builder) component(t reflect.Type) object {
	name := t.Name()
	if name == "Result" {
		name = "QueryResult"
	}
	if b.request && b.served[name] {
		name += "Input"
	}
	if _, done := b.schemas[name]; done {
		return ref(name)
	}
	b.schemas[name] = nil // types may refer to themselves
	b.order = append(b.order, name)
	b.schemas[name] = b.describe(t)
	return ref(name)
}

func (b *builder) describe(t reflect.Type) object {
	doc := b.comments[t.Name()]
	out := object{}
	if doc != "" && !boilerplate.MatchString(doc) && !skipDoc[t.Name()] {
		out = out.with("description", doc)
	}
	if make, ok := written()[t]; ok {
		return append(out, make(b)...)
	}
	if t.Kind() != reflect.Struct || t.Implements(reflect.TypeFor[json.Marshaler]()) {
		b.unknown = append(b.unknown, t.String())
		return out
	}
	props, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Tag == "" { // its fields follow
			continue
		}
		owner := t.Name()
		if n := len(f.Index); n > 1 {
			owner = t.FieldByIndex(f.Index[:n-1]).Type.Name()
		}
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" && b.request { // sent otherwise
			continue
		}
		if tag == "-" || !f.IsExported() || f.Anonymous {
			b.unknown = append(b.unknown, t.Name()+"."+f.Name)
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		if b.request && slices.Contains(needed[t.Name()], tag) || !b.request && !strings.Contains(opts, "omit") {
			required = append(required, tag)
		}
		props = props.with(tag, b.property(owner, tag, f))
	}
	out = out.with("type", "object")
	if len(required) > 0 {
		out = out.with("required", required)
	}
	return out.with("properties", props)
}

func (b *builder) property(owner, tag string, f reflect.StructField) object {
	s := b.schema(f.Type)
	if key := owner + "." + tag; nullableLists[key] || nullableStrings[key] {
		s = orNull(s)
	}
	comment := b.comments[owner+"."+f.Name]
	if set := values(comment); set != nil && f.Type.Kind() == reflect.String {
		return s.with("enum", set)
	}
	if comment != "" && s.get("description") == nil {
		s = s.with("description", comment)
	}
	return s
}
