package api

import (
	"context"
	"net/url"

	"github.com/dig-cli/dig/pkg/spec"
)

// CacheService has the methods of one group of endpoints.
type CacheService struct{ c *Client }

// Create runs POST /data/projects/{projectId}/cache.
func (s *CacheService) Create(ctx context.Context, project string, body CacheRequest) (Cache, error) {
	return call[Cache](ctx, s.c, spec.CreateCache.At(project), body)
}

// CreateBatch runs POST /data/projects/{projectId}/cache/batch.
func (s *CacheService) CreateBatch(ctx context.Context, project string,
	body []CacheRequest) ([]CacheCreateStatus, error) {
	return callList[CacheCreateStatus](ctx, s.c, spec.CreateCacheBatch.At(project), body)
}

// Statuses runs GET /data/projects/{projectId}/cache/status.
func (s *CacheService) Statuses(ctx context.Context, project string) ([]CacheStatus, error) {
	return callList[CacheStatus](ctx, s.c, spec.ListCacheStatuses.At(project), nil)
}

// Settings runs GET /data/projects/{projectId}/cache/{cacheId}.
func (s *CacheService) Settings(ctx context.Context, project, cache string) (Cache, error) {
	return call[Cache](ctx, s.c, spec.GetCacheSettings.At(project, cache), nil)
}

// UpdateSettings runs PUT /data/projects/{projectId}/cache/{cacheId}.
func (s *CacheService) UpdateSettings(ctx context.Context, project, cache string,
	body CacheScheduleUpdate) (Cache, error) {
	return call[Cache](ctx, s.c, spec.UpdateCacheSettings.At(project, cache), body)
}

// Delete runs DELETE /data/projects/{projectId}/cache/{cacheId}.
func (s *CacheService) Delete(ctx context.Context, project, cache string) error {
	return run(ctx, s.c, spec.DeleteCache.At(project, cache), nil)
}

// CancelFullRefresh runs POST /data/projects/{projectId}/cache/{cacheId}/cancelFullRefreshUpdate.
func (s *CacheService) CancelFullRefresh(ctx context.Context, project, cache string) error {
	return run(ctx, s.c, spec.CancelFullRefresh.At(project, cache), nil)
}

// CancelIncrementalUpdate runs POST /data/projects/{projectId}/cache/{cacheId}/cancelIncrementalUpdate.
func (s *CacheService) CancelIncrementalUpdate(ctx context.Context, project, cache string) error {
	return run(ctx, s.c, spec.CancelIncrementalUpdate.At(project, cache), nil)
}

// Executions runs GET /data/projects/{projectId}/cache/{cacheId}/executionHistory.
func (s *CacheService) Executions(ctx context.Context, project, cache string,
	params url.Values) ([]CacheExecutionInfo, error) {
	return callList[CacheExecutionInfo](ctx, s.c, spec.ListCacheExecutions.At(project, cache).WithQuery(params), nil)
}

// FullRefresh runs POST /data/projects/{projectId}/cache/{cacheId}/fullRefreshUpdate.
func (s *CacheService) FullRefresh(ctx context.Context, project, cache string) error {
	return run(ctx, s.c, spec.TriggerFullRefresh.At(project, cache), nil)
}

// IncrementalUpdate runs POST /data/projects/{projectId}/cache/{cacheId}/incrementalUpdate.
func (s *CacheService) IncrementalUpdate(ctx context.Context, project, cache string) error {
	return run(ctx, s.c, spec.TriggerIncrementalUpdate.At(project, cache), nil)
}

// Status runs GET /data/projects/{projectId}/cache/{cacheId}/status.
func (s *CacheService) Status(ctx context.Context, project, cache string, params url.Values) (CacheStatus, error) {
	return call[CacheStatus](ctx, s.c, spec.GetCacheStatus.At(project, cache).WithQuery(params), nil)
}

// CatalogStatuses runs GET /data/projects/{projectId}/catalog/{catalogId}/cache/status.
func (s *CacheService) CatalogStatuses(ctx context.Context, project, catalog string) ([]CacheStatus, error) {
	return callList[CacheStatus](ctx, s.c, spec.ListCatalogCacheStatuses.At(project, catalog), nil)
}

// SchemaStatuses runs GET /data/projects/{projectId}/catalog/{catalogId}/schema/{schemaName}/cache/status.
func (s *CacheService) SchemaStatuses(ctx context.Context, project, catalog, schema string) ([]CacheStatus, error) {
	return callList[CacheStatus](ctx, s.c, spec.ListSchemaCacheStatuses.At(project, catalog, schema), nil)
}
