package agent

import (
	"context"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// newAgentHistoryCmd is for the conversations of the service's first agent, which are listed separately.
func newAgentHistoryCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "history", Short: "Conversations that the service stores as chat history",
		Long: "Conversations that the service stores as chat history: those of its first agent. Those of agent chat " +
			"and agent stream are threads."}
	ex := "  " + e.Name + " agent history "
	c.AddCommand(
		cli.Leaf[[]api.LegacyChatRecord](e, spec.GetLegacyChatHistory, &cobra.Command{Use: "list",
			Aliases: []string{"ls"},
			Short:   "List the conversations of the chat history", Example: ex + "list", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Agent.HistoryLegacy(ctx, p)
				if err == nil && (forPeople(e) || chatLines(e)) {
					return cli.List(v.History, "aiThreadId", "displayName", "source").PrintValue(), nil
				}
				return cli.List(v.History).Within("history"), err
			})),
		cli.Leaf[api.LegacyChatHistory](e, spec.DeleteLegacyChat, &cobra.Command{Use: "delete THREAD",
			Aliases: []string{"rm"},
			Short:   "Delete a conversation from the chat history, by id or name",
			Long: "Delete a conversation from the chat history, by id or name. With -o json it prints the " +
				"remaining history.",
			Example: ex + "delete 6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11 --yes", Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				id, err := resolve.ConversationID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				if err := e.Ask().Confirm("delete conversation %s from the chat history?",
					e.Called(args[0], id, resolve.Conversations(ctx, cl, p))); err != nil {
					return cli.View{}, err
				}
				_, err = cl.Agent.DeleteLegacy(ctx, p, id)
				return cli.Note("deleted conversation %s from the chat history", args[0]), err
			})),
	)
	return c
}
