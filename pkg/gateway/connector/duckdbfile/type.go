// Package duckdbfile reads the tables and views of a DuckDB file, which is opened read-only, in a separate instance
// without access to other files and the network.
package duckdbfile

import (
	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// Type is the connection type duckdb. Its connectors share the open files: DuckDB holds one lock per file and process,
// and closing one of two handles would release the lock of the other.
func Type() connector.Type {
	p := newPool()
	return connector.Type{
		Key: "duckdb", Label: "DuckDB file", Category: "Database", CatalogType: "duckdb",
		DocsURL: "https://duckdb.org/docs/stable/sql/data_types/overview",
		Fields: []connector.Field{
			{Name: "path", Kind: "text", Required: true, Local: true,
				Description: "Database file, as an absolute path"},
		},
		Open: p.open,
	}
}
