package manifest

import (
	"encoding/json"
	"reflect"
)

// fileTypes are the types of the files by the patterns of their paths.
func fileTypes() []struct {
	glob, name string
	of         reflect.Type
} {
	return []struct {
		glob, name string
		of         reflect.Type
	}{
		{Marker, "project", reflect.TypeFor[fileProject]()},
		{dirConnections + "/*.yaml", "connection", reflect.TypeFor[fileConnection]()},
		{dirCatalogs + "/*.yaml", "catalog", reflect.TypeFor[fileCatalog]()},
		{dirSemantic + "/*.yaml", "semantic-catalog", reflect.TypeFor[fileSemantic]()},
		{dirTables + "/*.yaml", "table", reflect.TypeFor[fileTable]()},
		{dirBITables + "/*.yaml", "bitable", reflect.TypeFor[fileTable]()},
		{dirParametric + "/*.yaml", "parametric-tables", reflect.TypeFor[fileParametric]()},
		{dirCaches + "/*.yaml", "caches", reflect.TypeFor[fileCaches]()},
		{dirQueries + "/**/*.yaml", "query", reflect.TypeFor[fileQuery]()},
		{dirQueries + "/**/" + folderFile, "folder", reflect.TypeFor[fileFolder]()},
		{dirMetadata + "/*.yaml", "metadata", reflect.TypeFor[fileMetadata]()},
		{dirRelations + "/*.yaml", "relations", reflect.TypeFor[fileRelations]()},
		{dirGolden + "/*.yaml", "golden-sql", reflect.TypeFor[fileGolden]()},
	}
}

// Schema returns the JSON schema of the YAML files. The definition of a file is found by its path, which is the title
// of the definition.
func Schema() ([]byte, error) {
	defs, one := map[string]any{}, []any{}
	for _, f := range fileTypes() {
		d := schemaOf(f.of)
		d["title"] = f.glob
		defs[f.name] = d
		one = append(one, map[string]any{"$ref": "#/$defs/" + f.name})
	}
	raw, err := json.MarshalIndent(map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         "https://github.com/dig-cli/dig/docs/project.schema.json",
		"title":       "A YAML file of a project of dig",
		"description": "Refer to a definition for one kind of file, such as project.schema.json#/$defs/table.",
		"anyOf":       one,
		"$defs":       defs,
	}, "", "  ")
	return append(raw, '\n'), err
}

func schemaOf(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[Value]():
		return map[string]any{}
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem())
	case t.Kind() == reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case t.Kind() == reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case t.Kind() == reflect.Struct:
		members, need := map[string]any{}, []string{}
		for i := range t.NumField() {
			f := t.Field(i)
			m := schemaOf(f.Type)
			m["description"] = f.Tag.Get("doc")
			members[memberName(f)] = m
			if f.Tag.Get("need") != "" {
				need = append(need, memberName(f))
			}
		}
		out := map[string]any{"type": "object", "additionalProperties": false, "properties": members}
		if len(need) > 0 {
			out["required"] = need
		}
		return out
	}
	return map[string]any{"type": map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean",
		reflect.Int: "integer"}[t.Kind()]}
}
