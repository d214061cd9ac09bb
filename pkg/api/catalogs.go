package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// CatalogsService has the methods of one group of endpoints.
type CatalogsService struct{ c *Client }

// List runs GET /data/projects/{projectId}/catalogs.
func (s *CatalogsService) List(ctx context.Context, project string) ([]Catalog, error) {
	return callList[Catalog](ctx, s.c, spec.ListCatalogs.At(project), nil)
}

// Create runs POST /data/projects/{projectId}/catalogs.
func (s *CatalogsService) Create(ctx context.Context, project string, body CatalogRequest) (Catalog, error) {
	return call[Catalog](ctx, s.c, spec.CreateCatalog.At(project), body)
}

// Get runs GET /data/projects/{projectId}/catalogs/{catalogId}.
func (s *CatalogsService) Get(ctx context.Context, project, catalog string) (Catalog, error) {
	return call[Catalog](ctx, s.c, spec.GetCatalog.At(project, catalog), nil)
}

// Delete runs DELETE /data/projects/{projectId}/catalogs/{catalogId}.
func (s *CatalogsService) Delete(ctx context.Context, project, catalog string) error {
	return run(ctx, s.c, spec.DeleteCatalog.At(project, catalog), nil)
}

// Schemas runs GET /data/projects/{projectId}/catalogs/{catalogId}/schemas.
func (s *CatalogsService) Schemas(ctx context.Context, project, catalog string) ([]Schema, error) {
	return callList[Schema](ctx, s.c, spec.ListSchemas.At(project, catalog), nil)
}

// Tables runs GET /data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables.
func (s *CatalogsService) Tables(ctx context.Context, project, catalog, schema string) ([]Table, error) {
	return callList[Table](ctx, s.c, spec.ListTables.At(project, catalog, schema), nil)
}

// Columns runs GET /data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/columns.
func (s *CatalogsService) Columns(ctx context.Context, project, catalog, schema, table string) ([]ColumnDetail, error) {
	return callList[ColumnDetail](ctx, s.c, spec.ListColumns.At(project, catalog, schema, table), nil)
}

// CacheState runs GET /data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/isCached.
func (s *CatalogsService) CacheState(ctx context.Context, project, catalog, schema,
	table string) (TableCacheResult, error) {
	return call[TableCacheResult](ctx, s.c, spec.GetTableCacheState.At(project, catalog, schema, table), nil)
}

// Statistics runs GET
// /data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/statistics.
func (s *CatalogsService) Statistics(ctx context.Context, project, catalog, schema,
	table string) (TableStatistics, error) {
	return call[TableStatistics](ctx, s.c, spec.GetTableStatistics.At(project, catalog, schema, table), nil)
}

// Share runs POST /data/projects/{projectId}/catalogs/{catalogId}/share.
func (s *CatalogsService) Share(ctx context.Context, project, catalog string,
	body CatalogShareRequest) (SharedCatalogResponse, error) {
	return call[SharedCatalogResponse](ctx, s.c, spec.ShareCatalog.At(project, catalog), body)
}

// Search runs POST /data/projects/{projectId}/search.
func (s *CatalogsService) Search(ctx context.Context, project string, body SearchRequest) (SearchResult, error) {
	return call[SearchResult](ctx, s.c, spec.Search.At(project), body)
}

// CreateAlt runs POST /projects/{projectId}/catalogs.
func (s *CatalogsService) CreateAlt(ctx context.Context, project string, body CatalogRequest) (Catalog, error) {
	return call[Catalog](ctx, s.c, spec.CreateCatalogAlt.At(project), body)
}
