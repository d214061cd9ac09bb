// Package duckdbfile reads the tables and views of a DuckDB file, which is opened for reading only, in an instance of its own
// that reaches no other file and no network.
package duckdbfile

import (
	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// Type is the connection type duckdb. Its connectors share the open files: DuckDB holds a lock for each file of a process, and
// closing one of two openings would end the lock of the other.
func Type() connector.Type {
	p := newPool()
	return connector.Type{
		Key: "duckdb", Label: "DuckDB file", Category: "Database", CatalogType: "duckdb", DocsURL: "https://duckdb.org/docs/stable/sql/data_types/overview",
		Fields: []connector.Field{
			{Name: "path", Kind: "text", Required: true, Local: true, Description: "Database file, as an absolute path"},
		},
		Open: p.open,
	}
}
