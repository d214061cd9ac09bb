package gateway

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// projectsService keeps organizations, workspaces, projects and the keys to them.
type projectsService struct {
	store   *store.Store
	engine  engine.Engine
	now     func() time.Time
	sources *sourcesService
}

// Routes registers the handlers.
func (g *projectsService) Routes(m *webService) {
	handle(m, spec.ListOrganizations, g.listOrganizations)
	handle(m, spec.GetOrganization, g.getOrganization)
	handle(m, spec.ListWorkspaces, g.listWorkspaces)
	handle(m, spec.CreateWorkspace, g.createWorkspace)
	handle(m, spec.GetWorkspace, g.getWorkspace)
	handle(m, spec.UpdateWorkspace, g.updateWorkspace)
	handle(m, spec.DeleteWorkspace, g.deleteWorkspace)
	g.projectRoutes(m)
	g.infoRoutes(m)
	g.keyRoutes(m)
}

func orgOut(o store.Organization) api.Organization {
	return api.Organization{ID: o.ID, Name: o.Name, Owner: o.Owner, CreatedAt: o.CreatedAt, IconFileID: o.IconFileID, Description: o.Description}
}

// workspaceOut fills createdAt only in lists, as the service does [S].
func workspaceOut(w store.Workspace, list bool) api.Workspace {
	out := api.Workspace{ID: w.ID, Name: w.Name, CreatedBy: w.CreatedBy, OrganizationID: w.OrganizationID, Description: w.Description, DefaultWorkspace: w.Default}
	if list {
		out.CreatedAt = &w.CreatedAt
	}
	return out
}

func (g *projectsService) listOrganizations(ctx context.Context, _ *Request[None]) ([]api.Organization, error) {
	all, err := g.store.Organizations(ctx)
	return mapAll(all, orgOut), err
}

func (g *projectsService) getOrganization(ctx context.Context, r *Request[None]) (api.Organization, error) {
	o, err := g.organization(ctx, r.Param("organizationId"))
	return orgOut(o), err
}

func (g *projectsService) organization(ctx context.Context, id string) (store.Organization, error) {
	o, err := g.store.Organization(ctx, id)
	return o, notFound(err, "there is no organization with id: %s", id)
}

func (g *projectsService) workspace(ctx context.Context, org, id string) (store.Workspace, error) {
	if _, err := g.organization(ctx, org); err != nil {
		return store.Workspace{}, err
	}
	w, err := g.store.Workspace(ctx, org, id)
	return w, notFound(err, "there is no workspace with id: %s", id)
}

func (g *projectsService) listWorkspaces(ctx context.Context, r *Request[None]) ([]api.Workspace, error) {
	org, err := g.organization(ctx, r.Param("organizationId"))
	if err != nil {
		return nil, err
	}
	all, err := g.store.Workspaces(ctx, org.ID)
	return mapAll(all, func(w store.Workspace) api.Workspace { return workspaceOut(w, true) }), err
}

func (g *projectsService) createWorkspace(ctx context.Context, r *Request[api.WorkspaceRequest]) (api.Workspace, error) {
	org, err := g.organization(ctx, r.Param("organizationId"))
	if err != nil {
		return api.Workspace{}, err
	}
	name, err := requiredName(r.Body.Name)
	if err != nil {
		return api.Workspace{}, err
	}
	w, err := g.store.CreateWorkspace(ctx, org.ID, name, r.Body.Description)
	return workspaceOut(w, false), err
}

func (g *projectsService) getWorkspace(ctx context.Context, r *Request[None]) (api.Workspace, error) {
	w, err := g.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	return workspaceOut(w, false), err
}

func (g *projectsService) updateWorkspace(ctx context.Context, r *Request[api.WorkspaceRequest]) (api.Workspace, error) {
	w, err := g.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return api.Workspace{}, err
	}
	if err := optionalName(r.Body.Name); err != nil {
		return api.Workspace{}, err
	}
	w, err = g.store.UpdateWorkspace(ctx, w.OrganizationID, w.ID, r.Body.Name, r.Body.Description)
	return workspaceOut(w, false), err
}

// deleteWorkspace refuses a workspace that holds projects: the service leaves the effect open [S], and losing projects
// unasked would be the worse reading.
func (g *projectsService) deleteWorkspace(ctx context.Context, r *Request[None]) (None, error) {
	w, err := g.workspace(ctx, r.Param("organizationId"), r.Param("workspaceId"))
	if err != nil {
		return None{}, err
	}
	if w.Default {
		return None{}, dataFault(409, "the default workspace of an organization cannot be deleted")
	}
	err = g.store.DeleteWorkspace(ctx, w.OrganizationID, w.ID)
	if errors.Is(err, store.ErrInUse) {
		return None{}, dataFault(409, "workspace %s still holds projects; delete them first", w.Name)
	}
	return None{}, err
}

// notFound gives the answer for a missing thing its words.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, store.ErrNotFound) {
		return dataFault(404, format, args...)
	}
	return err
}

func requiredName(name *string) (string, error) {
	if name == nil {
		return "", missing("name")
	}
	return *name, optionalName(name)
}

func optionalName(name *string) error {
	if name != nil && strings.TrimSpace(*name) == "" {
		return frameworkFault(400, "property %q is empty", "name")
	}
	return nil
}

func mapAll[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}
