package api

import (
	"context"
	"net/url"

	"github.com/dig-cli/dig/pkg/spec"
)

// QueriesService has the methods of one group of endpoints.
type QueriesService struct{ c *Client }

// List runs GET /data/projects/{projectId}/queries.
func (s *QueriesService) List(ctx context.Context, project string) ([]Query, error) {
	return callList[Query](ctx, s.c, spec.ListQueries.At(project), nil)
}

// Create runs POST /data/projects/{projectId}/queries.
func (s *QueriesService) Create(ctx context.Context, project string, body QueryRequest,
	params url.Values) (Query, error) {
	return call[Query](ctx, s.c, spec.CreateQuery.At(project).WithQuery(params), body)
}

// Get runs GET /data/projects/{projectId}/queries/{queryId}.
func (s *QueriesService) Get(ctx context.Context, project, query string) (Query, error) {
	return call[Query](ctx, s.c, spec.GetQuery.At(project, query), nil)
}

// Update runs PUT /data/projects/{projectId}/queries/{queryId}.
func (s *QueriesService) Update(ctx context.Context, project, query string, body QueryRequest,
	params url.Values) (Query, error) {
	return call[Query](ctx, s.c, spec.UpdateQuery.At(project, query).WithQuery(params), body)
}

// Delete runs DELETE /data/projects/{projectId}/queries/{queryId}.
func (s *QueriesService) Delete(ctx context.Context, project, query string) error {
	return run(ctx, s.c, spec.DeleteQuery.At(project, query), nil)
}

// Move runs PATCH /data/projects/{projectId}/queries/{queryId}/path.
func (s *QueriesService) Move(ctx context.Context, project, query string, body QueryPathUpdateRequest) error {
	return run(ctx, s.c, spec.MoveQuery.At(project, query), body)
}
