package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// OpAnnotation names the operations a command runs, separated by spaces; the completeness test reads it.
const OpAnnotation = "operations"

// LeafAnnotation is the one of these operations that the command is named after.
const LeafAnnotation = "operation"

// InsteadOf begins the annotation of a noun that names the command of another noun for a verb it does not have.
const InsteadOf = "instead of "

// ownFile marks a command that writes --out in its own form, such as a download, a text or an image, instead of an
// output format.
const ownFile = "own-file"

// OwnFile marks a command that writes --out in its own form, whatever the extension of the file.
func OwnFile(c *cobra.Command) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[ownFile] = "true"
	return c
}

// ResultOptions checks the output flags of a command before it runs.
func (e *Env) ResultOptions(c *cobra.Command) (output.Options, error) {
	o, err := e.OutputOptions()
	if err == nil && c.Annotations[ownFile] == "" {
		err = e.CheckDrawnFile()
	}
	return o, err
}

// FlagOptions is the form of the output where the settings are not valid: flags and DIG_OUTPUT alone count.
func (e *Env) FlagOptions() (output.Options, error) {
	o := output.Options{Format: e.Run.Flags.Output, JQ: e.Run.Flags.Jq, Columns: e.Run.Flags.Columns,
		Terminal: e.OutTerm, Width: e.Width, Height: e.Height, Notes: e.Err}
	if o.Format == "" {
		o.Format = output.FormatOf(e.Getenv("DIG_OUTPUT"))
	}
	if o.Format == "" {
		o.Format = output.Table
	}
	if o.JQ != "" {
		o.Format = output.JSON
	}
	return o, output.Check(o)
}

// View is the result of a command: data to print, or a note.
type View struct {
	Value   any
	columns []string          // default columns of the table
	Own     bool              // print Value, which dig has changed, even if the gateway's own bytes are available
	Note    string            // goes to stderr
	within  string            // the member of the gateway's reply to print instead of all of it
	Printed bool              // the command has written its result itself
	Fail    *exitcode.Failure // the exit code after printing, for a result that failed in part
}

// List returns a view of many records; columns are the JSON names of the columns shown at a width of 80.
func List(v any, columns ...string) View { return View{Value: v, columns: columns} }

// Object returns a view of one record; columns, if any, are those shown.
func Object(v any, columns ...string) View { return View{Value: v, columns: columns} }

// Note returns a view with a note and no data.
func Note(format string, args ...any) View { return View{Note: fmt.Sprintf(format, args...)} }

// PrintValue prints the value of a view, which dig has changed, instead of the bytes of the gateway's reply.
func (v View) PrintValue() View { v.Own = true; return v }

// Within prints a list that is a member of the gateway's reply.
func (v View) Within(member string) View { v.within = member; return v }

// WithNote adds a line for stderr.
func (v View) WithNote(format string, args ...any) View {
	v.Note = fmt.Sprintf(format, args...)
	return v
}

// Leaf completes a command that runs one operation: it opens the client, runs f, and prints the result of f in the
// requested format. T is the type of what -o json prints: it decides on the fields that --columns and --jq may name and
// on the JSON schema of the result. `-o json` prints the gateway's own bytes of that operation, so fields unknown to
// dig are preserved.
func Leaf[T any](e *Env, op spec.Op, c *cobra.Command, f RunFunc) *cobra.Command {
	return e.leaf(op, Annotate(Prints[T](e, c), op), f)
}

func (e *Env) leaf(op spec.Op, c *cobra.Command, f RunFunc) *cobra.Command {
	c.Annotations[LeafAnnotation] = op.ID
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := e.ResultOptions(c)
		if err != nil {
			return err
		}
		if err := e.checkResult(c); err != nil {
			return err
		}
		cl, err := e.Client()
		if err != nil {
			return err
		}
		kept := api.Capture{Op: op}
		ctx := api.WithCapture(OwnRequest(c.Context(), op), &kept)
		v, err := f(ctx, cl, args)
		if !op.Safe() {
			e.ForgetVerdicts()
		}
		if err != nil {
			if !op.Safe() && kept.Raw != nil { // the operation succeeded, and a later step failed
				e.learn(op, kept.Raw, args)
			}
			return err
		}
		if e.StepCount() > 0 { // the result of f is based on requests that were not sent
			return ErrDone
		}
		if v.within != "" && kept.Raw != nil {
			if kept.Raw, err = memberOf(kept.Raw, v.within); err != nil {
				return err
			}
		}
		reply, err := replyOf(v, kept.Raw)
		if err != nil {
			return err
		}
		e.learn(op, reply, args)
		if err := e.Print(v, kept.Raw, o); err != nil || v.Fail == nil {
			return err
		}
		return v.Fail
	}
	return c
}

// plainFunc is the function that Plain and Repair run.
type plainFunc func(ctx context.Context, args []string) (View, error)

