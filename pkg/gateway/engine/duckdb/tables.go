//go:build cgo

package duckdb

import (
	"context"
	"io"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// The internal tables of a project are kept in storeDB, in the schemas named by their kind. Until they are written, each
// operation refuses by name.

func noTables(op string) error {
	return &engine.Error{Kind: engine.KindUnsupported, Message: op + " is not available in this engine"}
}

// ListTables names the tables of a kind.
func (p *project) ListTables(context.Context, string) ([]string, error) {
	return nil, noTables("listing tables")
}

// CreateTable makes a table.
func (p *project) CreateTable(context.Context, string, string) (string, error) {
	return "", noTables("creating a table")
}

// DropTable removes a table and its rows.
func (p *project) DropTable(context.Context, string, string) error {
	return noTables("dropping a table")
}

// Columns lists the columns of a table.
func (p *project) Columns(context.Context, string, string) ([]engine.Column, error) {
	return nil, noTables("listing columns")
}

// AddColumns adds columns.
func (p *project) AddColumns(context.Context, string, string, []engine.ColumnDef) ([]engine.Column, error) {
	return nil, noTables("adding columns")
}

// UpdateColumn changes a column.
func (p *project) UpdateColumn(context.Context, string, string, string, engine.ColumnDef) ([]engine.Column, error) {
	return nil, noTables("changing a column")
}

// DropColumn removes a column.
func (p *project) DropColumn(context.Context, string, string, string) error {
	return noTables("dropping a column")
}

// ImportCSV appends the rows of a CSV document.
func (p *project) ImportCSV(context.Context, string, string, io.Reader, engine.Import) (int64, error) {
	return 0, noTables("importing")
}
