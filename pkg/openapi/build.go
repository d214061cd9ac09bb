// Package openapi generates the OpenAPI document of the gateway from the operations of pkg/spec, the methods of the
// client and their Go types.
package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// builder collects the schemas that the operations refer to.
type builder struct {
	comments comments
	schemas  map[string]object
	order    []string
	unknown  []string
	request  bool // the current type is sent in a request
	// components of replies: a request that uses one gets a separate component, with other required members
	served map[string]bool
}

// Build generates the document. dir is the source directory of pkg/api, the comments of which become descriptions.
func Build(dir string) ([]byte, error) {
	c, err := readComments(dir)
	if err != nil {
		return nil, err
	}
	methods, err := clientMethods()
	if err != nil {
		return nil, err
	}
	replies := &builder{comments: c, schemas: map[string]object{}}
	for _, op := range spec.All() {
		if m, ok := methods[op.ID]; ok {
			if _, _, err := replies.reply(op, m); err != nil {
				return nil, fmt.Errorf("%s: %w", op.ID, err)
			}
		}
	}
	b := &builder{comments: c, schemas: map[string]object{}, served: map[string]bool{}}
	for name := range replies.schemas {
		b.served[name] = true
	}
	paths, tags := object{}, []object{}
	index := map[string]int{}
	seen := map[string]bool{}
	for _, op := range spec.All() {
		m, ok := methods[op.ID]
		if !ok {
			return nil, fmt.Errorf("%s has no client method", op.ID)
		}
		o, err := b.operation(op, m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.ID, err)
		}
		if _, ok := index[op.Path]; !ok {
			index[op.Path] = len(paths)
			paths = paths.with(op.Path, object{})
		}
		at := &paths[index[op.Path]]
		at.value = at.value.(object).with(strings.ToLower(op.Method), o)
		if !seen[op.Group] {
			seen[op.Group] = true
			tags = append(tags, object{{"name", op.Group}})
		}
	}
	if len(b.unknown) > 0 {
		return nil, fmt.Errorf("no schema for %s", strings.Join(b.unknown, ", "))
	}
	slices.Sort(b.order)
	schemas := object{}
	for _, name := range b.order {
		schemas = schemas.with(name, b.schemas[name])
	}
	schemas = append(schemas, errorShapes...)
	responses := object{}
	for _, name := range []string{"ErrorData", "ErrorConnection", "ErrorCache"} {
		responses = responses.with(name, object{{"description", "The operation failed."},
			{"content", object{{"application/json", object{{"schema", oneOfErrors(name)}}}}}})
	}
	doc := object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", "Data integration gateway"}, {"version", "1.0"},
			{"description", "Ids are strings. Times are ISO 8601 strings in UTC. A partner key gives access to " +
				"everything, a project key to its own project."}}},
		{"servers", []object{{{"url", "/api/v1"}}}},
		{"security", []object{{{"key", []string{}}}}},
		{"tags", tags},
		{"paths", paths},
		{"components", object{
			{"securitySchemes", object{{"key", object{{"type", "http"}, {"scheme", "bearer"},
				{"description", "An API key: eight characters, a dot and thirty-two characters."}}}}},
			{"responses", responses},
			{"schemas", schemas},
		}},
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, unescape(raw), "", " "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// unescape reverts the escaping by encoding/json inside values that marshal themselves.
func unescape(raw []byte) []byte {
	for from, to := range map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"} {
		raw = bytes.ReplaceAll(raw, []byte(from), []byte(to))
	}
	return raw
}

func oneOfErrors(name string) object {
	return object{{"anyOf", []object{ref(name), ref("ErrorFramework"), ref("ErrorCache")}}}
}

