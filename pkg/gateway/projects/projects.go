// Package projects serves organizations, workspaces, projects and their keys.
package projects

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

func (s *Service) projectRoutes(m *web.Mux) {
	web.Handle(m, spec.ListProjects, s.listProjects)
	web.Handle(m, spec.CreateProject, s.createProject)
	web.Handle(m, spec.GetProject, s.getProject)
	web.Handle(m, spec.UpdateProject, s.updateProject)
	web.Handle(m, spec.DeleteProject, s.deleteProject)
	web.Handle(m, spec.ListProjectsLegacy, s.listProjectsLegacy)
	web.Handle(m, spec.CreateProjectLegacy, withoutWorkspace(s.createProjectLegacy))
	web.Handle(m, spec.GetProjectLegacy, withoutWorkspace(s.getProject))
	web.Handle(m, spec.UpdateProjectLegacy, withoutWorkspace(s.updateProject))
	web.Handle(m, spec.DeleteProjectLegacy, s.deleteProject)
}

func (s *Service) infoRoutes(m *web.Mux) {
	web.Handle(m, spec.GetKeyInfo, s.getKeyInfo)
}

func projectOut(p store.Project) api.Project {
	webhook := "https://" + p.Domain + ".localhost/webhook"
	return api.Project{ID: p.ID, Name: p.Name, Description: p.Description, Domain: &p.Domain, WebhookBaseURL: &webhook,
		CreatedAt: p.CreatedAt, Owner: p.Owner, WorkspaceID: p.WorkspaceID}
}

// listedProject is a project as in lists: without its owner [S].
func listedProject(p store.Project) api.Project {
	out := projectOut(p)
	out.Owner = ""
	return out
}

func (s *Service) listProjects(ctx context.Context, r *web.Request[web.None]) ([]api.Project, error) {
	w, err := s.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return nil, err
	}
	all, err := s.Store.Projects(ctx, w.ID)
	return each.Map(all, listedProject), err
}

// listProjectsLegacy lists all projects, and to a project key its own [L].
func (s *Service) listProjectsLegacy(ctx context.Context, r *web.Request[web.None]) ([]api.Project, error) {
	if !r.Scope.Partner {
		p, err := s.Store.Project(ctx, "", r.Scope.ProjectID)
		return []api.Project{listedProject(p)}, err
	}
	all, err := s.Store.Projects(ctx, "")
	return each.Map(all, listedProject), err
}

func (s *Service) createProject(ctx context.Context, r *web.Request[api.ProjectRequest]) (api.Project, error) {
	w, err := s.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return api.Project{}, err
	}
	return s.newProject(ctx, w.ID, r.Body)
}

// createProjectLegacy creates the project in the default workspace: its path names none.
func (s *Service) createProjectLegacy(ctx context.Context, r *web.Request[api.ProjectRequest]) (api.Project, error) {
	return s.newProject(ctx, store.DefaultWorkspace, r.Body)
}

func (s *Service) newProject(ctx context.Context, workspace string, body api.ProjectRequest) (api.Project, error) {
	name, err := requiredName(body.Name)
	if err != nil {
		return api.Project{}, err
	}
	p, err := s.Store.CreateProject(ctx, workspace, name, body.Description, body.AllowDuplicateName)
	if err != nil {
		return api.Project{}, err
	}
	if err = s.Keep(ctx); err != nil {
		err = errors.Join(err, s.Store.DeleteProject(context.WithoutCancel(ctx), p.ID))
	}
	return projectOut(p), err
}

// Keep tells an engine that has to know it which projects there are: also those that other gateways have created.
func (s *Service) Keep(ctx context.Context) error {
	k, ok := s.Engine.(engine.Keeper)
	if !ok {
		return nil
	}
	lock, err := s.Jobs.Lock(ctx, "projects")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	all, err := s.Store.Projects(ctx, "")
	if err != nil {
		return err
	}
	return k.Keep(lock.Context, each.Map(all, func(p store.Project) string { return p.ID })...)
}

// inPath checks that a project belongs to the workspace and organization in the path, if any.
func (s *Service) inPath(ctx context.Context, p store.Project, org, workspace string) error {
	if org == "" {
		return nil
	}
	w, err := s.workspace(ctx, org, workspace)
	if err != nil {
		return err
	}
	if p.WorkspaceID != w.ID {
		return fault.Data(404, "there is no project with id %s in workspace %s", p.ID, w.Name)
	}
	return nil
}

func (s *Service) getProject(ctx context.Context, r *web.Request[web.None]) (api.Project, error) {
	err := s.inPath(ctx, r.Project, r.Param("organizationId"), r.Param("workspaceId"))
	return projectOut(r.Project), err
}

// withoutWorkspace omits workspaceId, as the service does in the legacy replies with one project [S].
func withoutWorkspace[B any](fn func(context.Context, *web.Request[B]) (api.Project,
	error)) func(context.Context, *web.Request[B]) (api.Project, error) {
	return func(ctx context.Context, r *web.Request[B]) (api.Project, error) {
		p, err := fn(ctx, r)
		p.WorkspaceID = ""
		return p, err
	}
}

func (s *Service) updateProject(ctx context.Context, r *web.Request[api.ProjectRequest]) (api.Project, error) {
	if err := s.inPath(ctx, r.Project, r.Param("organizationId"), r.Param("workspaceId")); err != nil {
		return api.Project{}, err
	}
	if err := optionalName(r.Body.Name); err != nil {
		return api.Project{}, err
	}
	p, err := s.Store.UpdateProject(ctx, r.Project, r.Body.Name, r.Body.Description, r.Body.AllowDuplicateName)
	return projectOut(p), err
}

func (s *Service) deleteProject(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	if err := s.inPath(ctx, r.Project, r.Param("organizationId"), r.Param("workspaceId")); err != nil {
		return web.None{}, err
	}
	// Rows first: if the process terminated in between, the project would still be listed and could be deleted again.
	if err := s.Engine.DropProject(ctx, r.Project.ID); err != nil {
		return web.None{}, err
	}
	if err := s.Store.DeleteProject(ctx, r.Project.ID); err != nil {
		return web.None{}, err
	}
	s.Sources.Sources.Forget(func(c store.Connection) bool { return c.ProjectID == r.Project.ID })
	return web.None{}, nil
}

// getKeyInfo returns the project only for a project key [T].
func (s *Service) getKeyInfo(ctx context.Context, r *web.Request[web.None]) (api.ProjectInfo, error) {
	info := api.ProjectInfo{UserID: r.Scope.UserID, Email: r.Scope.Email}
	if r.Scope.Partner {
		return info, nil
	}
	p, err := s.Store.Project(ctx, "", r.Scope.ProjectID)
	if err != nil {
		return info, err
	}
	info.ProjectID, info.ProjectName = &p.ID, &p.Name
	return info, nil
}
