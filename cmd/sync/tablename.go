package sync

import "github.com/dig-cli/dig/pkg/gateway/engine"

// storedBIName returns the name under which a BI table or a column of one is stored.
func storedBIName(name string) string { return engine.StoredName(engine.SchemaBI, name) }

// nameFault returns why a name is not valid for an internal table, a BI table, or a column of one; "" if it is valid.
func nameFault(name string, bi bool) string {
	schema := engine.SchemaTable
	if bi {
		schema = engine.SchemaBI
	}
	return engine.NameFault(name, engine.StoredName(schema, name))
}
