package agent

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newAgentStreamCmd(e *cli.Env) *cobra.Command {
	var thread, body string
	var modes []string
	var noExecute bool
	c := &cobra.Command{
		Use: "stream [MESSAGE]", Short: "Ask the agent a question and print its answer as it is written",
		Args: cobra.MaximumNArgs(1),
		Long: `Ask the agent a question and print its answer as it is written.

Text is printed as it arrives, each part once; an answer that is a document is formatted when it is
complete. Tools and steps are one line each on stderr, and so is the id of the conversation: --thread
continues it. With --no-execute the agent writes SQL and does not run it: review the SQL first, then run
it with query execute.

With -o ndjson, or json, every event is one line {"event", "id", "data"} with the data as received.
--mode selects what the gateway sends: messages (its default), values, updates, debug.

An empty or truncated stream results in exit code 5, one with an error or without an answer in 1.`,
		Example: "  " + e.Name + " agent stream \"revenue by month\" --no-execute\n  " + e.Name +
			" agent stream \"revenue by month\" --mode updates -o ndjson",
	}
	c.Flags().StringVar(&thread, "thread", "", "continue this conversation, by id or name; a new one by default")
	c.Flags().BoolVar(&noExecute, "no-execute", false, "write SQL but do not run it")
	c.Flags().StringSliceVar(&modes, "mode", nil, "values, updates, debug or messages; repeat")
	complete.Several(c, "mode", "values", "updates", "debug", "messages")
	cli.BodyFlag(c, &body)
	return cli.Leaf[any](e, spec.AgentChatStream, cli.OwnFile(c), e.WithProject(func(ctx context.Context,
		cl *api.Client, p string,
		args []string) (cli.View, error) {
		var req api.AgentChatStreamRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if err := message(e, args, &req.Message); err != nil {
			return cli.View{}, err
		}
		for _, m := range modes {
			switch m {
			case "values", "updates", "debug", "messages":
			default:
				return cli.View{}, exitcode.Usagef("--mode %q is not one of values, updates, debug, messages", m)
			}
		}
		if modes != nil {
			req.StreamModes = modes
		}
		cli.SetIf(c, "no-execute", &req.NoExecute, noExecute)
		lines, err := streamForm(e)
		if err != nil {
			return cli.View{}, err
		}
		resumed, err := openThread(ctx, e, c, cl, p, thread, &req.ThreadID)
		if err != nil {
			return cli.View{}, err
		}
		return cli.View{Printed: true}, stream(ctx, e, cl, p, req, lines, resumed)
	}))
}

// streamForm checks the output flags: text, or the events themselves if lines is true.
func streamForm(e *cli.Env) (lines bool, err error) {
	f := &e.Run.Flags
	switch {
	case f.Jq != "":
		return false, exitcode.Usagef("--jq: a stream is printed as text or as ndjson").
			WithHint("pipe the events of -o ndjson to jq")
	case len(f.Columns) > 0:
		return false, exitcode.Usagef("--columns: a stream has no columns")
	}
	switch f.Output {
	case "", output.Table:
		return false, nil
	case output.JSON, output.NDJSON:
		return true, nil
	}
	return false, exitcode.Usagef("-o %s: a stream is printed as text or as ndjson", f.Output)
}

func stream(ctx context.Context, e *cli.Env, cl *api.Client, project string, req api.AgentChatStreamRequest, lines,
	resumed bool) error {
	rep, err := cl.Agent.ChatStream(ctx, project, req)
	if err != nil {
		if cli.Unsure(err) {
			fmt.Fprintln(e.Err, threadNote(e, req.ThreadID))
		}
		return err
	}
	defer rep.Body.Close()
	w, commit, abort, err := e.Writer()
	if err != nil {
		return err
	}
	s := &agentScreen{e: e, w: w, lines: lines, question: req.Message, resumed: resumed, thread: req.ThreadID}
	broken := &brokenBody{Reader: rep.Body}
	err = api.ReadEvents(broken, s.event)
	ended := s.end(err == nil)
	if errors.Is(err, io.ErrUnexpectedEOF) || broken.err != nil && errors.Is(err, broken.err) {
		err = s.cut(err)
	}
	if err == nil {
		err = ended
	}
	if err == nil && s.sql != "" && !lines {
		fmt.Fprintln(e.Err, sqlHint(e, s.sql))
	}
	fmt.Fprintln(e.Err, threadNote(e, s.thread))
	if err != nil {
		abort()
		return err
	}
	return commit()
}

// brokenBody records that reading failed, to distinguish it from a failed write.
type brokenBody struct {
	io.Reader
	err error
}

func (b *brokenBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// cut is the error for a stream with a broken connection. A stream that was ended by a limit or by the user is reported
// as such.
func (s *agentScreen) cut(err error) error {
	var ae *api.Error
	if errors.As(err, &ae) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	came := fmt.Sprintf("after %d complete events", s.events)
	if !s.lines {
		came += fmt.Sprintf(" and %d characters of text", s.said)
	}
	if s.e.Run.Flags.Out != "" && s.e.Run.Flags.Out != "-" {
		came += "; the file was not written"
	}
	return &exitcode.Failure{Exit: exitcode.Unavailable, Code: "truncated",
		Msg: "the stream of the agent was truncated " + came, Err: err,
		Hint: "the answer is not complete; `dig agent thread get " + shell.Quote(s.thread) +
			"` shows what the service has stored of it"}
}
