package openapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/openapi/openapitest"
	"github.com/dig-cli/dig/pkg/spec"
)

func load(t *testing.T) *openapitest.Document {
	t.Helper()
	d, err := openapitest.Load(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDocumentIsCurrent(t *testing.T) {
	want, err := Build("../api")
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(api.OpenAPI()) {
		t.Error("pkg/api/openapi.json is not what the operations and types give: run make generate")
	}
}

// TestDocumentStructure checks what OpenAPI 3.1 demands of a document and what this one promises.
func TestDocumentStructure(t *testing.T) {
	d := load(t)
	if v, _ := d.At("openapi").(string); !regexp.MustCompile(`^3\.1\.\d+$`).MatchString(v) {
		t.Errorf("openapi is %q", v)
	}
	for _, names := range [][]string{{"info", "title"}, {"info", "version"}, {"components", "securitySchemes",
		"key", "scheme"}} {
		if s, _ := d.At(names...).(string); s == "" {
			t.Errorf("%v is missing", names)
		}
	}
	tags := map[string]bool{}
	list, _ := d.At("tags").([]any)
	for _, tag := range list {
		tags[tag.(map[string]any)["name"].(string)] = true
	}
	ids := map[string]bool{}
	paths, _ := d.At("paths").(map[string]any)
	for path, item := range paths {
		if !strings.HasPrefix(path, "/") {
			t.Errorf("path %q does not begin with a slash", path)
		}
		for verb, v := range item.(map[string]any) {
			o := v.(map[string]any)
			id, _ := o["operationId"].(string)
			op, ok := spec.Find(id)
			if !ok || ids[id] || op.Path != path || strings.ToLower(op.Method) != verb {
				t.Errorf("%s %s: operationId %q", verb, path, id)
				continue
			}
			ids[id] = true
			for _, tag := range o["tags"].([]any) {
				if !tags[tag.(string)] {
					t.Errorf("%s: tag %v is not declared", id, tag)
				}
			}
			if got, _ := o["deprecated"].(bool); got != op.Deprecated {
				t.Errorf("%s: deprecated is %v", id, got)
			}
			var inPath, inQuery []string
			params, _ := o["parameters"].([]any)
			for _, p := range params {
				p := p.(map[string]any)
				name, _ := p["name"].(string)
				if p["schema"] == nil {
					t.Errorf("%s: parameter %s has no schema", id, name)
				}
				switch p["in"] {
				case "path":
					inPath = append(inPath, name)
					if p["required"] != true {
						t.Errorf("%s: path parameter %s is not required", id, name)
					}
				case "query":
					inQuery = append(inQuery, name)
				default:
					t.Errorf("%s: parameter %s is in %v", id, name, p["in"])
				}
			}
			if !slices.Equal(inPath, op.Params()) || !slices.Equal(inQuery, op.Query) {
				t.Errorf("%s: parameters %v and %v, want %v and %v", id, inPath, inQuery, op.Params(), op.Query)
			}
			responses, _ := o["responses"].(map[string]any)
			for code, r := range responses {
				if s := d.Resolve(r); s["description"] == nil ||
					(code != "default" && !regexp.MustCompile(`^2\d\d$`).MatchString(code)) {
					t.Errorf("%s: response %s: %v", id, code, s)
				}
			}
			if len(responses) != 2 || responses["default"] == nil {
				t.Errorf("%s: %d responses", id, len(responses))
			}
		}
	}
	for _, op := range spec.All() {
		if !ids[op.ID] {
			t.Errorf("%s is missing", op.ID)
		}
	}
	used := map[string]bool{}
	walk(t, d, "#", d.Root, used)
	schemas, _ := d.At("components", "schemas").(map[string]any)
	for name := range schemas {
		if !used["#/components/schemas/"+name] {
			t.Errorf("nothing refers to schema %s", name)
		}
	}
}

// walk checks every schema: references end somewhere, types are types of JSON, required members are described.
func walk(t *testing.T, d *openapitest.Document, at string, v any, used map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			walk(t, d, at+"[]", item, used)
		}
	case map[string]any:
		if target, ok := v["$ref"].(string); ok {
			used[target] = true
			if !strings.HasPrefix(target, "#/") || d.At(strings.Split(target[2:], "/")...) == nil {
				t.Errorf("%s: %s leads nowhere", at, target)
			}
		}
		if props, ok := v["properties"].(map[string]any); ok {
			required, _ := v["required"].([]any)
			for _, name := range required {
				if props[name.(string)] == nil {
					t.Errorf("%s: required member %v is not described", at, name)
				}
			}
			for _, typ := range openapitest.Types(v) {
				if !slices.Contains([]string{"string", "integer", "number", "boolean", "object", "array", "null"},
					typ) {
					t.Errorf("%s: type %q", at, typ)
				}
			}
		}
		for name, member := range v {
			walk(t, d, at+"/"+name, member, used)
		}
	}
}

