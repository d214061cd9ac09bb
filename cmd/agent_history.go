package cmd

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// newAgentHistoryCmd is for the conversations of the service's first agent, which have a list of their own.
func newAgentHistoryCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "history", Short: "Conversations that the service keeps as chat history",
		Long: "Conversations that the service keeps as chat history: those of its first agent. Those of agent chat and agent stream are threads."}
	ex := "  " + e.Name + " agent history "
	c.AddCommand(
		e.leaf(spec.GetLegacyChatHistory, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the conversations of the chat history", Example: ex + "list", Args: cobra.NoArgs,
			Long: "List the conversations of the chat history. With -o json it is the gateway's own record, an object with the list in history: --jq '.history[].aiThreadId'."},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				v, err := cl.Agent.HistoryLegacy(ctx, p)
				if err == nil && (e.forPeople() || e.chatLines()) {
					return list(v.History, "aiThreadId", "displayName", "source").mine(), nil
				}
				return object(v), err
			})),
		e.leaf(spec.DeleteLegacyChat, &cobra.Command{Use: "delete THREAD", Aliases: []string{"rm"}, Short: "Delete a conversation from the chat history, by id or name",
			Long:    "Delete a conversation from the chat history, by id or name. With -o json it prints the history that is left.",
			Example: ex + "delete 6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11 --yes", Args: cobra.ExactArgs(1)},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
				history := func() ([]named, error) {
					all, err := cl.Agent.HistoryLegacy(ctx, p)
					return historyNames(all.History), err
				}
				id := args[0]
				if !uuidLike().MatchString(id) {
					all, err := history()
					if err != nil {
						return view{}, err
					}
					if id, err = pick("conversation", "", args[0], all); err != nil {
						return view{}, err
					}
				}
				if err := e.confirm("delete conversation %s from the chat history?", e.called(args[0], id, history)); err != nil {
					return view{}, err
				}
				_, err := cl.Agent.DeleteLegacy(ctx, p, id)
				return note("deleted conversation %s from the chat history", args[0]), err
			})),
	)
	return c
}

// historyNames are the conversations by the id of their thread.
func historyNames(records []api.LegacyChatRecord) []named {
	var all []named
	for _, r := range records {
		if r.AIThreadID == "" {
			r.AIThreadID = r.ID
		}
		all = append(all, named{id: r.AIThreadID, name: r.DisplayName})
	}
	return all
}

// legacyAnswer shows what the first agent says.
func (e *Env) legacyAnswer(v api.LegacyAgentResponse) (view, error) {
	a := answerOf(v.Output.Text)
	if len(v.Output.Data) > 0 && a.data == nil {
		raw, err := api.Marshal(v.Output.Data)
		if err != nil {
			return view{}, err
		}
		a.data = raw
	}
	if v.Output.Query != "" && a.sql == "" {
		a.sql = v.Output.Query
	}
	out := view{printed: true}
	if a.empty() {
		return out, &failure{exit: exitFailed, code: "no-answer", msg: "the agent's reply holds no answer"}
	}
	if a.sql != "" {
		out.note = e.sqlHint(a.sql)
	}
	if v.ThreadID != "" {
		out.note = strings.TrimPrefix(out.note+"\n"+string(output.Sanitize(nil, "note: the thread is "+v.ThreadID)), "\n")
	}
	return out, e.writeChat([]agentAnswer{a})
}
