package api

import (
	"context"
	"net/url"

	"github.com/dig-cli/dig/pkg/spec"
)

// ExportsService holds the operations of its group of endpoints.
type ExportsService struct{ c *Client }

// StartQuery runs POST /data/projects/{projectId}/queries/{queryId}/exports.
func (s *ExportsService) StartQuery(ctx context.Context, project, query string, body ExportRequest) (ExportJobCreated, error) {
	return call[ExportJobCreated](ctx, s.c, spec.ExportQuery.At(project, query), body)
}

// StartTable runs POST /data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/exports.
func (s *ExportsService) StartTable(ctx context.Context, project, catalog, schema, table string, body ExportRequest) (ExportJobCreated, error) {
	return call[ExportJobCreated](ctx, s.c, spec.ExportTable.At(project, catalog, schema, table), body)
}

// List runs GET /data/projects/{projectId}/exports.
func (s *ExportsService) List(ctx context.Context, project string, params url.Values) ([]ExportJobResponse, error) {
	return callList[ExportJobResponse](ctx, s.c, spec.ListExports.At(project).WithQuery(params), nil)
}

// Get runs GET /data/projects/{projectId}/exports/{exportId}.
func (s *ExportsService) Get(ctx context.Context, project, export string) (ExportJobResponse, error) {
	return call[ExportJobResponse](ctx, s.c, spec.GetExport.At(project, export), nil)
}

// Cancel runs DELETE /data/projects/{projectId}/exports/{exportId}.
func (s *ExportsService) Cancel(ctx context.Context, project, export string) error {
	return run(ctx, s.c, spec.CancelExport.At(project, export), nil)
}
