package infoschema

import (
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Show returns the names that SHOW CATALOGS, SHOW SCHEMAS and SHOW TABLES list, for the column "Catalog", "Schema" or
// "Table", from the tables returned by All.
func Show(what string, scope engine.TableName, tables []engine.TableName) ([]string, error) {
	var names []string
	catalog, schema := false, false
	for _, t := range tables {
		catalog = catalog || t.Catalog == scope.Catalog
		inSchema := t.Catalog == scope.Catalog && t.Schema == scope.Schema
		schema = schema || inSchema
		switch {
		case what == "Catalog":
			names = append(names, t.Catalog)
		case what == "Schema" && t.Catalog == scope.Catalog:
			names = append(names, t.Schema)
		case what == "Table" && inSchema && t.Table != "":
			names = append(names, t.Table)
		}
	}
	if what != "Catalog" && !catalog {
		return nil, UnknownCatalog(scope.Catalog)
	}
	if what == "Table" && !schema {
		return nil, &engine.Error{Kind: engine.KindUnknownSchema, Message: "Schema '" + scope.Schema +
			"' does not exist"}
	}
	return slices.Compact(names), nil
}

// UnknownCatalog is the error about a missing catalog.
func UnknownCatalog(name string) error {
	return &engine.Error{Kind: engine.KindUnknownCatalog, Message: "Catalog '" + name + "' does not exist"}
}
