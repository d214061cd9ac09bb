package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func NewWorkspace(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "workspace", Aliases: []string{"workspaces", "ws"},
		Short: "Workspaces, which group projects"}
	c.AddCommand(
		cli.Leaf[[]api.Workspace](e, spec.ListWorkspaces, &cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List the workspaces of an organization", Example: "  " +
				e.Name + " workspace list --org acme", Args: cobra.NoArgs,
		}, func(ctx context.Context, cl *api.Client, _ []string) (cli.View, error) {
			org, err := e.Target().OrgID(ctx, cl)
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Workspaces.List(ctx, org)
			return cli.List(v, "id", "name", "defaultWorkspace", "description"), err
		}),
		newWorkspaceCreateCmd(e), newWorkspaceUpdateCmd(e),
		cli.Leaf[api.Workspace](e, spec.GetWorkspace, &cobra.Command{
			Use: "get [WORKSPACE]", Aliases: []string{"show"}, Short: "Show one workspace, by id or name",
			Example: "  " + e.Name + " workspace get analytics", Args: cobra.MaximumNArgs(1),
		}, func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
			org, id, err := workspaceArg(ctx, e, cl, args)
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Workspaces.Get(ctx, org, id)
			return cli.Object(v), err
		}),
		cli.Leaf[cli.Acknowledged](e, spec.DeleteWorkspace, &cobra.Command{
			Use: "delete WORKSPACE", Aliases: []string{"rm"}, Short: "Delete a workspace", Example: "  " + e.Name +
				" workspace delete scratch --yes", Args: cobra.ExactArgs(1),
			Long: "Delete a workspace.\n\nWhat happens to its projects is not documented for the hosted zones; a " +
				"workspace that contains\nprojects is rejected before anything is sent.",
		}, func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
			org, id, err := workspaceArg(ctx, e, cl, args)
			if err != nil {
				return cli.View{}, err
			}
			ps, err := cl.Projects.List(ctx, org, id)
			if err != nil {
				return cli.View{}, err
			}
			if len(ps) > 0 {
				return cli.View{}, &exitcode.Failure{Exit: exitcode.Conflict, Code: "in-use", Hint: "delete them first",
					Msg: fmt.Sprintf("workspace %s contains %s", args[0], phrase.Counted(names(ps), "1 project",
						"%d projects"))}
			}
			who := e.Called(args[0], id, func() ([]resolve.Named, error) {
				v, err := cl.Workspaces.Get(ctx, org, id)
				return []resolve.Named{{ID: v.ID, Name: v.Name}}, err
			})
			if err := e.Ask().Confirm("delete workspace %s?", who); err != nil {
				return cli.View{}, err
			}
			if err := e.Ask().RecheckText("workspace "+args[0], "", func() (string, error) {
				ps, err := cl.Projects.List(ctx, org, id)
				return strings.Join(names(ps), ", "), err
			}); err != nil {
				return cli.View{}, err
			}
			return cli.Note("deleted workspace %s", args[0]), cl.Workspaces.Delete(ctx, org, id)
		}),
	)
	return c
}

// workspaceArg returns the workspace named by the first argument, or the current one.
func workspaceArg(ctx context.Context, e *cli.Env, cl *api.Client, args []string) (org, id string, err error) {
	if len(args) == 0 {
		return e.Target().OrgAndWorkspace(ctx, cl)
	}
	if org, err = e.Target().OrgID(ctx, cl); err != nil {
		return "", "", err
	}
	id, err = resolve.WorkspaceByName(ctx, cl, org, args[0])
	return org, id, err
}

func newWorkspaceCreateCmd(e *cli.Env) *cobra.Command {
	var description, body string
	var again cli.Duplicate
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a workspace", Example: "  " + e.Name +
		" workspace create analytics --description \"BI team\"", Args: cobra.MaximumNArgs(1)}
	c.Flags().StringVar(&description, "description", "", "description")
	again.Register(c)
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.Workspace](e, spec.CreateWorkspace, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		var req api.WorkspaceRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if err := (described{&req.Name, &req.Description}).create(c, args, description); err != nil {
			return cli.View{}, err
		}
		org, err := e.Target().OrgID(ctx, cl)
		if err != nil {
			return cli.View{}, err
		}
		if !again.Allowed(e, &req.AllowDuplicateName) {
			if err := resolve.Workspaces(ctx, cl, org).Free("a workspace", *req.Name, "", anotherName); err != nil {
				return cli.View{}, err
			}
		}
		v, err := cl.Workspaces.Create(ctx, org, req)
		return cli.Object(v), err
	})
}

func newWorkspaceUpdateCmd(e *cli.Env) *cobra.Command {
	var name, description, body string
	var again cli.Duplicate
	c := &cobra.Command{Use: "update WORKSPACE", Short: "Change the name or description of a workspace", Example: "  " +
		e.Name + " workspace update analytics --name reporting", Args: cobra.ExactArgs(1)}
	c.Flags().StringVar(&name, "name", "", "new name")
	c.Flags().StringVar(&description, "description", "", "new description")
	again.Register(c)
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.Workspace](e, spec.UpdateWorkspace, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		var req api.WorkspaceRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if err := (described{&req.Name, &req.Description}).update(c, name, description); err != nil {
			return cli.View{}, err
		}
		org, id, err := workspaceArg(ctx, e, cl, args)
		if err != nil {
			return cli.View{}, err
		}
		if !again.Allowed(e, &req.AllowDuplicateName) && req.Name != nil {
			if err := resolve.Workspaces(ctx, cl, org).Free("a workspace", *req.Name, id, anotherName); err != nil {
				return cli.View{}, err
			}
		}
		if req.Name == nil || req.Description == nil { // the body replaces both on the hosted zones
			now, err := cl.Workspaces.Get(ctx, org, id)
			if err != nil {
				return cli.View{}, err
			}
			described{&req.Name, &req.Description}.keep(now.Name, now.Description)
		}
		v, err := cl.Workspaces.Update(ctx, org, id, req)
		return cli.Object(v), err
	})
}

func names(all []api.Project) []string {
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.Name
	}
	return out
}
