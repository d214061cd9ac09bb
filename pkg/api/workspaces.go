package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// WorkspacesService has the methods of one group of endpoints.
type WorkspacesService struct{ c *Client }

// List runs GET /organizations/{organizationId}/workspaces.
func (s *WorkspacesService) List(ctx context.Context, org string) ([]Workspace, error) {
	return callList[Workspace](ctx, s.c, spec.ListWorkspaces.At(org), nil)
}

// Create runs POST /organizations/{organizationId}/workspaces.
func (s *WorkspacesService) Create(ctx context.Context, org string, body WorkspaceRequest) (Workspace, error) {
	return call[Workspace](ctx, s.c, spec.CreateWorkspace.At(org), body)
}

// Get runs GET /organizations/{organizationId}/workspaces/{workspaceId}.
func (s *WorkspacesService) Get(ctx context.Context, org, workspace string) (Workspace, error) {
	return call[Workspace](ctx, s.c, spec.GetWorkspace.At(org, workspace), nil)
}

// Update runs PUT /organizations/{organizationId}/workspaces/{workspaceId}.
func (s *WorkspacesService) Update(ctx context.Context, org, workspace string,
	body WorkspaceRequest) (Workspace, error) {
	return call[Workspace](ctx, s.c, spec.UpdateWorkspace.At(org, workspace), body)
}

// Delete runs DELETE /organizations/{organizationId}/workspaces/{workspaceId}.
func (s *WorkspacesService) Delete(ctx context.Context, org, workspace string) error {
	return run(ctx, s.c, spec.DeleteWorkspace.At(org, workspace), nil)
}
