package agent

import (
	"context"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newAgentLegacyCmd(e *cli.Env) *cobra.Command {
	c := cli.Legacy("The agent at its deprecated addresses")
	ex := "  " + e.Name + " agent legacy "
	var thread, body string
	ask := &cobra.Command{Use: "ask [MESSAGE]", Short: "Ask a question", Example: ex + "ask \"how many orders?\"", Args: cobra.MaximumNArgs(1)}
	ask.Flags().StringVar(&thread, "thread", "", "continue this thread")
	cli.BodyFlag(ask, &body)
	c.AddCommand(
		e.Old(spec.AskLegacyAgent, ask, "agent chat", e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
			var req api.LegacyAgentRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if err := message(e, args, &req.Message); err != nil {
				return cli.View{}, err
			}
			cli.SetIf(ask, "thread", &req.ThreadID, thread)
			v, err := cl.Agent.AskLegacy(ctx, p, req)
			if err != nil || !forPeople(e) {
				return cli.Object(v), err
			}
			return legacyAnswer(e, v)
		})),
		e.Old(spec.GetLegacyChatHistory, &cobra.Command{Use: "history", Short: "List the conversations", Example: ex + "history", Args: cobra.NoArgs}, "agent thread list",
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Agent.HistoryLegacy(ctx, p)
				return cli.List(v.History).Within("history"), err
			})),
		e.Old(spec.RenameLegacyChat, &cobra.Command{Use: "rename THREAD NAME", Short: "Rename a conversation", Example: ex + "rename THREAD \"sales review\"", Args: cobra.ExactArgs(2)}, "agent thread rename",
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				v, err := cl.Agent.RenameLegacy(ctx, p, args[0], api.LegacyChatRename{Name: args[1]})
				return cli.Object(v), err
			})),
		e.Old(spec.DeleteLegacyChat, &cobra.Command{Use: "delete THREAD", Aliases: []string{"rm"}, Short: "Delete a conversation", Example: ex + "delete THREAD --yes", Args: cobra.ExactArgs(1)}, "agent thread delete",
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				if err := e.Confirm("delete thread %s?", args[0]); err != nil {
					return cli.View{}, err
				}
				v, err := cl.Agent.DeleteLegacy(ctx, p, args[0])
				return cli.Object(v), err
			})),
	)
	cli.OwnFile(c, "ask")
	return c
}
