package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// chatLine is one message in a list.
type chatLine struct {
	Role string          `json:"role"`
	Text string          `json:"text"`
	Data json.RawMessage `json:"data,omitempty"`
	SQL  string          `json:"sql,omitempty"`
}

func newAgentChatCmd(e *cli.Env) *cobra.Command {
	var thread, body string
	var noExecute bool
	c := &cobra.Command{
		Use: "chat [MESSAGE]", Short: "Ask the agent a question and wait for its answer", Args: cobra.MaximumNArgs(1),
		Long: `Ask the agent a question and wait for its answer.

MESSAGE may be @FILE or - for stdin. With --no-execute the agent writes SQL and does not run it: review
the SQL first, then run it with query execute. The id of the conversation is printed on stderr, and is
threadId in -o json; --thread continues it.

A table shows the text of the answer, its rows and its SQL; csv, tsv and markdown list one message per
line; json and yaml are the gateway's own record. An answer without text, rows and SQL results in exit
code 1.`,
		Example: "  " + e.Name + " agent chat \"which customers bought nothing this year?\" --no-execute\n  " +
			e.Name + " agent chat --thread 6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11 \"and last year?\"",
	}
	c.Flags().StringVar(&thread, "thread", "", "continue this conversation, by id or name; a new one by default")
	c.Flags().BoolVar(&noExecute, "no-execute", false, "write SQL but do not run it")
	cli.BodyFlag(c, &body)
	return cli.Leaf[cli.Shown[api.AgentChatResult, chatLine]](e, spec.AgentChat, cli.OwnFile(c),
		e.WithProject(func(ctx context.Context, cl *api.Client, p string,
			args []string) (cli.View, error) {
			var req api.AgentChatRequest
			if err := e.Body(body, &req); err != nil {
				return cli.View{}, err
			}
			if err := message(e, args, &req.Message); err != nil {
				return cli.View{}, err
			}
			cli.SetIf(c, "no-execute", &req.NoExecute, noExecute)
			if _, err := openThread(ctx, e, c, cl, p, thread, &req.ThreadID); err != nil {
				return cli.View{}, err
			}
			kept := api.Capture{Op: spec.AgentChat}
			if _, err := cl.Agent.Chat(api.WithCapture(ctx, &kept), p, req); err != nil {
				if cli.Unsure(err) { // the service may have received the question
					fmt.Fprintln(e.Err, threadNote(e, req.ThreadID))
				}
				return cli.View{}, err
			}
			return chatView(e, kept.Raw, req.ThreadID)
		}))
}

// message takes the question from the argument, unless --body contains it.
func message(e *cli.Env, args []string, into *string) error {
	if len(args) == 1 {
		raw, err := e.Value("MESSAGE", args[0])
		if err != nil {
			return err
		}
		*into = strings.TrimRight(string(raw), "\n")
	}
	if *into == "" {
		return exitcode.Usagef("a message is required")
	}
	return nil
}

// openThread determines the conversation: that of the flag, that of the body, or a new one. The service accepts an id
// created by the client [T]; without one the conversation could not be continued.
func openThread(ctx context.Context, e *cli.Env, c *cobra.Command, cl *api.Client, project, flag string,
	into *string) (resumed bool, err error) {
	if c.Flags().Changed("thread") {
		if flag == "" {
			return false, exitcode.Usagef("--thread is empty")
		}
		*into, err = resolve.ThreadID(ctx, cl, project, flag)
		return true, err
	}
	if *into != "" {
		return true, nil
	}
	id, err := uuid.NewRandom()
	*into = id.String()
	return false, err
}

func threadNote(e *cli.Env, thread string) string {
	return string(term.Sanitize(nil, "note: the thread is "+thread+"; `"+e.Name+" agent chat --thread "+
		shell.Quote(thread)+" MESSAGE` continues it"))
}