// operation describes one operation.
func (b *builder) operation(op spec.Op, m reflect.Type) (object, error) {
	o := object{{"operationId", op.ID}, {"summary", summary(op.ID)}, {"tags", []string{op.Group}}}
	if op.Partner {
		o = o.with("description", "Requires a partner key.")
	}
	if op.Deprecated {
		o = o.with("deprecated", true)
	}
	var params []object
	for _, name := range op.Params() {
		params = append(params, object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", text()}})
	}
	for _, name := range op.Query {
		q, ok := queryParams[op.ID+"."+name]
		if !ok {
			q, ok = queryParams[name]
		}
		if !ok {
			return nil, fmt.Errorf("unknown query parameter %s", name)
		}
		params = append(params, object{{"name", name}, {"in", "query"}, {"required", q.required}, {"schema", q.schema}})
	}
	if params != nil {
		o = o.with("parameters", params)
	}
	if body := bodyType(m); body != nil {
		b.request = true
		content := object{{"application/json", object{{"schema", b.schema(body)}}}}
		if op.ID == spec.ImportCsv.ID {
			content = object{{"multipart/form-data", object{
				{"schema", object{{"type", "object"}, {"required", []string{"file", "request"}}, {"properties", object{
					{"file", text(member{"contentMediaType", "text/csv"})}, {"request", b.schema(body)}}}}},
				{"encoding", object{{"request", object{{"contentType", "application/json"}}}}}}}}
		}
		b.request = false
		o = o.with("requestBody", object{{"required", !optionalBody[op.ID]}, {"content", content}})
	}
	status := success[op.ID]
	if status == "" {
		status = "200"
	}
	reply := object{{"description", "The operation succeeded."}}
	if kind, schema, err := b.reply(op, m); err != nil {
		return nil, err
	} else if kind != "" {
		media := object{}
		if schema != nil {
			media = media.with("schema", schema)
		}
		reply = reply.with("content", object{{kind, media}})
	}
	return o.with("responses", object{{status, reply},
		{"default", object{{"$ref", "#/components/responses/" + errorOf(op.Group)}}}}), nil
}

// reply returns the media type and schema of a success; both empty for an empty body.
func (b *builder) reply(op spec.Op, m reflect.Type) (string, object, error) {
	const js = "application/json"
	if kind, ok := raw[op.ID]; ok {
		if kind == "text/event-stream" || kind == "text/csv" {
			return kind, text(), nil
		}
		return kind, object{}, nil
	}
	if slices.Contains(openObject, op.ID) {
		return js, object{{"type", "object"}}, nil
	}
	if m.NumOut() == 1 {
		return "", nil, nil
	}
	out := m.Out(0)
	if out.Kind() == reflect.Pointer {
		out = out.Elem()
	}
	if env, ok := envelopes[op.ID]; ok {
		if env.NumField() != 1 || env.Field(0).Type != out {
			return "", nil, fmt.Errorf("%s does not contain %s", env, out)
		}
		out = env
	}
	return js, b.schema(out), nil
}

// summary converts an operation's identifier to words.
func summary(id string) string {
	var parts []string
	start := 0
	for i, r := range id {
		if unicode.IsUpper(r) {
			parts = append(parts, id[start:i])
			start = i
		}
	}
	parts = append(parts, id[start:])
	known := map[string]string{"Ai": "AI", "Api": "API", "Bi": "BI", "Sql": "SQL", "Sqls": "SQLs", "Csv": "CSV",
		"Jdbc": "JDBC", "Oauth": "OAuth"}
	for i, p := range parts {
		if k, ok := known[p]; ok {
			parts[i] = k
		} else if i > 0 {
			parts[i] = strings.ToLower(p)
		} else {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, " ")
}

// recorder records the request of a client method.
type recorder struct{ method, path string }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.method, r.path = req.Method, req.URL.EscapedPath()
	if req.Body != nil {
		req.Body.Close()
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

// clientMethods finds the signature of the client method of each operation: it calls every method with the names of the
// path parameters as their values, and matches the request with an operation.
func clientMethods() (map[string]reflect.Type, error) {
	rec := &recorder{}
	cl, err := api.New(api.Options{BaseURL: "http://gateway.invalid", Transport: rec})
	if err != nil {
		return nil, err
	}
	byRoute := map[string]spec.Op{}
	for _, op := range spec.All() {
		args := make([]string, len(op.Params()))
		for i := range args {
			args[i] = fmt.Sprintf("made-up-%d", i)
		}
		byRoute[op.Method+" "+op.At(args...).Path] = op
	}
	found := map[string]reflect.Type{}
	services := reflect.ValueOf(cl.Services)
	for i := range services.NumField() {
		service := services.Field(i)
		for n := range service.NumMethod() {
			m := service.Method(n)
			*rec = recorder{}
			m.Call(arguments(m.Type()))
			op, ok := byRoute[rec.method+" "+rec.path]
			if !ok {
				continue // a helper for several operations
			}
			if _, twice := found[op.ID]; twice {
				return nil, fmt.Errorf("%s has two client methods", op.ID)
			}
			found[op.ID] = m.Type()
		}
	}
	return found, nil
}

func arguments(m reflect.Type) []reflect.Value {
	args := make([]reflect.Value, m.NumIn())
	n := 0
	for i := range args {
		switch in := m.In(i); {
		case in == reflect.TypeFor[context.Context]():
			args[i] = reflect.ValueOf(context.Background())
		case in == reflect.TypeFor[api.ExecuteRequest]():
			args[i] = reflect.ValueOf(api.ExecuteByStatement{})
		case in == reflect.TypeFor[io.Reader]():
			args[i] = reflect.ValueOf(strings.NewReader(""))
		case in.Kind() == reflect.String && in != reflect.TypeFor[api.Format]():
			args[i] = reflect.ValueOf(fmt.Sprintf("made-up-%d", n))
			n++
		default:
			args[i] = reflect.New(in).Elem()
		}
	}
	return args
}

// bodyType returns the type of a method's JSON body, nil for none.
func bodyType(m reflect.Type) reflect.Type {
	for i := range m.NumIn() {
		switch in := m.In(i); {
		case in == reflect.TypeFor[context.Context](), in == reflect.TypeFor[url.Values](),
			in == reflect.TypeFor[io.Reader]():
		case in.Kind() == reflect.Struct, in.Kind() == reflect.Slice, in == reflect.TypeFor[api.ExecuteRequest]():
			return in
		}
	}
	return nil
}
