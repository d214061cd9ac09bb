package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// BITablesService has the methods of one group of endpoints.
type BITablesService struct{ c *Client }

// List runs GET /data/projects/{projectId}/bitable.
func (s *BITablesService) List(ctx context.Context, project string) ([]Table, error) {
	return callList[Table](ctx, s.c, spec.ListBiTables.At(project), nil)
}

// Create runs POST /data/projects/{projectId}/bitable/{tableName}.
func (s *BITablesService) Create(ctx context.Context, project, table string) (Table, error) {
	return call[Table](ctx, s.c, spec.CreateBiTable.At(project, table), nil)
}

// Delete runs DELETE /data/projects/{projectId}/bitable/{tableName}.
func (s *BITablesService) Delete(ctx context.Context, project, table string) error {
	return run(ctx, s.c, spec.DeleteBiTable.At(project, table), nil)
}

// Columns runs GET /data/projects/{projectId}/bitable/{tableName}/columns.
func (s *BITablesService) Columns(ctx context.Context, project, table string) ([]ColumnDetail, error) {
	return callList[ColumnDetail](ctx, s.c, spec.ListBiColumns.At(project, table), nil)
}

// AddColumns runs POST /data/projects/{projectId}/bitable/{tableName}/columns.
func (s *BITablesService) AddColumns(ctx context.Context, project, table string,
	body []ColumnRequest) ([]ColumnDetail, error) {
	return callList[ColumnDetail](ctx, s.c, spec.AddBiColumns.At(project, table), body)
}

// UpdateColumn runs PUT /data/projects/{projectId}/bitable/{tableName}/columns/{columnName}.
func (s *BITablesService) UpdateColumn(ctx context.Context, project, table, column string,
	body ColumnRequest) ([]ColumnDetail, error) {
	return callList[ColumnDetail](ctx, s.c, spec.UpdateBiColumn.At(project, table, column), body)
}

// DeleteColumn runs DELETE /data/projects/{projectId}/bitable/{tableName}/columns/{columnName}.
func (s *BITablesService) DeleteColumn(ctx context.Context, project, table, column string) error {
	return run(ctx, s.c, spec.DeleteBiColumn.At(project, table, column), nil)
}