// chatView returns the view of an answer. raw is the gateway's own record, thread the requested conversation.
func chatView(e *cli.Env, raw json.RawMessage, thread string) (cli.View, error) {
	if made := threadIn(raw); made != "" {
		thread = made
	}
	list := messagesIn(raw, 0)
	from, _ := lastTurn(list)
	var answers, results []agentAnswer
	for _, m := range list[from:] {
		m, ok := messageOf(m)
		a := answerOf(m.text)
		switch {
		case !ok || a.empty():
		case m.answers():
			answers = append(answers, a)
		case m.made:
			results = append(results, a)
		}
	}
	if len(answers) == 0 { // the agent has added nothing to what a function returned
		answers = results
	}
	v := cli.View{Value: withThread(raw, thread), Own: true}
	switch {
	case chatLines(e):
		v = chatList(list)
	case forPeople(e):
		v = cli.View{Printed: true}
		if err := writeChat(e, answers); err != nil {
			return v, err
		}
	}
	v.Note = threadNote(e, thread)
	if len(answers) == 0 {
		v.Fail = noAnswer(e, "the agent's reply contains no answer", thread)
	} else if sql := answers[len(answers)-1].sql; sql != "" && forPeople(e) {
		v.Note = sqlHint(e, sql) + "\n" + v.Note
	}
	return v, nil
}

// noAnswer is the error for a question that was accepted but not answered.
func noAnswer(e *cli.Env, what, thread string) *exitcode.Failure {
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "no-answer", Msg: what, Hint: "`dig agent thread get " +
		shell.Quote(thread) + "` shows what the service has stored of it"}
}

func writeChat(e *cli.Env, answers []agentAnswer) error {
	if len(answers) == 0 {
		return nil
	}
	w, commit, abort, err := e.Writer()
	if err != nil {
		return err
	}
	for i, a := range answers {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := writeAnswer(e, w, a); err != nil {
			abort()
			return err
		}
	}
	return commit()
}

// forPeople reports whether the output is text, not records.
func forPeople(e *cli.Env) bool {
	f := e.Run.Flags.Output
	return (f == "" || f == output.Table) && len(e.Run.Flags.Columns) == 0
}

// chatLines reports whether the output has one message per line.
func chatLines(e *cli.Env) bool {
	switch e.Run.Flags.Output {
	case "", output.Table:
		return !forPeople(e)
	case output.CSV, output.TSV, output.Markdown:
		return true
	}
	return false
}

func chatList(messages []json.RawMessage) cli.View {
	lines := []chatLine{}
	for _, raw := range messages {
		if m, ok := messageOf(raw); ok {
			l := chatLine{Role: m.role, Text: m.text}
			if m.role != "human" {
				a := answerOf(m.text)
				l.Text, l.Data, l.SQL = a.text, a.data, a.sql
			}
			lines = append(lines, l)
		}
	}
	return cli.List(lines, "role", "text", "data", "sql").PrintValue()
}

// talkView returns the view of a whole conversation.
func talkView(e *cli.Env, raw json.RawMessage) (cli.View, error) {
	messages := messagesIn(raw, 0)
	switch {
	case chatLines(e):
		return chatList(messages), nil
	case !forPeople(e):
		return cli.Object(raw), nil
	}
	w, commit, abort, err := e.Writer()
	if err != nil {
		return cli.View{}, err
	}
	first := true
	for _, raw := range messages {
		m, ok := messageOf(raw)
		a := agentAnswer{text: m.text}
		if m.role != "human" {
			a = answerOf(m.text)
		}
		if !ok || a.empty() && len(m.calls) == 0 {
			continue
		}
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		fmt.Fprintf(w, "[%s]\n", term.Sanitize(nil, m.role))
		for _, c := range m.calls {
			fmt.Fprintln(w, c.line())
		}
		if err := writeAnswer(e, w, a); err != nil {
			abort()
			return cli.View{}, err
		}
	}
	return cli.View{Printed: true}, commit()
}

// line formats a call for display.
func (c agentCall) line() string {
	const most = 100
	text := []rune("tool: " + c.name + " " + c.args)
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return strings.TrimSpace(string(term.Sanitize(nil, string(text))))
}
