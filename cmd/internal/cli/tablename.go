package cli

import "github.com/dig-cli/dig/pkg/gateway/engine"

// StoredBIName returns the name that a BI table or a column of one gets.
func StoredBIName(name string) string { return engine.StoredName(engine.SchemaBI, name) }

// NameFault returns why an internal table, or a BI table, or a column of one cannot have a name; "" if it can.
func NameFault(name string, bi bool) string {
	schema := engine.SchemaTable
	if bi {
		schema = engine.SchemaBI
	}
	return engine.NameFault(name, engine.StoredName(schema, name))
}
