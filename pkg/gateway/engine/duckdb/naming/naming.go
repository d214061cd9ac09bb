// Package naming has the names that the engine uses within DuckDB, which no statement of a user can contain.
package naming

import (
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// HideStore removes the engine's own names from a message.
func HideStore(msg string) string {
	msg = strings.ReplaceAll(msg, `"`+Store+`".`, "")
	msg = strings.ReplaceAll(msg, Store+".", "")
	return msg
}

// Store is the alias under which the project's own file is attached. Users cannot name it.
const Store = "~data"

// StoredTable is the qualified name of a stored table, for statements of the engine.
func StoredTable(schema, table string) string {
	return sqltext.Quote(Store, schema, table)
}
