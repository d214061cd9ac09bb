package admin

import (
	"context"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&keyShape, api.ApiKey{})
	e.Displays(&orgShape, api.Organization{})
	e.Displays(&projectShape, api.Project{}, placed{})
	e.Displays(&workspaceShape, api.Workspace{})
}

func NewOrg(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "org", Aliases: []string{"organization", "organizations", "orgs"},
		Short: "Organizations, the top of the hierarchy"}
	c.AddCommand(
		cli.Leaf[[]api.Organization](e, spec.ListOrganizations, &cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List the organizations the key can see", Example: "  " +
				e.Name + " org list", Args: cobra.NoArgs,
		}, func(ctx context.Context, cl *api.Client, _ []string) (cli.View, error) {
			v, err := cl.Organizations.List(ctx)
			return cli.List(v, "id", "name", "description"), err
		}),
		cli.Leaf[api.Organization](e, spec.GetOrganization, &cobra.Command{
			Use: "get [ORG]", Aliases: []string{"show"}, Short: "Show one organization, by id or name", Example: "  " +
				e.Name + " org get acme", Args: cobra.MaximumNArgs(1),
		}, func(ctx context.Context, cl *api.Client, args []string) (cli.View, error) {
			id, err := e.Target().OrgID(ctx, cl)
			if len(args) == 1 {
				id, err = resolve.OrgByName(ctx, cl, args[0])
			}
			if err != nil {
				return cli.View{}, err
			}
			v, err := cl.Organizations.Get(ctx, id)
			return cli.Object(v), err
		}),
	)
	return c
}

func NewInfo(e *cli.Env) *cobra.Command {
	return cli.Leaf[api.ProjectInfo](e, spec.GetKeyInfo, &cobra.Command{
		Use: "info", Aliases: []string{"whoami"}, Short: "Show the owner of the key, and its project if it has one",
		Example: "  " + e.Name + " info", Args: cobra.NoArgs,
	}, func(ctx context.Context, cl *api.Client, _ []string) (cli.View, error) {
		v, err := cl.Info.Get(ctx)
		return cli.Object(v), err
	})
}
