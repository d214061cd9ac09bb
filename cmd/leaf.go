package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// opAnnotation names the operations a command runs, separated by spaces; the completeness test reads it.
const opAnnotation = "operations"

// leafAnnotation is the one among them that the command is named after.
const leafAnnotation = "operation"

// view is what a command returns: data to print, or a note that something was done.
type view struct {
	value   any
	columns []string // default columns of the table
	own     bool     // print value even if the gateway's own bytes are at hand, because dig has changed it
	note    string   // goes to stderr
	printed bool     // the command has written its result itself
	fail    *failure // what to exit with after printing, for a result of which a part failed
}

// list is a view of many records; columns are the JSON names shown at 80 columns.
func list(v any, columns ...string) view { return view{value: v, columns: columns} }

// object is a view of one record; columns, if any, are those shown.
func object(v any, columns ...string) view { return view{value: v, columns: columns} }

// note is a view without data.
func note(format string, args ...any) view { return view{note: fmt.Sprintf(format, args...)} }

// mine marks a view as changed by dig, so that it is printed and not the gateway's bytes.
func (v view) mine() view { v.own = true; return v }

// withNote adds a line for stderr.
func (v view) withNote(format string, args ...any) view {
	v.note = fmt.Sprintf(format, args...)
	return v
}

// leaf completes a command that runs one operation: it opens the client, runs f, and prints what f returns in the format asked
// for. `-o json` prints the gateway's own bytes of that operation, so fields dig does not know survive.
func (e *Env) leaf(op spec.Op, c *cobra.Command, f func(ctx context.Context, cl *api.Client, args []string) (view, error)) *cobra.Command {
	annotate(c, op)
	c.Annotations[leafAnnotation] = op.ID
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := e.outputOptions()
		if err != nil {
			return err
		}
		if err := e.checkResult(c, op); err != nil {
			return err
		}
		cl, err := e.Client()
		if err != nil {
			return err
		}
		kept := api.Capture{Op: op}
		ctx := api.WithCapture(context.WithValue(c.Context(), opKey{}, op), &kept)
		v, err := f(ctx, cl, args)
		if !op.Safe() {
			e.forgetVerdicts()
		}
		if err != nil {
			return err
		}
		if e.told() > 0 { // what f returns was made of requests that were not sent
			return errDone
		}
		e.remember(op, kept.Raw)
		if err := e.print(v, kept.Raw, o); err != nil || v.fail == nil {
			return err
		}
		return v.fail
	}
	return c
}

// plain completes a command that calls no gateway.
func (e *Env) plain(c *cobra.Command, f func(ctx context.Context, args []string) (view, error)) *cobra.Command {
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := e.outputOptions()
		if err != nil {
			return err
		}
		v, err := f(c.Context(), args)
		if err != nil {
			return err
		}
		return e.print(v, nil, o)
	}
	return c
}

// annotate names operations a command runs.
func annotate(c *cobra.Command, ops ...spec.Op) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	for _, op := range ops {
		if have := c.Annotations[opAnnotation]; have != "" {
			c.Annotations[opAnnotation] = have + " " + op.ID
		} else {
			c.Annotations[opAnnotation] = op.ID
		}
	}
	return c
}

// acknowledged is what -o json prints of a command that did something and has no data: the reply of the gateway is empty then.
type acknowledged struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

func emptyReply(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}":
		return true
	}
	return false
}

func (e *Env) print(v view, raw json.RawMessage, o output.Options) error {
	if acted := v.value == nil && !v.printed && v.note != "" && emptyReply(raw); acted && o.Format == output.JSON {
		v.value, v.own, v.note = acknowledged{true, v.note}, true, ""
	}
	if v.note != "" {
		fmt.Fprintln(e.Err, v.note)
	}
	if v.printed {
		return nil
	}
	if v.value == nil && (raw == nil || v.note != "" && o.Format != output.JSON) {
		return nil // done, and nothing to show; an acknowledgement's body carries nothing
	}
	if as, ok := v.value.(json.RawMessage); ok && v.own {
		raw = as
	} else if raw == nil || v.own {
		var err error
		if raw, err = api.Marshal(v.value); err != nil {
			return err
		}
	}
	o.DefaultColumns = v.columns
	s, err := e.openSink(e.run.flags.out, true, o, func() {})
	if err != nil {
		return err
	}
	o.Notes = s.notes
	return s.finish(output.WriteDoc(s.w, raw, o))
}
