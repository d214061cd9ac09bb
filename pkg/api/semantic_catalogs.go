package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// SemanticCatalogsService has the methods of one group of endpoints.
type SemanticCatalogsService struct{ c *Client }

// Create runs POST /data/projects/{projectId}/semantic-catalogs.
func (s *SemanticCatalogsService) Create(ctx context.Context, project string,
	body SemanticCatalogRequest) (Catalog, error) {
	return call[Catalog](ctx, s.c, spec.CreateSemanticCatalog.At(project), body)
}

// CreateTable runs POST /data/projects/{projectId}/semantic-catalogs/{catalogId}.
func (s *SemanticCatalogsService) CreateTable(ctx context.Context, project, catalog string,
	body SemanticTableRequest) (SemanticTable, error) {
	return call[SemanticTable](ctx, s.c, spec.CreateSemanticTable.At(project, catalog), body)
}

// Share runs POST /data/projects/{projectId}/semantic-catalogs/{catalogId}/share.
func (s *SemanticCatalogsService) Share(ctx context.Context, project, catalog string,
	body SemanticCatalogShareRequest) error {
	return run(ctx, s.c, spec.ShareSemanticCatalog.At(project, catalog), body)
}

// DeleteTable runs DELETE /data/projects/{projectId}/semantic-catalogs/{catalogId}/table/{tableId}.
func (s *SemanticCatalogsService) DeleteTable(ctx context.Context, project, catalog, table string) error {
	return run(ctx, s.c, spec.DeleteSemanticTable.At(project, catalog, table), nil)
}
