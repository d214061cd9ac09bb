package admin

import (
	"context"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newProjectLegacyCmd(e *cli.Env) *cobra.Command {
	c := cli.Legacy("Projects at the deprecated addresses, which do not name a workspace")
	ex := "  " + e.Name + " project legacy "
	fields := func(c *cobra.Command) func() (api.ProjectRequest, error) {
		var name, description, body string
		c.Flags().StringVar(&name, "name", "", "name")
		c.Flags().StringVar(&description, "description", "", "description")
		cli.BodyFlag(c, &body)
		return func() (req api.ProjectRequest, err error) {
			err = e.Body(body, &req)
			cli.SetIf(c, "name", &req.Name, name)
			cli.SetIf(c, "description", &req.Description, description)
			return req, err
		}
	}
	create := &cobra.Command{Use: "create [NAME]", Short: "Create a project", Example: ex + "create sales", Args: cobra.MaximumNArgs(1)}
	created := fields(create)
	update := &cobra.Command{Use: "update PROJECT", Short: "Change a project", Example: ex + "update Ab12Cd34 --name revenue", Args: cobra.ExactArgs(1)}
	updated := fields(update)
	var named cli.Naming
	remove := &cobra.Command{Use: "delete PROJECT", Aliases: []string{"rm"}, Short: "Delete a project", Example: ex + "delete Ab12Cd34 --yes", Args: cobra.ExactArgs(1)}
	named.Register(remove, "project")
	c.AddCommand(
		e.Old(spec.ListProjectsLegacy, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the projects", Example: ex + "list", Args: cobra.NoArgs}, "project list",
			func(ctx context.Context, cl *api.Client, _ []string) (cli.View, error) {
				v, err := cl.Projects.ListLegacy(ctx)
				return cli.List(v, "id", "name", "domain", "description"), err
			}),
		e.Old(spec.CreateProjectLegacy, create, "project create", func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
			req, err := created()
			if err != nil {
				return cli.View{}, err
			}
			if len(args) == 1 {
				req.Name = &args[0]
			}
			if req.Name == nil {
				return cli.View{}, cli.Usagef("a name is required")
			}
			if err := legacyProjects(ctx, cl).Free("a project", *req.Name, "", anotherName); err != nil {
				return cli.View{}, err
			}
			v, err := cl.Projects.CreateLegacy(ctx, req)
			return cli.Object(v), err
		}),
		e.Old(spec.GetProjectLegacy, &cobra.Command{Use: "get PROJECT", Aliases: []string{"show"}, Short: "Show a project", Example: ex + "get Ab12Cd34", Args: cobra.ExactArgs(1)}, "project get",
			func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
				v, err := cl.Projects.GetLegacy(ctx, args[0])
				return cli.Object(v), err
			}),
		e.Old(spec.UpdateProjectLegacy, update, "project update", func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
			req, err := updated()
			if err != nil {
				return cli.View{}, err
			}
			if req == (api.ProjectRequest{}) {
				return cli.View{}, cli.Usagef("nothing to change: give --name or --description")
			}
			if req.Name != nil {
				if err := legacyProjects(ctx, cl).Free("a project", *req.Name, args[0], anotherName); err != nil {
					return cli.View{}, err
				}
			}
			v, err := cl.Projects.UpdateLegacy(ctx, args[0], req)
			return cli.Object(v), err
		}),
		e.Old(spec.DeleteProjectLegacy, remove, "project delete",
			func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
				called := ""
				if v, err := cl.Projects.GetLegacy(ctx, args[0]); err == nil {
					called = v.Name
				}
				holds := holdings(ctx, e, cl, args[0])
				if err := e.ConfirmNamed(named, cli.NamesOf(args[0], called), holds.Text, "delete project %s and everything in it%s?", cli.NameAndID(called, args[0]), holds.Text); err != nil {
					return cli.View{}, err
				}
				if err := e.Recheck("project "+args[0], holds, func() (cli.Holds, error) { return holdings(ctx, e, cl, args[0]), nil }); err != nil {
					return cli.View{}, err
				}
				return cli.Note("deleted project %s", args[0]), cl.Projects.DeleteLegacy(ctx, args[0])
			}),
	)
	e.Shows(c, &projectShape, "list", "get", "create", "update")
	return c
}

// legacyProjects lists the projects at the deprecated address.
func legacyProjects(ctx context.Context, cl *api.Client) cli.Names {
	return func() ([]cli.Named, error) {
		all, err := cl.Projects.ListLegacy(ctx)
		return each.Map(all, func(p api.Project) cli.Named { return cli.Named{ID: p.ID, Name: p.Name} }), err
	}
}
