package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newAgentCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "agent", Short: "Ask questions about the data in plain words (hosted zones)"}
	c.AddCommand(newAgentChatCmd(e), newAgentStreamCmd(e), newAgentThreadCmd(e), newAgentImageCmd(e), newAgentLegacyCmd(e))
	return c
}

// chatLine is one message as dig shows it.
type chatLine struct {
	Role string          `json:"role"`
	Text string          `json:"text"`
	Data json.RawMessage `json:"data,omitempty"`
}

// chatView shows messages one a line; in structured formats the gateway's own record.
func (e *Env) chatView(whole any, messages []api.AgentMessage) view {
	switch e.run.flags.output {
	case "", "table", "markdown", "csv", "tsv":
	default:
		return object(whole)
	}
	lines := make([]chatLine, len(messages))
	for i, m := range messages {
		role := ""
		if len(m.ID) > 0 {
			role = strings.ToLower(strings.TrimSuffix(m.ID[len(m.ID)-1], "Message"))
		}
		lines[i] = chatLine{Role: role, Text: m.Kwargs.Content}
		// The content may itself be a document with a summary and rows [T].
		var inner struct {
			Summary string          `json:"summary"`
			Data    json.RawMessage `json:"data"`
		}
		if strings.HasPrefix(strings.TrimSpace(m.Kwargs.Content), "{") && json.Unmarshal([]byte(m.Kwargs.Content), &inner) == nil && (inner.Summary != "" || inner.Data != nil) {
			lines[i].Text, lines[i].Data = inner.Summary, inner.Data
		}
	}
	return list(lines, "role", "text", "data").mine()
}

func newAgentChatCmd(e *Env) *cobra.Command {
	var thread, body string
	var noExecute bool
	c := &cobra.Command{
		Use: "chat [MESSAGE]", Short: "Ask the agent a question and wait for its answer", Args: cobra.MaximumNArgs(1),
		Long:    "Ask the agent a question and wait for its answer.\n\nMESSAGE may be @FILE or - for stdin. --no-execute has the agent write SQL without running it.",
		Example: "  " + e.Name + " agent chat \"which customers bought nothing this year?\" --no-execute",
	}
	c.Flags().StringVar(&thread, "thread", "", "go on with this thread; a new one when not given")
	c.Flags().BoolVar(&noExecute, "no-execute", false, "write SQL but do not run it")
	bodyFlag(c, &body)
	return e.leaf(spec.AgentChat, c, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		var req api.AgentChatRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if err := e.message(args, &req.Message); err != nil {
			return view{}, err
		}
		if thread != "" {
			req.ThreadID = thread
		}
		setIf(c, "no-execute", &req.NoExecute, noExecute)
		v, err := cl.Agent.Chat(ctx, p, req)
		return e.chatView(v, v.Result.Messages), err
	}))
}

// message takes the question from the argument, unless a body has it.
func (e *Env) message(args []string, into *string) error {
	if len(args) == 1 {
		raw, err := e.value("MESSAGE", args[0])
		if err != nil {
			return err
		}
		*into = strings.TrimRight(string(raw), "\n")
	}
	if *into == "" {
		return usagef("a message is required")
	}
	return nil
}

func newAgentStreamCmd(e *Env) *cobra.Command {
	var thread, body string
	var modes []string
	var noExecute bool
	c := &cobra.Command{
		Use: "stream [MESSAGE]", Short: "Ask the agent a question and print its answer as it is written", Args: cobra.MaximumNArgs(1),
		Long: `Ask the agent a question and print its answer as it is written.

Text is printed as it arrives. With -o ndjson every event is one line {"event", "id", "data"}.
--mode picks what the gateway sends: messages (its default), values, updates, debug.`,
		Example: "  " + e.Name + " agent stream \"revenue by month\" --mode updates -o ndjson",
	}
	c.Flags().StringVar(&thread, "thread", "", "go on with this thread; a new one when not given")
	c.Flags().BoolVar(&noExecute, "no-execute", false, "write SQL but do not run it")
	c.Flags().StringSliceVar(&modes, "mode", nil, "values, updates, debug or messages; repeat")
	bodyFlag(c, &body)
	return e.leaf(spec.AgentChatStream, c, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		var req api.AgentChatStreamRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if err := e.message(args, &req.Message); err != nil {
			return view{}, err
		}
		for _, m := range modes {
			switch m {
			case "values", "updates", "debug", "messages":
			default:
				return view{}, usagef("--mode %q is none of values, updates, debug, messages", m)
			}
		}
		if modes != nil {
			req.StreamModes = modes
		}
		if thread != "" {
			req.ThreadID = thread
		}
		setIf(c, "no-execute", &req.NoExecute, noExecute)
		return view{printed: true}, e.stream(ctx, cl, p, req)
	}))
}

