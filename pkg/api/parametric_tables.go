package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// ParametricTablesService has the methods of one group of endpoints.
type ParametricTablesService struct{ c *Client }

// List runs GET /data/projects/{projectId}/catalogs/{catalogId}/parametricTables.
func (s *ParametricTablesService) List(ctx context.Context, project, catalog string) ([]ParametricTable, error) {
	return callList[ParametricTable](ctx, s.c, spec.ListParametricTables.At(project, catalog), nil)
}

// Create runs POST /data/projects/{projectId}/catalogs/{catalogId}/parametricTables.
func (s *ParametricTablesService) Create(ctx context.Context, project, catalog string,
	body ParametricTable) (ParametricTable, error) {
	return call[ParametricTable](ctx, s.c, spec.CreateParametricTable.At(project, catalog), body)
}

// Delete runs DELETE /data/projects/{projectId}/catalogs/{catalogId}/parametricTables.
func (s *ParametricTablesService) Delete(ctx context.Context, project, catalog string, toSchema, toTable string) error {
	return run(ctx, s.c, spec.DeleteParametricTable.At(project, catalog).With("toSchema", toSchema).With("toTable",
		toTable), nil)
}
