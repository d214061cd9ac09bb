package manifest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var write = flag.Bool("write", false, "write docs/project.schema.json")

// TestSchema: docs/project.schema.json is the schema of the reader's own types, and both know the same members.
func TestSchema(t *testing.T) {
	raw, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "project.schema.json")
	if *write {
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || string(have) != string(raw) {
		t.Errorf("%s is not the schema of the files: run go test ./internal/manifest -run TestSchema -args -write (%v)",
			path, err)
	}
	var schema struct {
		Defs map[string]map[string]any `yaml:"$defs"`
	}
	if err := yaml.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	for file, text := range again(t, sampleProject(t)) { // what is written is valid
		if !strings.HasSuffix(file, endYAML) {
			continue
		}
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		name := definitionOf(file)
		if bad := invalid(schema.Defs[name], v, name); bad != "" {
			t.Errorf("%s: %s", file, bad)
		}
	}
	for _, f := range fileTypes() { // what the schema does not know, the reader rejects
		dir := t.TempDir()
		file := strings.NewReplacer("**/", "f/", "*", "x").Replace(f.glob)
		text := "nosuch: 1\n"
		if f.name == "relations" {
			text = "- nosuch: 1\n"
		} else if additional(schema.Defs[f.name]) {
			text = "s.t:\n  nosuch: 1\n"
		}
		put(t, dir, map[string][]byte{Marker: []byte("version: 1\n"), "queries/f/x.sql": []byte("SELECT 1"),
			"golden-sql/x.sql": []byte("SELECT 1")})
		put(t, dir, map[string][]byte{file: []byte(text)})
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if bad := invalid(schema.Defs[f.name], v, ""); bad == "" {
			t.Errorf("the schema accepts %q in %s", text, file)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), `unknown member "nosuch"`) {
			t.Errorf("the reader says of %q in %s: %v", text, file, err)
		}
	}
}

func definitionOf(file string) string {
	for _, f := range fileTypes() {
		if ok, _ := filepath.Match(f.glob, file); ok || strings.HasPrefix(file, dirQueries+"/") && f.name == "folder" &&
			filepath.Base(file) == folderFile ||
			strings.HasPrefix(file, dirQueries+"/") && f.name == "query" && filepath.Base(file) != folderFile {
			return f.name
		}
	}
	return ""
}

func additional(def map[string]any) bool {
	_, ok := def["additionalProperties"].(map[string]any)
	return ok
}

// invalid checks a value against the part of JSON schema that Schema uses.
func invalid(def map[string]any, v any, at string) string {
	switch def["type"] {
	case nil:
		return ""
	case "object":
		m, ok := v.(map[string]any)
		if !ok {
			return at + " is not an object"
		}
		members, _ := def["properties"].(map[string]any)
		for k, x := range m {
			sub, ok := members[k].(map[string]any)
			if !ok {
				if sub, ok = def["additionalProperties"].(map[string]any); !ok {
					return at + "." + k + " is unknown"
				}
			}
			if bad := invalid(sub, x, at+"."+k); bad != "" {
				return bad
			}
		}
		need, _ := def["required"].([]any)
		for _, n := range need {
			if _, ok := m[n.(string)]; !ok {
				return at + "." + n.(string) + " is missing"
			}
		}
	case "array":
		l, ok := v.([]any)
		if !ok {
			return at + " is not a list"
		}
		for _, x := range l {
			if bad := invalid(def["items"].(map[string]any), x, at+"[]"); bad != "" {
				return bad
			}
		}
	case "string":
		if _, ok := v.(string); !ok {
			return at + " is not a string"
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return at + " is not a boolean"
		}
	case "integer":
		if _, ok := v.(int); !ok {
			return at + " is not an integer"
		}
	}
	return ""
}
