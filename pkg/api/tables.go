package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// NoDefault is the default of a column in an update that removes it: zone local keeps one that is left out.
var NoDefault = ""

// TablesService has the methods of one group of endpoints.
type TablesService struct{ c *Client }

// List runs GET /data/projects/{projectId}/table.
func (s *TablesService) List(ctx context.Context, project string) ([]Table, error) {
	return callList[Table](ctx, s.c, spec.ListInternalTables.At(project), nil)
}

// Create runs POST /data/projects/{projectId}/table/{tableName}.
func (s *TablesService) Create(ctx context.Context, project, table string) (Table, error) {
	return call[Table](ctx, s.c, spec.CreateInternalTable.At(project, table), nil)
}

// Delete runs DELETE /data/projects/{projectId}/table/{tableName}.
func (s *TablesService) Delete(ctx context.Context, project, table string) error {
	return run(ctx, s.c, spec.DeleteInternalTable.At(project, table), nil)
}

// Columns runs GET /data/projects/{projectId}/table/{tableName}/columns.
func (s *TablesService) Columns(ctx context.Context, project, table string) ([]ColumnDetail, error) {
	return callList[ColumnDetail](ctx, s.c, spec.ListInternalColumns.At(project, table), nil)
}

// AddColumns runs POST /data/projects/{projectId}/table/{tableName}/columns.
func (s *TablesService) AddColumns(ctx context.Context, project, table string,
	body []ColumnRequest) ([]ColumnDetail, error) {
	return callList[ColumnDetail](ctx, s.c, spec.AddInternalColumns.At(project, table), body)
}

// UpdateColumn runs PUT /data/projects/{projectId}/table/{tableName}/columns/{columnName}. A default of NoDefault is
// sent as null.
func (s *TablesService) UpdateColumn(ctx context.Context, project, table, column string,
	body ColumnRequest) ([]ColumnDetail, error) {
	if body.DefaultValue != &NoDefault {
		return callList[ColumnDetail](ctx, s.c, spec.UpdateInternalColumn.At(project, table, column), body)
	}
	return callList[ColumnDetail](ctx, s.c, spec.UpdateInternalColumn.At(project, table, column), struct {
		ColumnRequest
		DefaultValue *string `json:"defaultValue"`
	}{ColumnRequest: body})
}

// DeleteColumn runs DELETE /data/projects/{projectId}/table/{tableName}/columns/{columnName}.
func (s *TablesService) DeleteColumn(ctx context.Context, project, table, column string) error {
	return run(ctx, s.c, spec.DeleteInternalColumn.At(project, table, column), nil)
}

// CreateWholeTable creates an internal table, or a BI table, together with its columns, all or nothing. Only zone local
// has it; it is not an operation of the service.
func (c *Client) CreateWholeTable(ctx context.Context, project, table string, bi bool,
	columns []ColumnRequest) (Table, error) {
	op := spec.CreateWholeTable
	if bi {
		op = spec.CreateWholeBi
	}
	return call[Table](ctx, c, op.At(project, table), columns)
}

// DropEmptyTable deletes an internal table, or a BI table, that has no rows at that moment; one with rows is an error
// with status 409. Only zone local has it; it is not an operation of the service.
func (c *Client) DropEmptyTable(ctx context.Context, project, table string, bi bool) error {
	op := spec.DropEmptyTable
	if bi {
		op = spec.DropEmptyBi
	}
	return run(ctx, c, op.At(project, table), nil)
}

// DeleteRows deletes rows of an internal table or a BI table in one step. Only zone local has it; it is not an
// operation of the service.
func (c *Client) DeleteRows(ctx context.Context, project, schema, table string,
	which RowDeletion) (ChangedTable, error) {
	return call[ChangedTable](ctx, c, spec.DeleteRows.At(project, schema, table), which)
}

// RenameTable gives an internal table or a BI table another name. Only zone local has it; it is not an operation of the
// service.
func (c *Client) RenameTable(ctx context.Context, project, schema, table, to string) (ChangedTable, error) {
	return call[ChangedTable](ctx, c, spec.RenameTable.At(project, schema, table), TableName{to})
}

// CopyTable creates an internal table or a BI table with the columns and rows of another. Only zone local has it; it is
// not an operation of the service.
func (c *Client) CopyTable(ctx context.Context, project, schema, table, to string) (ChangedTable, error) {
	return call[ChangedTable](ctx, c, spec.CopyTable.At(project, schema, table), TableName{to})
}
