package cli

import "github.com/dig-cli/dig/pkg/gateway/engine"

// StoredBIName returns the name under which a BI table or a column of one is stored.
func StoredBIName(name string) string { return engine.StoredName(engine.SchemaBI, name) }

// NameFault returns why a name is not valid for an internal table, a BI table, or a column of one; "" if it is valid.
func NameFault(name string, bi bool) string {
	schema := engine.SchemaTable
	if bi {
		schema = engine.SchemaBI
	}
	return engine.NameFault(name, engine.StoredName(schema, name))
}
