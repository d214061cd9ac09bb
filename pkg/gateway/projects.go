package gateway

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

func (g *projectsService) projectRoutes(m *webService) {
	handle(m, spec.ListProjects, g.listProjects)
	handle(m, spec.CreateProject, g.createProject)
	handle(m, spec.GetProject, g.getProject)
	handle(m, spec.UpdateProject, g.updateProject)
	handle(m, spec.DeleteProject, g.deleteProject)
	handle(m, spec.ListProjectsLegacy, g.listProjectsLegacy)
	handle(m, spec.CreateProjectLegacy, withoutWorkspace(g.createProjectLegacy))
	handle(m, spec.GetProjectLegacy, withoutWorkspace(g.getProject))
	handle(m, spec.UpdateProjectLegacy, withoutWorkspace(g.updateProject))
	handle(m, spec.DeleteProjectLegacy, g.deleteProject)
}

func (g *projectsService) infoRoutes(m *webService) {
	handle(m, spec.GetKeyInfo, g.getKeyInfo)
}

func projectOut(p store.Project) api.Project {
	webhook := "https://" + p.Domain + ".localhost/webhook"
	return api.Project{ID: p.ID, Name: p.Name, Description: p.Description, Domain: &p.Domain, WebhookBaseURL: &webhook,
		CreatedAt: p.CreatedAt, Owner: p.Owner, WorkspaceID: p.WorkspaceID}
}

// listedProject is a project as lists have it: without its owner [S].
func listedProject(p store.Project) api.Project {
	out := projectOut(p)
	out.Owner = ""
	return out
}

func (g *projectsService) listProjects(ctx context.Context, r *Request[None]) ([]api.Project, error) {
	w, err := g.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return nil, err
	}
	all, err := g.store.Projects(ctx, w.ID)
	return mapAll(all, listedProject), err
}

func (g *projectsService) listProjectsLegacy(ctx context.Context, _ *Request[None]) ([]api.Project, error) {
	all, err := g.store.Projects(ctx, "")
	return mapAll(all, listedProject), err
}

func (g *projectsService) createProject(ctx context.Context, r *Request[api.ProjectRequest]) (api.Project, error) {
	w, err := g.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return api.Project{}, err
	}
	return g.newProject(ctx, w.ID, r.Body)
}

// createProjectLegacy puts the project into the default workspace: its path names none.
func (g *projectsService) createProjectLegacy(ctx context.Context, r *Request[api.ProjectRequest]) (api.Project, error) {
	return g.newProject(ctx, store.DefaultWorkspace, r.Body)
}

func (g *projectsService) newProject(ctx context.Context, workspace string, body api.ProjectRequest) (api.Project, error) {
	name, err := requiredName(body.Name)
	if err != nil {
		return api.Project{}, err
	}
	p, err := g.store.CreateProject(ctx, workspace, name, body.Description)
	return projectOut(p), err
}

// inPath checks that a project lies in the workspace and organization that the path names, if it names them.
func (g *projectsService) inPath(ctx context.Context, p store.Project, org, workspace string) error {
	if org == "" {
		return nil
	}
	w, err := g.workspace(ctx, org, workspace)
	if err != nil {
		return err
	}
	if p.WorkspaceID != w.ID {
		return dataFault(404, "there is no project with id %s in workspace %s", p.ID, w.Name)
	}
	return nil
}

func (g *projectsService) getProject(ctx context.Context, r *Request[None]) (api.Project, error) {
	err := g.inPath(ctx, r.Project, r.Param("organizationId"), r.Param("workspaceId"))
	return projectOut(r.Project), err
}

// withoutWorkspace leaves out workspaceId, as the service does in the legacy replies that hold one project [S].
func withoutWorkspace[B any](fn func(context.Context, *Request[B]) (api.Project, error)) func(context.Context, *Request[B]) (api.Project, error) {
	return func(ctx context.Context, r *Request[B]) (api.Project, error) {
		p, err := fn(ctx, r)
		p.WorkspaceID = ""
		return p, err
	}
}

func (g *projectsService) updateProject(ctx context.Context, r *Request[api.ProjectRequest]) (api.Project, error) {
	if err := g.inPath(ctx, r.Project, r.Param("organizationId"), r.Param("workspaceId")); err != nil {
		return api.Project{}, err
	}
	if err := optionalName(r.Body.Name); err != nil {
		return api.Project{}, err
	}
	p, err := g.store.UpdateProject(ctx, r.Project.ID, r.Body.Name, r.Body.Description)
	return projectOut(p), err
}

func (g *projectsService) deleteProject(ctx context.Context, r *Request[None]) (None, error) {
	if err := g.inPath(ctx, r.Project, r.Param("organizationId"), r.Param("workspaceId")); err != nil {
		return None{}, err
	}
	// Rows first: were the process to die in between, the project would still be listed and could be deleted again.
	if err := g.engine.DropProject(ctx, r.Project.ID); err != nil {
		return None{}, err
	}
	if err := g.store.DeleteProject(ctx, r.Project.ID); err != nil {
		return None{}, err
	}
	g.sources.sources.forget(func(c store.Connection) bool { return c.ProjectID == r.Project.ID })
	return None{}, nil
}

// getKeyInfo names the project only for a project key [T].
func (g *projectsService) getKeyInfo(ctx context.Context, r *Request[None]) (api.ProjectInfo, error) {
	info := api.ProjectInfo{UserID: r.Scope.UserID, Email: r.Scope.Email}
	if r.Scope.Partner {
		return info, nil
	}
	p, err := g.store.Project(ctx, "", r.Scope.ProjectID)
	if err != nil {
		return info, err
	}
	info.ProjectID, info.ProjectName = &p.ID, &p.Name
	return info, nil
}
