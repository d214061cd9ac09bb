package admin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// NewProject returns the commands for projects, with those of other packages.
func NewProject(e *cli.Env, more ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: "project", Aliases: []string{"projects"},
		Short: "Projects, which hold connections, tables and queries"}
	c.AddCommand(
		newProjectListCmd(e),
		newProjectCreateCmd(e), newProjectUpdateCmd(e),
		cli.Leaf[api.Project](e, spec.GetProject, cli.Annotate(&cobra.Command{
			Use: "get [PROJECT]", Aliases: []string{"show"}, Short: "Show one project, by id or name", Example: "  " +
				e.Name + " project get sales", Args: cobra.MaximumNArgs(1),
		}, spec.GetWorkspace), func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
			org, ws, id, err := e.Target().ProjectArg(ctx, cl, args)
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Projects.Get(ctx, org, ws, id)
			if err != nil || !e.HumanOutput() {
				return cli.Object(v), err
			}
			return cli.Object(inWorkspace(ctx, e, cl, org, ws, v)).PrintValue(), nil
		}),
		newProjectDeleteCmd(e),
	)
	c.AddCommand(more...)
	return c
}

// placed is a project with the name of its workspace.
type placed struct {
	api.Project
	WorkspaceName string `json:"workspaceName,omitempty"`
}

func newProjectListCmd(e *cli.Env) *cobra.Command {
	return cli.Annotate(cli.Leaf[[]placed](e, spec.ListProjects, &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Args: cobra.NoArgs,
		Short:   "List the projects of all workspaces, or of one with --workspace",
		Example: "  " + e.Name + " project list\n  " + e.Name + " project list --workspace analytics",
	}, func(ctx context.Context, cl *api.Client, _ []string) (cli.View, error) {
		all := []placed{}
		err := e.Target().EachProject(ctx, cl, func(w api.Workspace, p api.Project) bool {
			all = append(all, placed{p, w.Name})
			return true
		})
		if err == nil && len(all) > 0 && all[0].WorkspaceName == all[0].WorkspaceID { // set by its id
			org, err := e.Target().OrgID(ctx, cl)
			if err != nil {
				return cli.View{}, err
			}
			named := inWorkspace(ctx, e, cl, org, all[0].WorkspaceID, all[0].Project)
			for i := range all {
				all[i].WorkspaceName = cmp.Or(named.WorkspaceName, all[i].WorkspaceID)
			}
		}
		return cli.List(all, "id", "name", "workspaceName", "description").PrintValue(), err
	}), spec.ListWorkspaces)
}

// inWorkspace is a project for display, with the name of its workspace.
func inWorkspace(ctx context.Context, e *cli.Env, cl *api.Client, org, workspace string, p api.Project) placed {
	w, err := cl.Workspaces.Get(ctx, org, workspace)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(e.Err, "note: the workspace is shown by id because it could not be read: %v\n", err)
	}
	return placed{p, w.Name}
}

func newProjectDeleteCmd(e *cli.Env) *cobra.Command {
	var named prompt.Naming
	c := &cobra.Command{Use: "delete PROJECT", Aliases: []string{"rm"}, Short: "Delete a project and everything in it",
		Args: cobra.ExactArgs(1),
		Long: "Delete a project and everything in it.\n\nUnless it is empty its contents are listed, and its name " +
			"is asked for, or --yes needs --confirm NAME.",
		Example: "  " + e.Name + " project delete scratch --yes --confirm scratch"}
	named.Register(c, "project")
	return cli.Leaf[cli.Acknowledged](e, spec.DeleteProject, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		org, ws, id, err := e.Target().ProjectArg(ctx, cl, args)
		if err != nil {
			return cli.View{}, err
		}
		called := args[0]
		if called == id {
			v, err := cl.Projects.Get(ctx, org, ws, id)
			if err != nil {
				return cli.View{}, err
			}
			called = v.Name
		}
		holds := holdings(ctx, e, cl, id)
		if err := e.Ask().ConfirmNamed(named, prompt.NamesOf(id, called), holds.Text,
			"delete project %s and everything in it%s?", phrase.NameAndID(called, id), holds.Text); err != nil {
			return cli.View{}, err
		}
		if err := e.Ask().Recheck("project "+called, holds, func() (prompt.Holds, error) {
			return holdings(ctx, e, cl, id),
				nil
		}); err != nil {
			return cli.View{}, err
		}
		return cli.Note("deleted project %s", args[0]), cl.Projects.Delete(ctx, org, ws, id)
	})
}

