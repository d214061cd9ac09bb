package cmd

import (
	"context"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newAgentCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "agent", Short: "Ask questions about the data in plain words (hosted zones)"}
	c.AddCommand(newAgentChatCmd(e), newAgentStreamCmd(e), newAgentThreadCmd(e), newAgentHistoryCmd(e), newAgentImageCmd(e), newAgentLegacyCmd(e))
	return c
}

func newAgentThreadCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "thread", Aliases: []string{"threads"}, Short: "Conversations with the agent"}
	ex := "  " + e.Name + " agent thread "
	var name, body string
	rename := &cobra.Command{Use: "rename THREAD [NAME]", Short: "Rename a conversation", Example: ex + "rename 6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11 \"sales review\"", Args: cobra.RangeArgs(1, 2)}
	bodyFlag(rename, &body)
	c.AddCommand(
		e.leaf(spec.ListAgentThreads, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the conversations of the project", Example: ex + "list", Args: cobra.NoArgs},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				v, err := cl.Agent.Threads(ctx, p)
				return list(v, "threadId", "displayName"), err
			})),
		e.leaf(spec.GetAgentThread, &cobra.Command{Use: "get THREAD", Aliases: []string{"show"}, Short: "Show the messages of a conversation, by id or name", Example: ex + "get \"sales review\"", Args: cobra.ExactArgs(1)},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
				id, err := threadID(ctx, cl, p, args[0])
				if err != nil {
					return view{}, err
				}
				kept := api.Capture{Op: spec.GetAgentThread}
				if _, err := cl.Agent.Thread(api.WithCapture(ctx, &kept), p, id); err != nil {
					return view{}, err
				}
				return e.talkView(kept.Raw)
			})),
		e.leaf(spec.RenameAgentThread, rename, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
			var req api.AgentThreadUpdateRequest
			if err := e.body(body, &req); err != nil {
				return view{}, err
			}
			if len(args) == 2 {
				req.DisplayName = args[1]
			}
			if name = req.DisplayName; name == "" {
				return view{}, usagef("a name is required")
			}
			id, err := threadID(ctx, cl, p, args[0])
			if err != nil {
				return view{}, err
			}
			return note("renamed thread %s to %s", args[0], name), cl.Agent.RenameThread(ctx, p, id, req)
		})),
		e.leaf(spec.DeleteAgentThread, &cobra.Command{Use: "delete THREAD", Aliases: []string{"rm"}, Short: "Delete a conversation", Example: ex + "delete \"sales review\" --yes", Args: cobra.ExactArgs(1)},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
				id, err := threadID(ctx, cl, p, args[0])
				if err != nil {
					return view{}, err
				}
				who := e.called(args[0], id, func() ([]named, error) {
					all, err := cl.Agent.Threads(ctx, p)
					return mapNamed(all, func(t api.AgentThread) named { return named{id: t.ThreadID, name: t.DisplayName} }), err
				})
				if err := e.confirm("delete thread %s?", who); err != nil {
					return view{}, err
				}
				return note("deleted thread %s", args[0]), cl.Agent.DeleteThread(ctx, p, id)
			})),
	)
	return c
}

func threadID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	threads, err := cl.Agent.Threads(ctx, project)
	if err != nil {
		return "", err
	}
	all := make([]named, len(threads))
	for i, t := range threads {
		all[i] = named{id: t.ThreadID, name: t.DisplayName}
	}
	return pick("thread", "", set, all)
}

func newAgentImageCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "image", Short: "Fetch the picture (PNG) of the agent's workflow", Example: "  " + e.Name + " agent image --out workflow.png", Args: cobra.NoArgs}
	return e.leaf(spec.GetAgentWorkflowImage, c, func(ctx context.Context, cl *api.Client, _ []string) (view, error) {
		if e.OutTerm && e.run.flags.out == "" {
			return view{}, usagef("a picture cannot be shown on a terminal").withHint("give --out FILE")
		}
		png, err := cl.Agent.WorkflowImage(ctx)
		if err != nil {
			return view{}, err
		}
		w, commit, abort, err := e.writer()
		if err != nil {
			return view{}, err
		}
		if _, err := w.Write(png); err != nil {
			abort()
			return view{}, err
		}
		return view{printed: true}, commit()
	})
}
