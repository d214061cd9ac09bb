package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// ProjectsService has the methods of one group of endpoints.
type ProjectsService struct{ c *Client }

// List runs GET /organizations/{organizationId}/workspaces/{workspaceId}/projects.
func (s *ProjectsService) List(ctx context.Context, org, workspace string) ([]Project, error) {
	return callList[Project](ctx, s.c, spec.ListProjects.At(org, workspace), nil)
}

// Create runs POST /organizations/{organizationId}/workspaces/{workspaceId}/projects.
func (s *ProjectsService) Create(ctx context.Context, org, workspace string, body ProjectRequest) (Project, error) {
	return call[Project](ctx, s.c, spec.CreateProject.At(org, workspace), body)
}

// Get runs GET /organizations/{organizationId}/workspaces/{workspaceId}/projects/{projectId}.
func (s *ProjectsService) Get(ctx context.Context, org, workspace, project string) (Project, error) {
	return call[Project](ctx, s.c, spec.GetProject.At(org, workspace, project), nil)
}

// Update runs PUT /organizations/{organizationId}/workspaces/{workspaceId}/projects/{projectId}.
func (s *ProjectsService) Update(ctx context.Context, org, workspace, project string,
	body ProjectRequest) (Project, error) {
	return call[Project](ctx, s.c, spec.UpdateProject.At(org, workspace, project), body)
}

// Delete runs DELETE /organizations/{organizationId}/workspaces/{workspaceId}/projects/{projectId}.
func (s *ProjectsService) Delete(ctx context.Context, org, workspace, project string) error {
	return run(ctx, s.c, spec.DeleteProject.At(org, workspace, project), nil)
}

// ListLegacy runs GET /projects.
//
// The documents mark it as deprecated and name a successor.
func (s *ProjectsService) ListLegacy(ctx context.Context) ([]Project, error) {
	return callList[Project](ctx, s.c, spec.ListProjectsLegacy.At(), nil)
}

// CreateLegacy runs POST /projects.
//
// The documents mark it as deprecated and name a successor.
func (s *ProjectsService) CreateLegacy(ctx context.Context, body ProjectRequest) (Project, error) {
	return call[Project](ctx, s.c, spec.CreateProjectLegacy.At(), body)
}

// GetLegacy runs GET /projects/{projectId}.
//
// The documents mark it as deprecated and name a successor.
func (s *ProjectsService) GetLegacy(ctx context.Context, project string) (Project, error) {
	return call[Project](ctx, s.c, spec.GetProjectLegacy.At(project), nil)
}

// UpdateLegacy runs PUT /projects/{projectId}.
//
// The documents mark it as deprecated and name a successor.
func (s *ProjectsService) UpdateLegacy(ctx context.Context, project string, body ProjectRequest) (Project, error) {
	return call[Project](ctx, s.c, spec.UpdateProjectLegacy.At(project), body)
}

// DeleteLegacy runs DELETE /projects/{projectId}.
//
// The documents mark it as deprecated and name a successor.
func (s *ProjectsService) DeleteLegacy(ctx context.Context, project string) error {
	return run(ctx, s.c, spec.DeleteProjectLegacy.At(project), nil)
}