// holdings counts the contents of a project, for the prompt before it is deleted. Contents that cannot be listed are
// named as such.
func holdings(ctx context.Context, e *cli.Env, cl *api.Client, project string) prompt.Holds {
	var parts []string
	var out prompt.Holds
	add := func(n int, err error, one, many string) {
		switch {
		case err != nil:
			parts = append(parts, strings.TrimPrefix(many, "%d ")+" that could not be listed")
		case n > 0:
			parts = append(parts, phrase.Plural(n, one, many))
		}
	}
	rows := func(kind string, tables []api.Table) {
		if len(tables) == 0 || !e.Ask().Prompts() {
			return
		}
		var names []string
		for _, t := range tables {
			names = append(names, t.TableName)
		}
		c, err := contents.OfAll(ctx, cl, project, kind, names)
		if err != nil || !c.Known {
			parts[len(parts)-1] += " (rows not counted)"
			return
		}
		parts[len(parts)-1] += fmt.Sprintf(" (%s)",
			cmp.Or(phrase.Plural(int(c.Rows), "1 row", "%d rows"), "without rows"))
		out.Mark += c.Mark() + "\n"
	}
	tables, err := cl.Tables.List(ctx, project)
	add(len(tables), err, "1 table", "%d tables")
	rows("table", tables)
	bi, err := cl.BITables.List(ctx, project)
	add(len(bi), err, "1 BI table", "%d BI tables")
	rows("bitable", bi)
	queries, err := cl.Queries.List(ctx, project)
	add(len(queries), err, "1 saved query", "%d saved queries")
	connections, err := cl.Connections.List(ctx, project)
	add(len(connections), err, "1 connection", "%d connections")
	caches, err := cl.Cache.Statuses(ctx, project)
	add(len(caches), err, "1 cache", "%d caches")
	if parts != nil {
		out.Text = ": " + strings.Join(parts, ", ")
	}
	return out
}

func newProjectCreateCmd(e *cli.Env) *cobra.Command {
	var description, body string
	var again cli.Duplicate
	c := &cobra.Command{Use: "create [NAME]", Short: "Create a project in a workspace", Example: "  " + e.Name +
		" project create sales --workspace analytics", Args: cobra.MaximumNArgs(1)}
	c.Flags().StringVar(&description, "description", "", "description")
	again.Register(c)
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.Project](e, spec.CreateProject, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		var req api.ProjectRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if err := (described{&req.Name, &req.Description}).create(c, args, description); err != nil {
			return cli.View{}, err
		}
		org, ws, err := e.Target().OrgAndWorkspace(ctx, cl)
		if err != nil {
			return cli.View{}, err
		}
		if !again.Allowed(e, &req.AllowDuplicateName) {
			if err := resolve.Projects(ctx, cl, org, ws).Free("a project", *req.Name, "", anotherName); err != nil {
				return cli.View{}, err
			}
		}
		v, err := cl.Projects.Create(ctx, org, ws, req)
		return cli.Object(v), err
	})
}

func newProjectUpdateCmd(e *cli.Env) *cobra.Command {
	var name, description, body string
	var again cli.Duplicate
	c := &cobra.Command{Use: "update PROJECT", Short: "Change the name or description of a project", Example: "  " +
		e.Name + " project update sales --name revenue", Args: cobra.ExactArgs(1)}
	c.Flags().StringVar(&name, "name", "", "new name")
	c.Flags().StringVar(&description, "description", "", "new description")
	again.Register(c)
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.Project](e, spec.UpdateProject, c, func(ctx context.Context, cl *api.Client,
		args []string) (cli.View, error) {
		var req api.ProjectRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if err := (described{&req.Name, &req.Description}).update(c, name, description); err != nil {
			return cli.View{}, err
		}
		org, ws, id, err := e.Target().ProjectArg(ctx, cl, args)
		if err != nil {
			return cli.View{}, err
		}
		if !again.Allowed(e, &req.AllowDuplicateName) && req.Name != nil {
			if err := resolve.Projects(ctx, cl, org, ws).Free("a project", *req.Name, id, anotherName); err != nil {
				return cli.View{}, err
			}
		}
		if req.Name == nil || req.Description == nil { // the body replaces both on the hosted zones
			now, err := cl.Projects.Get(ctx, org, ws, id)
			if err != nil {
				return cli.View{}, err
			}
			described{&req.Name, &req.Description}.keep(now.Name, now.Description)
		}
		v, err := cl.Projects.Update(ctx, org, ws, id, req)
		return cli.Object(v), err
	})
}