// Plain completes a command that does not call a gateway.
func Plain[T any](e *Env, c *cobra.Command, f plainFunc) *cobra.Command {
	return e.plain(Prints[T](e, c), e.ResultOptions, f)
}

// Repair completes a command that can correct the settings, and therefore also runs while they are not valid.
func Repair[T any](e *Env, c *cobra.Command, f plainFunc) *cobra.Command {
	return e.plain(Prints[T](e, c), func(c *cobra.Command) (output.Options, error) {
		if _, err := e.Settings(); err != nil {
			return e.FlagOptions()
		}
		return e.ResultOptions(c)
	}, f)
}

func (e *Env) plain(c *cobra.Command, options func(*cobra.Command) (output.Options, error),
	f plainFunc) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := options(c)
		if err != nil {
			return err
		}
		v, err := f(c.Context(), args)
		if err != nil {
			return err
		}
		if err := e.Print(v, nil, o); err != nil || v.Fail == nil {
			return err
		}
		return v.Fail
	}
	return c
}

// Annotate records the operations that a command runs.
func Annotate(c *cobra.Command, ops ...spec.Op) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	for _, op := range ops {
		if have := strings.Fields(c.Annotations[OpAnnotation]); !slices.Contains(have, op.ID) {
			c.Annotations[OpAnnotation] = strings.Join(append(have, op.ID), " ")
		}
	}
	return c
}

// memberOf returns a list that is a member of a reply; null is an empty list.
func memberOf(raw json.RawMessage, name string) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	if list := all[name]; !emptyReply(list) {
		return list, nil
	}
	return json.RawMessage("[]"), nil
}

func emptyReply(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}":
		return true
	}
	return false
}

func (e *Env) Print(v View, raw json.RawMessage, o output.Options) error {
	if acted := v.Value == nil && !v.Printed && v.Note != "" && emptyReply(raw); acted && o.Format == output.JSON {
		v.Value, v.Own, v.Note = Acknowledged{OK: true, Message: v.Note}, true, ""
	}
	if v.Note != "" {
		fmt.Fprintln(e.Err, v.Note)
	}
	if v.Printed {
		return nil
	}
	if v.Value == nil && (raw == nil || v.Note != "" && o.Format != output.JSON) {
		return nil // nothing to show; the body of an acknowledgement carries no data
	}
	if as, ok := v.Value.(json.RawMessage); ok && v.Own {
		raw = as
	} else if raw == nil || v.Own {
		var err error
		if raw, err = api.Marshal(v.Value); err != nil {
			return err
		}
	}
	if !e.Run.Revealed {
		raw = json.RawMessage(e.Run.Mask.Result(string(raw)))
	}
	o = e.shaped(v, o)
	s, err := e.OpenSink(e.Run.Flags.Out, true, o, func() {})
	if err != nil {
		return err
	}
	o.Notes = s.Notes
	return s.Finish(output.WriteDoc(s.W, raw, o))
}

// RunFunc is the function that Leaf runs.
type RunFunc func(ctx context.Context, cl *api.Client, args []string) (View, error)

// WithProject runs f with the current project.
func (e *Env) WithProject(f func(ctx context.Context, cl *api.Client, project string, args []string) (View,
	error)) RunFunc {
	return func(ctx context.Context, cl *api.Client, args []string) (View, error) {
		p, err := e.Target().ProjectID(ctx, cl)
		if err != nil {
			return View{}, err
		}
		return f(ctx, cl, p, args)
	}
}

// ProjectRun is the function that CheckThenProject runs with the current project.
type ProjectRun func(ctx context.Context, cl *api.Client, project string) (View, error)

// CheckThenProject runs check, and then the function that it returns with the current project. check has no client, so
// wrong input is reported before the first request; resolving the project may require one.
func (e *Env) CheckThenProject(check func(args []string) (ProjectRun, error)) RunFunc {
	return func(ctx context.Context, cl *api.Client, args []string) (View, error) {
		f, err := check(args)
		if err != nil {
			return View{}, err
		}
		p, err := e.Target().ProjectID(ctx, cl)
		if err != nil {
			return View{}, err
		}
		return f(ctx, cl, p)
	}
}

// QueryRun is the function that OnQuery runs, with the arguments after the first one.
type QueryRun func(ctx context.Context, cl *api.Client, project, id string, rest []string) (View, error)

// OnQuery completes a command on one saved query: f gets the ids of the project and of the query named by the first
// argument.
func (e *Env) OnQuery(f QueryRun) func(context.Context, *api.Client, []string) (View, error) {
	return e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (View, error) {
		id, err := resolve.QueryID(ctx, cl, p, args[0])
		if err != nil {
			return View{}, err
		}
		return f(ctx, cl, p, id, args[1:])
	})
}

// Operation finds an operation of the gateway, or of zone local alone.
func Operation(id string) (spec.Op, bool) {
	if op, ok := spec.Find(id); ok {
		return op, true
	}
	for _, op := range spec.Local() {
		if op.ID == id {
			return op, true
		}
	}
	return spec.Op{}, false
}
