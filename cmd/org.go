package cmd

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newOrgCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "org", Aliases: []string{"organization", "organizations", "orgs"}, Short: "Organizations, the top of the hierarchy"}
	c.AddCommand(
		e.leaf(spec.ListOrganizations, &cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List the organizations the key can see", Example: "  " + e.Name + " org list", Args: cobra.NoArgs,
		}, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
			v, err := cl.Organizations.List(ctx)
			return list(v, "id", "name", "description"), err
		}),
		e.leaf(spec.GetOrganization, &cobra.Command{
			Use: "get [ORG]", Aliases: []string{"show"}, Short: "Show one organization, by id or name", Example: "  " + e.Name + " org get acme", Args: cobra.MaximumNArgs(1),
		}, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
			id, err := e.orgID(ctx, cl)
			if len(args) == 1 {
				id, err = orgByName(ctx, cl, args[0])
			}
			if err != nil {
				return view{}, err
			}
			v, err := cl.Organizations.Get(ctx, id)
			return object(v), err
		}),
	)
	return c
}

func newInfoCmd(e *Env) *cobra.Command {
	return e.leaf(spec.GetKeyInfo, &cobra.Command{
		Use: "info", Aliases: []string{"whoami"}, Short: "Show whose key this is, and its project if it has one", Example: "  " + e.Name + " info", Args: cobra.NoArgs,
	}, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
		v, err := cl.Info.Get(ctx)
		return object(v), err
	})
}