// TestSamples holds the document against the samples, which are written from the facts: each sample fits its
// operation's schema, and an operation has samples exactly where the document has JSON.
func TestSamples(t *testing.T) {
	d := load(t)
	const dir = "../api/testdata/samples"
	n := 0
	for _, op := range spec.All() {
		o := d.Operation(op.Method, op.Path)
		_, reply := d.Success(o)
		for kind, schema := range map[string]any{".json": reply, ".request.json": d.Body(o)} {
			all, err := filepath.Glob(filepath.Join(dir, op.ID+".*json"))
			if err != nil {
				t.Fatal(err)
			}
			paths := slices.DeleteFunc(all, func(p string) bool {
				return strings.HasSuffix(p, ".request.json") != (kind == ".request.json")
			})
			if op.ID == spec.ImportCsv.ID && kind == ".request.json" {
				schema = map[string]any{"$ref": "#/components/schemas/ImportRequest"}
			}
			if (schema != nil) != (len(paths) > 0) {
				t.Errorf("%s: schema %v, but %d samples NAME%s", op.ID, schema, len(paths), kind)
			}
			for _, path := range paths {
				n++
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var v any
				if err := json.Unmarshal(raw, &v); err != nil {
					t.Fatal(err)
				}
				for _, p := range d.Check(filepath.Base(path), schema, v) {
					t.Error(p)
				}
			}
		}
	}
	t.Logf("%d samples", n)
}

// TestCheckRefuses makes sure that a check can fail.
func TestCheckRefuses(t *testing.T) {
	d := load(t)
	schema := map[string]any{"$ref": "#/components/schemas/CacheExecutionInfo"}
	good := `{"id":"a","executionMode":"INCREMENTAL","status":"FAILED","error":null,"progress":null,"createdAt":"t",` +
		`"updatedAt":"t","finishedAt":null}`
	for edit, want := range map[string]string{
		"":                                  "",
		`"id":"a"=>"id":1`:                  "string",
		`"id":"a",=>`:                       "missing",
		`"id":"a"=>"id":"a","x":1`:          "unknown",
		`"FAILED"=>"BROKEN"`:                "not one of",
		`"createdAt":"t"=>"createdAt":null`: "null",
	} {
		from, to, _ := strings.Cut(edit, "=>")
		var v any
		if err := json.Unmarshal([]byte(strings.Replace(good, from, to, 1)), &v); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(d.Check("$", schema, v), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", edit, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	for comment, want := range map[string]string{
		"PLAIN, MATERIALIZED":                                "PLAIN MATERIALIZED",
		"CSV (default) or JSONL":                             "CSV JSONL",
		"NONE (default) or GZIP, which adds .gz to the name": "NONE GZIP",
		"interval, cron, none":                               "interval cron none",
		"not-active, failed; and others on the way":          "not-active failed",
		"internal, query, stripe, google_ads, SEMANTIC":      "",
		"QUERY or TABLE on zone local":                       "",
		"id or name":                                         "",
		"rows, 1 to 1,000,000":                               "",
		"PENDING":                                            "",
	} {
		if got := strings.Join(values(comment), " "); got != want {
			t.Errorf("%q: %q, want %q", comment, got, want)
		}
	}
}
