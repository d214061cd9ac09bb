package cmd

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newProjectCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "project", Aliases: []string{"projects"}, Short: "Projects, which hold connections, tables and queries"}
	c.AddCommand(
		e.leaf(spec.ListProjects, &cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List the projects of a workspace", Example: "  " + e.Name + " project list --workspace analytics", Args: cobra.NoArgs,
		}, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
			org, ws, err := e.place(ctx, cl)
			if err != nil {
				return view{}, err
			}
			v, err := cl.Projects.List(ctx, org, ws)
			return list(v, "id", "name", "domain", "description"), err
		}),
		newProjectCreateCmd(e), newProjectUpdateCmd(e), newProjectLegacyCmd(e),
		e.leaf(spec.GetProject, &cobra.Command{
			Use: "get [PROJECT]", Aliases: []string{"show"}, Short: "Show one project, by id or name", Example: "  " + e.Name + " project get sales", Args: cobra.MaximumNArgs(1),
		}, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			org, ws, id, err := e.projectArg(ctx, cl, args)
			if err != nil {
				return view{}, err
			}
			v, err := cl.Projects.Get(ctx, org, ws, id)
			return object(v), err
		}),
		e.leaf(spec.DeleteProject, &cobra.Command{
			Use: "delete PROJECT", Aliases: []string{"rm"}, Short: "Delete a project and everything in it", Example: "  " + e.Name + " project delete scratch --yes", Args: cobra.ExactArgs(1),
		}, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			org, ws, id, err := e.projectArg(ctx, cl, args)
			if err != nil {
				return view{}, err
			}
			holds := ""
			if !e.run.flags.yes {
				holds = e.holdings(ctx, cl, id)
			}
			who := e.called(args[0], id, func() ([]named, error) {
				v, err := cl.Projects.Get(ctx, org, ws, id)
				return []named{{id: v.ID, name: v.Name}}, err
			})
			if err := e.confirm("delete project %s and everything in it%s?", who, holds); err != nil {
				return view{}, err
			}
			return note("deleted project %s", args[0]), cl.Projects.Delete(ctx, org, ws, id)
		}),
	)
	return c
}

// holdings counts what lies in a project, for the question before it is deleted. What cannot be listed is said to be so.
func (e *Env) holdings(ctx context.Context, cl *api.Client, project string) string {
	var parts []string
	add := func(n int, err error, one, many string) {
		switch {
		case err != nil:
			parts = append(parts, strings.TrimPrefix(many, "%d ")+" that could not be listed")
		case n > 0:
			parts = append(parts, strings.TrimSpace(plural(n, one, many)))
		}
	}
	tables, err := cl.Tables.List(ctx, project)
	add(len(tables), err, "1 table", "%d tables")
	bi, err := cl.BITables.List(ctx, project)
	add(len(bi), err, "1 BI table", "%d BI tables")
	queries, err := cl.Queries.List(ctx, project)
	add(len(queries), err, "1 saved query", "%d saved queries")
	connections, err := cl.Connections.List(ctx, project)
	add(len(connections), err, "1 connection", "%d connections")
	caches, err := cl.Cache.Statuses(ctx, project)
	add(len(caches), err, "1 cache", "%d caches")
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// projectArg is the project named by the first argument, or the one in force, with the workspace it lies in.
func (e *Env) projectArg(ctx context.Context, cl *api.Client, args []string) (org, ws, id string, err error) {
	if len(args) == 0 {
		id, err = e.projectID(ctx, cl)
	} else {
		id, err = e.projectByName(ctx, cl, args[0])
	}
	if err != nil {
		return "", "", "", err
	}
	if org, err = e.orgID(ctx, cl); err != nil {
		return "", "", "", err
	}
	if set := e.run.settings.Workspace.Value; set != "" {
		ws, err = workspaceByName(ctx, cl, org, set)
		return org, ws, id, err
	}
	spaces, err := cl.Workspaces.List(ctx, org)
	if err != nil {
		return "", "", "", err
	}
	for _, w := range spaces {
		ps, err := cl.Projects.List(ctx, org, w.ID)
		if err != nil {
			return "", "", "", err
		}
		for _, p := range ps {
			if p.ID == id {
				return org, w.ID, id, nil
			}
		}
	}
	return "", "", "", &failure{exit: exitNotFound, code: "not-found", msg: "there is no project with id " + id + " in this organization"}
}

func newProjectCreateCmd(e *Env) *cobra.Command {
	var description, body string
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a project in a workspace", Example: "  " + e.Name + " project create sales --workspace analytics", Args: cobra.MaximumNArgs(1)}
	c.Flags().StringVar(&description, "description", "", "what it is for")
	bodyFlag(c, &body)
	return e.leaf(spec.CreateProject, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.ProjectRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if len(args) == 1 {
			req.Name = &args[0]
		}
		setIf(c, "description", &req.Description, description)
		if req.Name == nil {
			return view{}, usagef("a name is required")
		}
		org, ws, err := e.place(ctx, cl)
		if err != nil {
			return view{}, err
		}
		v, err := cl.Projects.Create(ctx, org, ws, req)
		return object(v), err
	})
}

func newProjectUpdateCmd(e *Env) *cobra.Command {
	var name, description, body string
	c := &cobra.Command{Use: "update PROJECT", Short: "Change the name or description of a project", Example: "  " + e.Name + " project update sales --name revenue", Args: cobra.ExactArgs(1)}
	c.Flags().StringVar(&name, "name", "", "new name")
	c.Flags().StringVar(&description, "description", "", "new description")
	bodyFlag(c, &body)
	return e.leaf(spec.UpdateProject, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.ProjectRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		setIf(c, "name", &req.Name, name)
		setIf(c, "description", &req.Description, description)
		if req == (api.ProjectRequest{}) {
			return view{}, usagef("nothing to change: give --name or --description")
		}
		org, ws, id, err := e.projectArg(ctx, cl, args)
		if err != nil {
			return view{}, err
		}
		if req.Name == nil || req.Description == nil { // the body replaces both on the hosted zones
			now, err := cl.Projects.Get(ctx, org, ws, id)
			if err != nil {
				return view{}, err
			}
			if req.Name == nil {
				req.Name = &now.Name
			}
			if req.Description == nil {
				req.Description = now.Description
			}
		}
		v, err := cl.Projects.Update(ctx, org, ws, id, req)
		return object(v), err
	})
}
