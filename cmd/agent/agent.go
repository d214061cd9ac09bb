// Package agent holds the commands for conversations with the agents of a gateway.
package agent

import (
	"context"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Displays sets how records are displayed, also by the commands of other nouns.
func Displays(e *cli.Env) {
	e.Displays(&threadShape, api.AgentThread{})
	e.Displays(&pastShape, api.LegacyChatRecord{})
}

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "agent", Short: "Ask questions about the data in natural language (hosted zones)"}
	c.AddCommand(newAgentChatCmd(e), newAgentStreamCmd(e), newAgentThreadCmd(e), newAgentHistoryCmd(e),
		newAgentImageCmd(e))
	return c
}

func newAgentThreadCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "thread", Aliases: []string{"threads"}, Short: "Conversations with the agent"}
	ex := "  " + e.Name + " agent thread "
	var name, body string
	rename := &cobra.Command{Use: "rename THREAD [NAME]", Short: "Rename a conversation", Example: ex +
		"rename 6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11 \"sales review\"", Args: cobra.RangeArgs(1, 2)}
	cli.BodyFlag(rename, &body)
	c.AddCommand(
		cli.Leaf[[]api.AgentThread](e, spec.ListAgentThreads, &cobra.Command{Use: "list", Aliases: []string{"ls"},
			Short: "List the conversations of the project", Example: ex + "list", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.Agent.Threads(ctx, p)
				return cli.List(v, "threadId", "displayName"), err
			})),
		cli.Leaf[api.AgentThreadState](e, spec.GetAgentThread, cli.OwnFile(&cobra.Command{Use: "get THREAD",
			Aliases: []string{"show"},
			Short:   "Show the messages of a conversation, by id or name", Example: ex + "get \"sales review\"",
			Args: cobra.ExactArgs(1)}),
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				id, err := resolve.ThreadID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				kept := api.Capture{Op: spec.GetAgentThread}
				if _, err := cl.Agent.Thread(api.WithCapture(ctx, &kept), p, id); err != nil {
					return cli.View{}, err
				}
				return talkView(e, kept.Raw)
			})),
		cli.Leaf[cli.Answer](e, spec.RenameAgentThread, rename, e.WithProject(func(ctx context.Context, cl *api.Client,
			p string,
			args []string) (cli.View, error) {
			var req api.AgentThreadUpdateRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if len(args) == 2 {
				req.DisplayName = args[1]
			}
			if name = req.DisplayName; name == "" {
				return cli.View{}, exitcode.Usagef("a name is required")
			}
			id, err := resolve.ThreadID(ctx, cl, p, args[0])
			if err != nil {
				return cli.View{}, err
			}
			return cli.Note("renamed thread %s to %s", args[0], name), cl.Agent.RenameThread(ctx, p, id, req)
		})),
		cli.Leaf[cli.Answer](e, spec.DeleteAgentThread, &cobra.Command{Use: "delete THREAD", Aliases: []string{"rm"},
			Short: "Delete a conversation", Example: ex + "delete \"sales review\" --yes", Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				id, err := resolve.ThreadID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				who := e.Called(args[0], id, resolve.Threads(ctx, cl, p))
				if err := e.Ask().Confirm("delete thread %s?", who); err != nil {
					return cli.View{}, err
				}
				return cli.Note("deleted thread %s", args[0]), cl.Agent.DeleteThread(ctx, p, id)
			})),
	)
	return c
}

func newAgentImageCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "image", Short: "Download the image (PNG) of the agent's workflow", Example: "  " +
		e.Name + " agent image --out workflow.png", Args: cobra.NoArgs}
	return cli.Leaf[cli.Text](e, spec.GetAgentWorkflowImage, cli.OwnFile(c), func(ctx context.Context, cl *api.Client,
		_ []string) (cli.View,
		error) {
		if e.OutTerm && e.Run.Flags.Out == "" {
			return cli.View{}, exitcode.Usagef("an image cannot be printed on a terminal").WithHint("give --out FILE")
		}
		png, err := cl.Agent.WorkflowImage(ctx)
		if err != nil {
			return cli.View{}, err
		}
		w, commit, abort, err := e.Writer()
		if err != nil {
			return cli.View{}, err
		}
		if _, err := w.Write(png); err != nil {
			abort()
			return cli.View{}, err
		}
		return cli.View{Printed: true}, commit()
	})
}