func (e *Env) stream(ctx context.Context, cl *api.Client, project string, req api.AgentChatStreamRequest) error {
	var lines bool
	switch f := e.run.flags.output; f {
	case "", "table":
	case "json", "ndjson":
		lines = true
	default:
		return usagef("-o %s: a stream is printed as text or as ndjson", f)
	}
	rep, err := cl.Agent.ChatStream(ctx, project, req)
	if err != nil {
		return err
	}
	defer rep.Body.Close()
	if kind := rep.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		return &failure{exit: exitUnavailable, code: "protocol", msg: fmt.Sprintf("the gateway answered %q and not a stream of events", kind)}
	}
	w, commit, abort, err := e.writer()
	if err != nil {
		return err
	}
	midLine := false
	err = api.ReadEvents(rep.Body, func(ev api.AgentStreamEvent) error {
		if ev.Event == "error" {
			return &failure{exit: exitFailed, code: "agent", msg: "the agent failed: " + ev.Data}
		}
		if lines {
			raw, err := eventJSON(ev)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%s\n", raw)
			return err
		}
		text, piece := eventText(ev.Data)
		if !piece {
			if midLine {
				text = "\n" + text
			}
			text += "\n"
		}
		midLine = piece && !strings.HasSuffix(text, "\n")
		_, err := w.Write(output.SanitizeText(nil, text))
		return err
	})
	if midLine {
		fmt.Fprintln(w)
	}
	if err != nil {
		abort()
		if err == io.ErrUnexpectedEOF {
			return &failure{exit: exitUnavailable, code: "truncated", msg: "the stream of the agent was cut short", err: err}
		}
		return err
	}
	return commit()
}

func eventJSON(ev api.AgentStreamEvent) ([]byte, error) {
	out := struct {
		Event string `json:"event"`
		ID    string `json:"id,omitempty"`
		Data  any    `json:"data"`
	}{ev.Event, ev.ID, ev.Data}
	if json.Valid([]byte(ev.Data)) {
		out.Data = json.RawMessage(ev.Data)
	}
	return api.Marshal(out)
}

// eventText is what a reader wants of an event: the piece of a message it carries, or all of it when it has another form,
// since the forms are not documented. piece says that it joins what came before.
func eventText(data string) (text string, piece bool) {
	type message struct {
		Content *string `json:"content"`
		Kwargs  struct {
			Content *string `json:"content"`
		} `json:"kwargs"`
	}
	content := func(m message) *string {
		if m.Kwargs.Content != nil {
			return m.Kwargs.Content
		}
		return m.Content
	}
	var one message
	if json.Unmarshal([]byte(data), &one) == nil {
		if c := content(one); c != nil {
			return *c, true
		}
	}
	var pair []json.RawMessage // a message and what is known about it
	if json.Unmarshal([]byte(data), &pair) == nil && len(pair) > 0 && json.Unmarshal(pair[0], &one) == nil {
		if c := content(one); c != nil {
			return *c, true
		}
	}
	return data, false
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
				v, err := cl.Agent.Thread(ctx, p, id)
				return e.chatView(v, v.Result.Values.Messages), err
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
				if err := e.confirm("delete thread %s (%s)?", args[0], id); err != nil {
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
