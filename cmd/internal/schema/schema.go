// Package schema derives from the Go type of what a command prints its JSON schema (2020-12) and the names of its
// fields. Types of pkg/api have the schemas of the API's description.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
)

// Text is what a command prints that prints text with any -o.
type Text struct{}

// Acknowledged is what -o json prints for a change whose reply is empty.
type Acknowledged struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// Answer is an object that the gateway answers a change with, or Acknowledged if that is empty.
type Answer struct{}

// QueryResult is the reply to a statement, whose rows pkg/api decodes one by one: it has no type there.
type QueryResult struct{}

// Either is one of two types.
type Either[A, B any] struct{}

// Shown is a T with -o json, and a list of Row for people.
type Shown[T, Row any] struct{}

func (Answer) parts() (printed, shown []reflect.Type) {
	ack := reflect.TypeFor[Acknowledged]()
	return []reflect.Type{ack, reflect.TypeFor[anyObject]()}, []reflect.Type{ack}
}

func (Either[A, B]) parts() (printed, shown []reflect.Type) {
	for _, t := range []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B]()} {
		p, s := partsOf(t)
		printed, shown = append(printed, p...), append(shown, s...)
	}
	return printed, shown
}

func (Shown[T, Row]) parts() (printed, shown []reflect.Type) {
	printed, shown = partsOf(reflect.TypeFor[T]())
	return printed, append(shown, reflect.TypeFor[Row]())
}

type anyObject struct{}

// partsOf returns the types that a command prints with -o json, and those whose fields it can show.
func partsOf(t reflect.Type) (printed, shown []reflect.Type) {
	if t.Kind() == reflect.Struct {
		if several, ok := reflect.Zero(t).Interface().(interface {
			parts() (printed, shown []reflect.Type)
		}); ok {
			return several.parts()
		}
	}
	return []reflect.Type{t}, []reflect.Type{t}
}

// Records returns the types of the records that a command shows which prints a type.
func Records(t reflect.Type) []reflect.Type {
	_, shown := partsOf(t)
	return each.Map(shown, func(t reflect.Type) reflect.Type {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		return t
	})
}

// Of returns the JSON schema of what -o json prints of a type; nil for Text.
func Of(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[Text]() {
		return nil
	}
	printed, _ := partsOf(t)
	return document(printed)
}

func document(types []reflect.Type) map[string]any {
	b := &schemas{defs: map[string]any{}}
	all := make([]any, len(types))
	for i, t := range types {
		all[i] = b.schema(t)
	}
	out := map[string]any{}
	if len(all) == 1 {
		out, _ = all[0].(map[string]any)
	} else {
		out["anyOf"] = all
	}
	if len(b.defs) > 0 {
		out["$defs"] = b.defs
	}
	return out
}

var components = sync.OnceValue(func() map[string]any {
	var d struct {
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(api.OpenAPI(), &d); err != nil {
		panic(fmt.Sprintf("the description of the API: %v", err)) // it is part of the program
	}
	return d.Components.Schemas
})

// schemas collects the definitions that a schema refers to.
type schemas struct{ defs map[string]any }

// refer copies a schema of the description, with its components as definitions.
func (b *schemas) refer(s any) any {
	switch s := s.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range s {
			if of, ok := v.(string); ok && k == "$ref" {
				name := strings.TrimPrefix(of, "#/components/schemas/")
				if _, have := b.defs[name]; !have {
					b.defs[name] = nil
					b.defs[name] = b.refer(components()[name])
				}
				v = "#/$defs/" + name
			}
			out[k] = b.refer(v)
		}
		return out
	case []any:
		out := make([]any, len(s))
		for i, v := range s {
			out[i] = b.refer(v)
		}
		return out
	}
	return s
}

// schema describes the JSON encoding of a Go type.
func (b *schemas) schema(t reflect.Type) any {
	switch t {
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any]():
		return map[string]any{}
	case reflect.TypeFor[anyObject]():
		return map[string]any{"type": "object"}
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s, _ := b.schema(t.Elem()).(map[string]any)
		if len(s) == 0 {
			return s
		}
		return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": b.schema(t.Elem())}
	case reflect.Map:
		if s, ok := b.component(t); ok {
			return s
		}
		return map[string]any{"type": "object", "additionalProperties": b.schema(t.Elem())}
	case reflect.Struct:
		return b.object(t)
	}
	panic("no schema of " + t.String())
}

// component refers to the schema of a type of the API in its description.
func (b *schemas) component(t reflect.Type) (map[string]any, bool) {
	s, ok := components()[t.Name()]
	if !ok || t.PkgPath() != reflect.TypeFor[api.Query]().PkgPath() && t != reflect.TypeFor[QueryResult]() {
		return nil, false
	}
	if _, have := b.defs[t.Name()]; !have {
		b.defs[t.Name()] = nil
		b.defs[t.Name()] = b.refer(s)
	}
	return map[string]any{"$ref": "#/$defs/" + t.Name()}, true
}

// object describes a struct. A struct with a name becomes a definition, because it may contain itself.
func (b *schemas) object(t reflect.Type) any {
	if s, ok := b.component(t); ok {
		return s
	}
	if _, have := b.defs[t.Name()]; have {
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	}
	if t.Name() != "" {
		b.defs[t.Name()] = nil
	}
	props, required := map[string]any{}, []string{}
	b.members(t, props, &required)
	out := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if len(required) > 0 {
		slices.Sort(required)
		out["required"] = required
	}
	if t.Name() == "" {
		return out
	}
	b.defs[t.Name()] = out
	return map[string]any{"$ref": "#/$defs/" + t.Name()}
}

func (b *schemas) members(t reflect.Type, props map[string]any, required *[]string) {
	for f := range t.Fields() {
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			b.members(f.Type, props, required)
		case !f.IsExported() || tag == "-":
		default:
			if tag == "" {
				tag = f.Name
			}
			props[tag] = b.schema(f.Type)
			if !strings.Contains(opts, "omit") {
				*required = append(*required, tag)
			}
		}
	}
}
