package resolve

import (
	"context"
	"errors"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// Target is what the settings choose, by id or name; "" is what they do not choose.
type Target struct {
	Org, Workspace, Project string
	InProcess               bool                  // on a gateway of zone local, whose first objects have known ids
	Learn                   func(api.ProjectInfo) // called with what the gateway tells of the key
}

// OrgID returns the organization to work in: the one set, or the only one that the key can access.
func (t Target) OrgID(ctx context.Context, cl *api.Client) (string, error) {
	set := t.Org
	if set == "" && t.InProcess {
		return zone.DefaultOrganization, nil
	}
	return OrgByName(ctx, cl, set)
}

// workspaceID returns the workspace to work in: the one set, or the default one of the organization.
func (t Target) workspaceID(ctx context.Context, cl *api.Client, org string) (string, error) {
	set := t.Workspace
	if set == "" && t.InProcess && org == zone.DefaultOrganization {
		return zone.DefaultWorkspace, nil
	}
	return WorkspaceByName(ctx, cl, org, set)
}

// OrgAndWorkspace returns the organization and the workspace to work in.
func (t Target) OrgAndWorkspace(ctx context.Context, cl *api.Client) (org, workspace string, err error) {
	if org, err = t.OrgID(ctx, cl); err != nil {
		return "", "", err
	}
	workspace, err = t.workspaceID(ctx, cl, org)
	return org, workspace, err
}

// ProjectID returns the project to work in: the one set, or the one that a project key belongs to, or on zone local the
// default one.
func (t Target) ProjectID(ctx context.Context, cl *api.Client) (string, error) {
	set := t.Project
	if set == "" {
		if t.InProcess {
			return zone.DefaultProject, nil
		}
		info, err := cl.Info.Get(ctx)
		if err != nil {
			return "", err
		}
		t.Learn(info)
		if info.ProjectID != nil && *info.ProjectID != "" {
			return *info.ProjectID, nil
		}
		return "", exitcode.Usagef("--project is required: the key is not a project key").
			WithHint("give --project, set DIG_PROJECT or store it in the profile")
	}
	return t.ProjectByName(ctx, cl, set)
}

// ProjectByName resolves an id or a name. Eight letters or digits are an id, except eight lower-case letters, which may
// be a name: those are looked up, and taken as an id if no project has that name.
func (t Target) ProjectByName(ctx context.Context, cl *api.Client, set string) (string, error) {
	id, _, err := t.lookUp(ctx, cl, set)
	return id, err
}

// lookUp is ProjectByName with the workspace of the project, "" if it was not looked up.
func (t Target) lookUp(ctx context.Context, cl *api.Client, set string) (id, ws string, err error) {
	idLike := projectLike().MatchString(set)
	if idLike && (set == zone.DefaultProject || strings.ToLower(set) != set || strings.ContainsAny(set, "0123456789")) {
		return set, "", nil
	}
	var all []Named
	in := map[string]string{}
	err = t.EachProject(ctx, cl, func(w api.Workspace, p api.Project) bool {
		all, in[p.ID] = append(all, Named{p.ID, p.Name, " in workspace " + w.Name}), w.ID
		return true
	})
	if err == nil {
		if id, err = Pick("project", "--project", set, all); err == nil {
			return id, in[id], nil
		}
	}
	if idLike {
		if f := (*exitcode.Failure)(nil); !errors.As(err, &f) || f.Exit == exitcode.NotFound {
			return set, "", nil
		}
	}
	return "", "", err
}

// ProjectArg returns the project named by the first argument, or the current one, with its workspace.
func (t Target) ProjectArg(ctx context.Context, cl *api.Client, args []string) (org, ws, id string, err error) {
	if len(args) > 0 {
		id, ws, err = t.lookUp(ctx, cl, args[0])
	} else if t.Project != "" {
		id, ws, err = t.lookUp(ctx, cl, t.Project)
	} else {
		id, err = t.ProjectID(ctx, cl)
	}
	if err != nil {
		return "", "", "", err
	}
	if org, err = t.OrgID(ctx, cl); err != nil || ws != "" {
		return org, ws, id, err
	}
	if set := t.Workspace; set != "" {
		ws, err = WorkspaceByName(ctx, cl, org, set)
		return org, ws, id, err
	}
	err = t.EachProject(ctx, cl, func(w api.Workspace, p api.Project) bool {
		if p.ID == id {
			ws = w.ID
		}
		return ws == ""
	})
	if err == nil && ws == "" {
		err = &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-found",
			Msg: "there is no project with id " + id + " in this organization"}
	}
	return org, ws, id, err
}

// EachProject calls f for the projects of the workspace that is set, or of all workspaces of the organization, until it
// returns false.
func (t Target) EachProject(ctx context.Context, cl *api.Client, f func(api.Workspace, api.Project) bool) error {
	org, err := t.OrgID(ctx, cl)
	if err != nil {
		return err
	}
	var spaces []api.Workspace
	if set := t.Workspace; set != "" {
		id, err := WorkspaceByName(ctx, cl, org, set)
		if err != nil {
			return err
		}
		spaces = []api.Workspace{{ID: id, Name: set}}
	} else if spaces, err = cl.Workspaces.List(ctx, org); err != nil {
		return err
	}
	for _, w := range spaces {
		ps, err := cl.Projects.List(ctx, org, w.ID)
		if err != nil {
			return err
		}
		for _, p := range ps {
			if !f(w, p) {
				return nil
			}
		}
	}
	return nil
}
