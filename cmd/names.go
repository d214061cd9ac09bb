package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/late"
)

var (
	uuidLike    = late.Regexp(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	bigIDLike   = late.Regexp(`^[0-9]{1,19}$`)
	projectLike = late.Regexp(`^[A-Za-z0-9]{8}$`)
)

// named is anything that can be picked by name.
type named struct{ id, name, where string }

// pick finds the one thing called name: an exact match first, then one that differs in case only. More than one is a usage
// error that lists the candidates.
func pick(kind, flag, name string, all []named) (string, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var hits []named
		for _, n := range all {
			if same(n.name, name) || n.id == name {
				hits = append(hits, n)
			}
		}
		switch len(hits) {
		case 0:
			continue
		case 1:
			return hits[0].id, nil
		}
		lines := make([]string, len(hits))
		for i, h := range hits {
			lines[i] = fmt.Sprintf("%s (%s%s)", h.id, h.name, h.where)
		}
		return "", usagef("%s %q is ambiguous: %s", kind, name, strings.Join(lines, ", ")).withHint("give the id%s", flagHint(flag))
	}
	f := &failure{exit: exitNotFound, code: "not-found", msg: fmt.Sprintf("there is no %s called %q", kind, name)}
	if len(all) > 0 && len(all) <= 10 {
		names := make([]string, len(all))
		for i, n := range all {
			names[i] = n.name
		}
		f.hint = "there are: " + strings.Join(names, ", ")
	}
	return "", f
}

func flagHint(flag string) string {
	if flag == "" {
		return ""
	}
	return " with " + flag
}

// orgID is the organization to work in: the one set, else the only one the key can see.
func (e *Env) orgID(ctx context.Context, cl *api.Client) (string, error) {
	set := e.run.settings.Org.Value
	if set == "" && e.run.settings.InProcess() {
		return gateway.DefaultOrganization, nil
	}
	return orgByName(ctx, cl, set)
}

func orgByName(ctx context.Context, cl *api.Client, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	orgs, err := cl.Organizations.List(ctx)
	if err != nil {
		return "", err
	}
	if set == "" {
		if len(orgs) == 1 {
			return orgs[0].ID, nil
		}
		return "", usagef("which organization? the key sees %d", len(orgs)).withHint("give --org, set DIG_ORG or store it in the profile")
	}
	all := make([]named, len(orgs))
	for i, o := range orgs {
		all[i] = named{id: o.ID, name: o.Name}
	}
	return pick("organization", "--org", set, all)
}

// workspaceID is the workspace to work in: the one set, else the organization's default one.
func (e *Env) workspaceID(ctx context.Context, cl *api.Client, org string) (string, error) {
	set := e.run.settings.Workspace.Value
	if set == "" && e.run.settings.InProcess() && org == gateway.DefaultOrganization {
		return gateway.DefaultWorkspace, nil
	}
	return workspaceByName(ctx, cl, org, set)
}

func workspaceByName(ctx context.Context, cl *api.Client, org, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	ws, err := cl.Workspaces.List(ctx, org)
	if err != nil {
		return "", err
	}
	all := make([]named, len(ws))
	for i, w := range ws {
		all[i] = named{id: w.ID, name: w.Name}
		if set == "" && (w.DefaultWorkspace || len(ws) == 1) {
			return w.ID, nil
		}
	}
	if set == "" {
		return "", usagef("which workspace? the organization has %d and none is the default", len(ws)).withHint("give --workspace, set DIG_WORKSPACE or store it in the profile")
	}
	return pick("workspace", "--workspace", set, all)
}

// place is an organization and a workspace.
func (e *Env) place(ctx context.Context, cl *api.Client) (org, workspace string, err error) {
	if org, err = e.orgID(ctx, cl); err != nil {
		return "", "", err
	}
	workspace, err = e.workspaceID(ctx, cl, org)
	return org, workspace, err
}

// projectID is the project to work in: the one set, else the one a project key belongs to, else on zone local the default one.
func (e *Env) projectID(ctx context.Context, cl *api.Client) (string, error) {
	set := e.run.settings.Project.Value
	if set == "" {
		if e.run.settings.InProcess() {
			return gateway.DefaultProject, nil
		}
		info, err := cl.Info.Get(ctx)
		if err != nil {
			return "", err
		}
		e.learnKey(info)
		if info.ProjectID != nil && *info.ProjectID != "" {
			return *info.ProjectID, nil
		}
		return "", usagef("which project? none is set, and the key is not a project key").withHint("give --project, set DIG_PROJECT or store it in the profile")
	}
	return e.projectByName(ctx, cl, set)
}

// projectByName takes an id or a name. Eight letters or digits are an id, except eight lower-case letters, which may well be
// a name: those are looked up, and taken as an id when nothing has that name.
func (e *Env) projectByName(ctx context.Context, cl *api.Client, set string) (string, error) {
	idLike := projectLike().MatchString(set)
	if idLike && (set == gateway.DefaultProject || strings.ToLower(set) != set || strings.ContainsAny(set, "0123456789")) {
		return set, nil
	}
	all, err := e.projectsInReach(ctx, cl)
	if err == nil {
		var id string
		if id, err = pick("project", "--project", set, all); err == nil {
			return id, nil
		}
	}
	if idLike {
		if f := (*failure)(nil); !errors.As(err, &f) || f.exit == exitNotFound {
			return set, nil
		}
	}
	return "", err
}

// projectsInReach lists the projects of the workspace that is set, or of all workspaces of the organization.
func (e *Env) projectsInReach(ctx context.Context, cl *api.Client) ([]named, error) {
	org, err := e.orgID(ctx, cl)
	if err != nil {
		return nil, err
	}
	var spaces []api.Workspace
	if set := e.run.settings.Workspace.Value; set != "" {
		id, err := workspaceByName(ctx, cl, org, set)
		if err != nil {
			return nil, err
		}
		spaces = []api.Workspace{{ID: id, Name: set}}
	} else if spaces, err = cl.Workspaces.List(ctx, org); err != nil {
		return nil, err
	}
	var all []named
	for _, w := range spaces {
		ps, err := cl.Projects.List(ctx, org, w.ID)
		if err != nil {
			return nil, err
		}
		for _, p := range ps {
			all = append(all, named{p.ID, p.Name, " in workspace " + w.Name})
		}
	}
	return all, nil
}

// catalogID finds a catalog by id or name. The two built-in catalogs share the name peaka; the name means the internal one.
func catalogID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if bigIDLike().MatchString(set) {
		return set, nil
	}
	cs, err := cl.Catalogs.List(ctx, project)
	if err != nil {
		return "", err
	}
	var all []named
	for _, c := range cs {
		if c.ID == "2" {
			continue
		}
		all = append(all, named{id: c.ID, name: c.Name})
		if c.DisplayName != "" && c.DisplayName != c.Name {
			all = append(all, named{id: c.ID, name: c.DisplayName})
		}
	}
	return pick("catalog", "", set, all)
}
