package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// APIKeysService has the methods of one group of endpoints.
type APIKeysService struct{ c *Client }

// List runs GET /projects/{projectId}/apiKeys.
func (s *APIKeysService) List(ctx context.Context, project string) ([]ApiKey, error) {
	return callList[ApiKey](ctx, s.c, spec.ListApiKeys.At(project), nil)
}

// Create runs POST /projects/{projectId}/apiKeys.
func (s *APIKeysService) Create(ctx context.Context, project string, body ApiKeyRequest) (ApiKey, error) {
	return call[ApiKey](ctx, s.c, spec.CreateApiKey.At(project), body)
}

// Delete runs DELETE /projects/{projectId}/apiKeys/{apiKeyId}.
func (s *APIKeysService) Delete(ctx context.Context, project, key string) error {
	return run(ctx, s.c, spec.DeleteApiKey.At(project, key), nil)
}
