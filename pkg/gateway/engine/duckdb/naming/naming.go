// Package naming has the names that the engine uses within DuckDB, which no statement of a user can contain.
package naming

import (
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/limits"
)

// HideStore removes the engine's own names from a message.
func HideStore(msg string) string {
	msg = strings.ReplaceAll(msg, `"`+Store+`".`, "")
	msg = strings.ReplaceAll(msg, Store+".", "")
	return msg
}

const (
	InfoCatalog = "~info " // begins the names of the rows of information_schema and of the catalog system: no catalog of a user has such a name
	AllCatalogs = "*"
)

// Store is the alias under which the project's own file is attached. Users cannot name it.
const Store = "~data"

// Reserved are names of DuckDB's own databases. Attaching under some of them is a fatal error, after which DuckDB rejects every
// statement until the database is opened again.
var Reserved = limits.Words(`temp main memory`)

// StoredTable is the qualified name of a stored table, for statements of the engine.
func StoredTable(schema, table string) string {
	return sqltext.Quote(Store, schema, table)
}
