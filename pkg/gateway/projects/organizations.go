package projects

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
)

// Service manages organizations, workspaces, projects and their keys.
type Service struct {
	Store   *store.Store
	Engine  engine.Engine
	Now     func() time.Time
	Jobs    *jobs.Service
	Sources *sources.Service
}

// Routes registers the handlers.
func (s *Service) Routes(m *web.Mux) {
	web.Handle(m, spec.ListOrganizations, s.listOrganizations)
	web.Handle(m, spec.GetOrganization, s.getOrganization)
	web.Handle(m, spec.ListWorkspaces, s.listWorkspaces)
	web.Handle(m, spec.CreateWorkspace, s.createWorkspace)
	web.Handle(m, spec.GetWorkspace, s.getWorkspace)
	web.Handle(m, spec.UpdateWorkspace, s.updateWorkspace)
	web.Handle(m, spec.DeleteWorkspace, s.deleteWorkspace)
	s.projectRoutes(m)
	s.infoRoutes(m)
	s.keyRoutes(m)
}

func orgOut(o store.Organization) api.Organization {
	return api.Organization{ID: o.ID, Name: o.Name, Owner: o.Owner, CreatedAt: o.CreatedAt, IconFileID: o.IconFileID,
		Description: o.Description}
}

// workspaceOut sets createdAt only in lists, as the service does [S].
func workspaceOut(w store.Workspace, list bool) api.Workspace {
	out := api.Workspace{ID: w.ID, Name: w.Name, CreatedBy: w.CreatedBy, OrganizationID: w.OrganizationID,
		Description: w.Description, DefaultWorkspace: w.Default}
	if list {
		out.CreatedAt = &w.CreatedAt
	}
	return out
}

func (s *Service) listOrganizations(ctx context.Context, _ *web.Request[web.None]) ([]api.Organization, error) {
	all, err := s.Store.Organizations(ctx)
	return each.Map(all, orgOut), err
}

func (s *Service) getOrganization(ctx context.Context, r *web.Request[web.None]) (api.Organization, error) {
	o, err := s.organization(ctx, r.Param("organizationId"))
	return orgOut(o), err
}

func (s *Service) organization(ctx context.Context, id string) (store.Organization, error) {
	o, err := s.Store.Organization(ctx, id)
	return o, fault.NotFound(err, "there is no organization with id: %s", id)
}

func (s *Service) workspace(ctx context.Context, org, id string) (store.Workspace, error) {
	if _, err := s.organization(ctx, org); err != nil {
		return store.Workspace{}, err
	}
	w, err := s.Store.Workspace(ctx, org, id)
	return w, fault.NotFound(err, "there is no workspace with id: %s", id)
}

func (s *Service) listWorkspaces(ctx context.Context, r *web.Request[web.None]) ([]api.Workspace, error) {
	org, err := s.organization(ctx, r.Param("organizationId"))
	if err != nil {
		return nil, err
	}
	all, err := s.Store.Workspaces(ctx, org.ID)
	return each.Map(all, func(w store.Workspace) api.Workspace { return workspaceOut(w, true) }), err
}

func (s *Service) createWorkspace(ctx context.Context, r *web.Request[api.WorkspaceRequest]) (api.Workspace, error) {
	org, err := s.organization(ctx, r.Param("organizationId"))
	if err != nil {
		return api.Workspace{}, err
	}
	name, err := requiredName(r.Body.Name)
	if err != nil {
		return api.Workspace{}, err
	}
	w, err := s.Store.CreateWorkspace(ctx, org.ID, name, r.Body.Description, r.Body.AllowDuplicateName)
	return workspaceOut(w, false), err
}

func (s *Service) getWorkspace(ctx context.Context, r *web.Request[web.None]) (api.Workspace, error) {
	w, err := s.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	return workspaceOut(w, false), err
}

func (s *Service) updateWorkspace(ctx context.Context, r *web.Request[api.WorkspaceRequest]) (api.Workspace, error) {
	w, err := s.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return api.Workspace{}, err
	}
	if err := optionalName(r.Body.Name); err != nil {
		return api.Workspace{}, err
	}
	w, err = s.Store.UpdateWorkspace(ctx, w.OrganizationID, w.ID, r.Body.Name, r.Body.Description,
		r.Body.AllowDuplicateName)
	return workspaceOut(w, false), err
}

// deleteWorkspace refuses to delete a workspace that contains projects: the service leaves the effect open [S], and
// deleting the projects implicitly would be worse.
func (s *Service) deleteWorkspace(ctx context.Context, r *web.Request[web.None]) (web.None, error) {
	w, err := s.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return web.None{}, err
	}
	if w.Default {
		return web.None{}, fault.Data(409, "the default workspace of an organization cannot be deleted")
	}
	err = s.Store.DeleteWorkspace(ctx, w.OrganizationID, w.ID)
	if errors.Is(err, store.ErrInUse) {
		return web.None{}, fault.Data(409, "workspace %s still contains projects; delete them first", w.Name)
	}
	return web.None{}, err
}

func requiredName(name *string) (string, error) {
	if name == nil {
		return "", fault.Missing("name")
	}
	return *name, optionalName(name)
}

func optionalName(name *string) error {
	if name != nil && strings.TrimSpace(*name) == "" {
		return fault.Framework(400, "property %q is empty", "name")
	}
	return nil
}
