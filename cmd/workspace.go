package cmd

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newWorkspaceCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "workspace", Aliases: []string{"workspaces", "ws"}, Short: "Workspaces, which group projects"}
	c.AddCommand(
		e.leaf(spec.ListWorkspaces, &cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List the workspaces of an organization", Example: "  " + e.Name + " workspace list --org acme", Args: cobra.NoArgs,
		}, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
			org, err := e.orgID(ctx, cl)
			if err != nil {
				return view{}, err
			}
			v, err := cl.Workspaces.List(ctx, org)
			return list(v, "id", "name", "defaultWorkspace", "description"), err
		}),
		newWorkspaceCreateCmd(e), newWorkspaceUpdateCmd(e),
		e.leaf(spec.GetWorkspace, &cobra.Command{
			Use: "get [WORKSPACE]", Aliases: []string{"show"}, Short: "Show one workspace, by id or name", Example: "  " + e.Name + " workspace get analytics", Args: cobra.MaximumNArgs(1),
		}, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			org, id, err := e.workspaceArg(ctx, cl, args)
			if err != nil {
				return view{}, err
			}
			v, err := cl.Workspaces.Get(ctx, org, id)
			return object(v), err
		}),
		e.leaf(spec.DeleteWorkspace, &cobra.Command{
			Use: "delete WORKSPACE", Aliases: []string{"rm"}, Short: "Delete a workspace", Example: "  " + e.Name + " workspace delete scratch --yes", Args: cobra.ExactArgs(1),
			Long: "Delete a workspace.\n\nWhat becomes of projects in it is not documented for the hosted zones; a workspace that holds\nprojects is refused before anything is sent.",
		}, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			org, id, err := e.workspaceArg(ctx, cl, args)
			if err != nil {
				return view{}, err
			}
			ps, err := cl.Projects.List(ctx, org, id)
			if err != nil {
				return view{}, err
			}
			if len(ps) > 0 {
				return view{}, &failure{exit: exitConflict, code: "in-use", msg: fmt.Sprintf("workspace %s holds %d projects", args[0], len(ps)), hint: "delete them first"}
			}
			who := e.called(args[0], id, func() ([]named, error) {
				v, err := cl.Workspaces.Get(ctx, org, id)
				return []named{{id: v.ID, name: v.Name}}, err
			})
			if err := e.confirm("delete workspace %s?", who); err != nil {
				return view{}, err
			}
			return note("deleted workspace %s", args[0]), cl.Workspaces.Delete(ctx, org, id)
		}),
	)
	return c
}

// workspaceArg is the workspace named by the first argument, or the one in force.
func (e *Env) workspaceArg(ctx context.Context, cl *api.Client, args []string) (org, id string, err error) {
	if len(args) == 0 {
		return e.place(ctx, cl)
	}
	if org, err = e.orgID(ctx, cl); err != nil {
		return "", "", err
	}
	id, err = workspaceByName(ctx, cl, org, args[0])
	return org, id, err
}

func newWorkspaceCreateCmd(e *Env) *cobra.Command {
	var description, body string
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a workspace", Example: "  " + e.Name + " workspace create analytics --description \"BI team\"", Args: cobra.MaximumNArgs(1)}
	c.Flags().StringVar(&description, "description", "", "what it is for")
	bodyFlag(c, &body)
	return e.leaf(spec.CreateWorkspace, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.WorkspaceRequest
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
		org, err := e.orgID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		v, err := cl.Workspaces.Create(ctx, org, req)
		return object(v), err
	})
}

func newWorkspaceUpdateCmd(e *Env) *cobra.Command {
	var name, description, body string
	c := &cobra.Command{Use: "update WORKSPACE", Short: "Change the name or description of a workspace", Example: "  " + e.Name + " workspace update analytics --name reporting", Args: cobra.ExactArgs(1)}
	c.Flags().StringVar(&name, "name", "", "new name")
	c.Flags().StringVar(&description, "description", "", "new description")
	bodyFlag(c, &body)
	return e.leaf(spec.UpdateWorkspace, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		var req api.WorkspaceRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		setIf(c, "name", &req.Name, name)
		setIf(c, "description", &req.Description, description)
		if req == (api.WorkspaceRequest{}) {
			return view{}, usagef("nothing to change: give --name or --description")
		}
		org, id, err := e.workspaceArg(ctx, cl, args)
		if err != nil {
			return view{}, err
		}
		if req.Name == nil || req.Description == nil { // the body replaces both on the hosted zones
			now, err := cl.Workspaces.Get(ctx, org, id)
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
		v, err := cl.Workspaces.Update(ctx, org, id, req)
		return object(v), err
	})
}
