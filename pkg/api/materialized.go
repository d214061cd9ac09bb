package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// MaterializedService has the methods of one group of endpoints.
type MaterializedService struct{ c *Client }

// Statuses runs GET /data/projects/{projectId}/materialized-queries/status.
func (s *MaterializedService) Statuses(ctx context.Context, project string) ([]MaterializedQueryStatus, error) {
	return callList[MaterializedQueryStatus](ctx, s.c, spec.ListMaterializedStatuses.At(project), nil)
}

// Status runs GET /data/projects/{projectId}/materialized-queries/{queryId}/status.
func (s *MaterializedService) Status(ctx context.Context, project, query string) (MaterializedQueryStatus, error) {
	return call[MaterializedQueryStatus](ctx, s.c, spec.GetMaterializedStatus.At(project, query), nil)
}

// Refresh runs POST /data/projects/{projectId}/materialized-queries/{queryId}/refresh.
func (s *MaterializedService) Refresh(ctx context.Context, project, query string) error {
	return run(ctx, s.c, spec.RefreshMaterializedQuery.At(project, query), nil)
}

// Cancel runs POST /data/projects/{projectId}/materialized-queries/{queryId}/cancel.
func (s *MaterializedService) Cancel(ctx context.Context, project, query string) error {
	return run(ctx, s.c, spec.CancelMaterializedRefresh.At(project, query), nil)
}
