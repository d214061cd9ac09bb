package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// chatLine is one message as dig lists it.
type chatLine struct {
	Role string          `json:"role"`
	Text string          `json:"text"`
	Data json.RawMessage `json:"data,omitempty"`
	SQL  string          `json:"sql,omitempty"`
}

func newAgentChatCmd(e *Env) *cobra.Command {
	var thread, body string
	var noExecute bool
	c := &cobra.Command{
		Use: "chat [MESSAGE]", Short: "Ask the agent a question and wait for its answer", Args: cobra.MaximumNArgs(1),
		Long: `Ask the agent a question and wait for its answer.

MESSAGE may be @FILE or - for stdin. With --no-execute the agent writes SQL and does not run it: look at the SQL first, then run it
with query execute. The id of the conversation is printed on stderr, and is threadId in -o json; --thread goes on with it.

A table shows the text of the answer, its rows and its SQL; csv, tsv and markdown list one message a line; json and yaml are the
gateway's own record. An answer without any text, rows or SQL is exit code 1.`,
		Example: "  " + e.Name + " agent chat \"which customers bought nothing this year?\" --no-execute\n  " +
			e.Name + " agent chat --thread 6f1c7a9e-3f7b-4a56-9d57-0c6f0e3b6a11 \"and last year?\"",
	}
	c.Flags().StringVar(&thread, "thread", "", "go on with this conversation, by id or name; a new one when not given")
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
		setIf(c, "no-execute", &req.NoExecute, noExecute)
		if _, err := e.thread(ctx, c, cl, p, thread, &req.ThreadID); err != nil {
			return view{}, err
		}
		kept := api.Capture{Op: spec.AgentChat}
		if _, err := cl.Agent.Chat(api.WithCapture(ctx, &kept), p, req); err != nil {
			if unsure(err) { // the service may have the question
				fmt.Fprintln(e.Err, e.threadNote(req.ThreadID))
			}
			return view{}, err
		}
		return e.chatView(kept.Raw, req.ThreadID)
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

// thread names the conversation: the one of the flag, that of the body, or a new one. The service takes an id that the client has
// made [T]; without one nobody could go on with the conversation.
func (e *Env) thread(ctx context.Context, c *cobra.Command, cl *api.Client, project, flag string, into *string) (resumed bool, err error) {
	if c.Flags().Changed("thread") {
		if flag == "" {
			return false, usagef("--thread is empty")
		}
		*into, err = threadID(ctx, cl, project, flag)
		return true, err
	}
	if *into != "" {
		return true, nil
	}
	id, err := uuid.NewRandom()
	*into = id.String()
	return false, err
}

func (e *Env) threadNote(thread string) string {
	return string(output.Sanitize(nil, "note: the thread is "+thread+"; `"+e.Name+" agent chat --thread "+shell.Quote(thread)+" MESSAGE` goes on with it"))
}

// chatView shows the answer to a question. raw is the gateway's own record, thread the conversation that was asked for.
func (e *Env) chatView(raw json.RawMessage, thread string) (view, error) {
	if made := threadIn(raw); made != "" {
		thread = made
	}
	list := messagesIn(raw, 0)
	from, _ := lastTurn(list)
	var answers []agentAnswer
	for _, m := range list[from:] {
		if m, ok := messageOf(m); ok && (m.role == "ai" || m.role == "") {
			if a := answerOf(m.text); !a.empty() {
				answers = append(answers, a)
			}
		}
	}
	v := view{value: withThread(raw, thread), own: true}
	switch {
	case e.chatLines():
		v = chatList(list)
	case e.forPeople():
		v = view{printed: true}
		if err := e.writeChat(answers); err != nil {
			return v, err
		}
	}
	v.note = e.threadNote(thread)
	if len(answers) == 0 {
		v.fail = e.noAnswer("the agent's reply holds no answer", thread)
	} else if sql := answers[len(answers)-1].sql; sql != "" && e.forPeople() {
		v.note = e.sqlHint(sql) + "\n" + v.note
	}
	return v, nil
}

// noAnswer is the failure of a question that was taken and not answered.
func (e *Env) noAnswer(what, thread string) *failure {
	return &failure{exit: exitFailed, code: "no-answer", msg: what, hint: "`dig agent thread get " + shell.Quote(thread) + "` shows what the service has kept of it"}
}

func (e *Env) writeChat(answers []agentAnswer) error {
	if len(answers) == 0 {
		return nil
	}
	w, commit, abort, err := e.writer()
	if err != nil {
		return err
	}
	for i, a := range answers {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := e.writeAnswer(w, a); err != nil {
			abort()
			return err
		}
	}
	return commit()
}

// forPeople reports whether text is asked for, and not records.
func (e *Env) forPeople() bool {
	f := e.run.flags.output
	return (f == "" || f == output.Table) && len(e.run.flags.columns) == 0
}

// chatLines reports whether messages are asked for one a line.
func (e *Env) chatLines() bool {
	switch e.run.flags.output {
	case "", output.Table:
		return !e.forPeople()
	case output.CSV, output.TSV, output.Markdown:
		return true
	}
	return false
}

func chatList(messages []json.RawMessage) view {
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
	return list(lines, "role", "text", "data", "sql").mine()
}

// talkView shows a whole conversation: who said what.
func (e *Env) talkView(raw json.RawMessage) (view, error) {
	messages := messagesIn(raw, 0)
	switch {
	case e.chatLines():
		return chatList(messages), nil
	case !e.forPeople():
		return object(raw), nil
	}
	w, commit, abort, err := e.writer()
	if err != nil {
		return view{}, err
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
		fmt.Fprintf(w, "[%s]\n", output.Sanitize(nil, m.role))
		for _, c := range m.calls {
			fmt.Fprintln(w, c.line())
		}
		if err := e.writeAnswer(w, a); err != nil {
			abort()
			return view{}, err
		}
	}
	return view{printed: true}, commit()
}

// line is a call for people.
func (c agentCall) line() string {
	const most = 100
	text := []rune("tool: " + c.name + " " + c.args)
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return strings.TrimSpace(string(output.Sanitize(nil, string(text))))
}
