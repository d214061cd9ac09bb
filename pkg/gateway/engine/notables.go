package engine

import (
	"context"
	"io"
)

// NoTables are the Tables of an engine that keeps none, to be embedded in its Project: there are no tables, and none
// can be made.
type NoTables struct{}

func errNoTables() error {
	return &Error{Kind: KindUnsupported, Message: "This engine stores no tables.", Err: ErrNotSupported}
}

func noTable(kind, name string) error {
	return UnknownTable(TableName{Catalog: InternalCatalog, Schema: kind, Table: name})
}

func (NoTables) ListTables(context.Context, string) ([]string, error) { return nil, nil }

func (NoTables) CreateTable(context.Context, string, string, ...ColumnDef) (string, error) {
	return "", errNoTables()
}

func (NoTables) DropTable(_ context.Context, kind, name string) error { return noTable(kind, name) }

func (NoTables) DropEmptyTable(_ context.Context, kind, name string) (int64, error) {
	return 0, noTable(kind, name)
}

func (NoTables) RenameTable(_ context.Context, kind, name, _ string) (string, error) {
	return "", noTable(kind, name)
}

func (NoTables) CopyTable(_ context.Context, kind, name, _ string) (string, int64, error) {
	return "", 0, noTable(kind, name)
}

func (NoTables) DeleteRows(_ context.Context, kind, name string, _ []RowVersion) (int64, error) {
	return 0, noTable(kind, name)
}

func (NoTables) Columns(_ context.Context, kind, table string) ([]Column, error) {
	return nil, noTable(kind, table)
}

func (NoTables) AddColumns(_ context.Context, kind, table string, _ []ColumnDef) ([]Column, error) {
	return nil, noTable(kind, table)
}

func (NoTables) UpdateColumn(_ context.Context, kind, table, _ string, _ ColumnDef) ([]Column, error) {
	return nil, noTable(kind, table)
}

func (NoTables) DropColumn(_ context.Context, kind, table, _ string) error {
	return noTable(kind, table)
}

func (NoTables) ImportCSV(_ context.Context, kind, table string, _ io.Reader, _ Import) (Imported, error) {
	return Imported{}, noTable(kind, table)
}

func (NoTables) FindImport(context.Context, string) (int64, bool, error) { return 0, false, nil }
