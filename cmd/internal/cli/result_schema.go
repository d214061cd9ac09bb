package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// With -o json a command prints the reply to its operation, an Acknowledged if the reply is empty, or the values
// declared by Prints.

// Text is the output of a command that prints text with any -o.
type Text struct{}

// Prints declares the values that the commands below c with these names print with -o json, by examples of their types.
// Without names the command is c itself.
func (e *Env) Prints(c *cobra.Command, like []any, names ...string) *cobra.Command {
	if e.Run.prints == nil {
		e.Run.prints = map[*cobra.Command][]any{}
	}
	for _, c := range chosen(c, names) {
		e.Run.prints[c] = like
	}
	return c
}

// Like lists examples for Prints.
func Like(v ...any) []any { return v }

// withinReply returns the member of the reply that holds the list a command prints, "*" for the only member; "" if the
// reply is printed as a whole.
func withinReply(op spec.Op) string {
	switch op.ID {
	case spec.ListQueryFolders.ID, spec.ListAgentThreads.ID, spec.QueryGoldenSqls.ID, spec.ListGoldenSqls.ID,
		spec.QueryMetadata.ID, spec.ListRelations.ID:
		return "*"
	case spec.GetProjectMetadata.ID:
		return "metadata"
	case spec.GetLegacyChatHistory.ID:
		return "history"
	}
	return ""
}

// described is the part of the API description that describes replies.
type described struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct {
				Schema any `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas map[string]any `json:"schemas"`
	} `json:"components"`
}

var description = sync.OnceValue(func() described {
	var d described
	if err := json.Unmarshal(api.OpenAPI(), &d); err != nil {
		panic(fmt.Sprintf("the description of the API: %v", err)) // it is part of the program
	}
	return d
})

// ResultSchema returns the JSON schema (2020-12) of the output of a command with -o json, nil for a command that prints
// text.
func (e *Env) ResultSchema(c *cobra.Command) map[string]any {
	b := &schemas{defs: map[string]any{}}
	var all []any
	like, declared := e.Run.prints[c]
	op, leaf := Operation(c.Annotations[LeafAnnotation])
	switch {
	case declared:
		for _, v := range like {
			if _, ok := v.(Text); ok {
				return nil
			}
			if of, ok := v.(spec.Op); ok {
				all = append(all, b.reply(of)...)
			} else if _, ok := v.(*any); ok { // any reply of the gateway
				all = append(all, map[string]any{})
			} else {
				all = append(all, b.schema(reflect.TypeOf(v)))
			}
		}
	case leaf:
		ops, _, none := shownFor(op)
		if none || len(ops) == 0 {
			ops = []spec.Op{op}
		}
		for _, op := range ops {
			all = append(all, b.reply(op)...)
		}
	default:
		all = append(all, b.schema(reflect.TypeFor[Acknowledged]()))
	}
	return b.document(all)
}

// SchemaOf returns the JSON schema of a value like v.
func SchemaOf(v any) map[string]any {
	b := &schemas{defs: map[string]any{}}
	return b.document([]any{b.schema(reflect.TypeOf(v))})
}

// schemas collects the definitions that a schema refers to.
type schemas struct{ defs map[string]any }

func (b *schemas) document(all []any) map[string]any {
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

// reply returns the schemas of what a command prints for an operation.
func (b *schemas) reply(op spec.Op) []any {
	ack := b.schema(reflect.TypeFor[Acknowledged]())
	responses := description().Paths[op.Path][strings.ToLower(op.Method)].Responses
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		if status == "default" {
			continue
		}
		media, ok := responses[status].Content["application/json"]
		if !ok {
			continue
		}
		s, _ := b.refer(media.Schema).(map[string]any)
		if member := withinReply(op); member != "" {
			return []any{b.member(s, member)}
		}
		if s["properties"] == nil && s["type"] == "object" { // an object without declared members, which may be empty
			return []any{ack, s}
		}
		return []any{s}
	}
	return []any{ack}
}

// member returns the schema of a list inside an object; "*" means the only list.
func (b *schemas) member(s map[string]any, name string) any {
	if of, ok := s["$ref"].(string); ok {
		s, _ = b.defs[strings.TrimPrefix(of, "#/$defs/")].(map[string]any)
		delete(b.defs, strings.TrimPrefix(of, "#/$defs/"))
	}
	props, _ := s["properties"].(map[string]any)
	for k, v := range props {
		if k == name || name == "*" {
			return v
		}
	}
	return s
}

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
					b.defs[name] = b.refer(description().Components.Schemas[name])
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
		return map[string]any{"type": "object", "additionalProperties": b.schema(t.Elem())}
	case reflect.Struct:
		return b.object(t)
	}
	panic("no schema of " + t.String())
}

// object describes a struct. A struct with a name becomes a definition, because it may contain itself.
func (b *schemas) object(t reflect.Type) any {
	if s, ok := description().Components.Schemas[t.Name()]; ok &&
		t.PkgPath() == reflect.TypeFor[api.Query]().PkgPath() {
		if _, have := b.defs[t.Name()]; !have {
			b.defs[t.Name()] = nil
			b.defs[t.Name()] = b.refer(s)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
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
