package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// ConnectionsService has the methods of one group of endpoints.
type ConnectionsService struct{ c *Client }

// ListConfigs runs GET /connections/config.
func (s *ConnectionsService) ListConfigs(ctx context.Context) ([]ConnectionConfiguration, error) {
	return callList[ConnectionConfiguration](ctx, s.c, spec.ListConnectionConfigs.At(), nil)
}

// GetConfig runs GET /connections/config/{connectionType}.
func (s *ConnectionsService) GetConfig(ctx context.Context, typ string) (ConnectionConfiguration, error) {
	return call[ConnectionConfiguration](ctx, s.c, spec.GetConnectionConfig.At(typ), nil)
}

// List runs GET /connections/{projectId}.
func (s *ConnectionsService) List(ctx context.Context, project string) ([]Connection, error) {
	return callList[Connection](ctx, s.c, spec.ListConnections.At(project), nil)
}

// Create runs POST /connections/{projectId}.
func (s *ConnectionsService) Create(ctx context.Context, project string, body ConnectionRequest) (Connection, error) {
	return call[Connection](ctx, s.c, spec.CreateConnection.At(project), body)
}

// CompleteOAuth runs POST /connections/{projectId}/oauth2.
func (s *ConnectionsService) CompleteOAuth(ctx context.Context, project string,
	body OAuthCallbackRequest) (Connection, error) {
	return call[Connection](ctx, s.c, spec.CompleteOauthConnection.At(project), body)
}

// Get runs GET /connections/{projectId}/{connectionId}.
func (s *ConnectionsService) Get(ctx context.Context, project, connection string) (Connection, error) {
	return call[Connection](ctx, s.c, spec.GetConnection.At(project, connection), nil)
}

// Update runs PUT /connections/{projectId}/{connectionId}.
func (s *ConnectionsService) Update(ctx context.Context, project, connection string,
	body ConnectionRequest) (Connection, error) {
	return call[Connection](ctx, s.c, spec.UpdateConnection.At(project, connection), body)
}

// Delete runs DELETE /connections/{projectId}/{connectionId}.
func (s *ConnectionsService) Delete(ctx context.Context, project, connection string) error {
	return run(ctx, s.c, spec.DeleteConnection.At(project, connection), nil)
}

// Detail runs GET /connections/{projectId}/{connectionId}/detail.
func (s *ConnectionsService) Detail(ctx context.Context, project, connection string) (ConnectionDetail, error) {
	return call[ConnectionDetail](ctx, s.c, spec.GetConnectionDetail.At(project, connection), nil)
}

// CreateAlt runs POST /projects/{projectId}/connections.
func (s *ConnectionsService) CreateAlt(ctx context.Context, project string,
	body ConnectionRequest) (Connection, error) {
	return call[Connection](ctx, s.c, spec.CreateConnectionAlt.At(project), body)
}
