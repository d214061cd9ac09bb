package cli

import (
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// Shape defines how the records of a noun are displayed to people, in lists and one by one. Formats for programs do not
// use it.
type Shape struct {
	ID     string // path of the identifier of the record for other commands, which --quiet prints
	Fields []Field
}

// Field is a field of a Shape. If a terminal is too narrow for a list, the last fields are dropped first.
type Field = output.Field

// Shows sets the shape of the results of the commands below c with these names, and adds the flag --quiet to them.
func (e *Env) Shows(c *cobra.Command, s *Shape, names ...string) {
	for _, sub := range chosen(c, names) {
		e.showsOne(sub, s)
	}
}

func (e *Env) showsOne(c *cobra.Command, s *Shape) {
	c.Flags().BoolVarP(&e.Run.Flags.quiet, "quiet", "q", false,
		"print only the ids, or the names of what has no id, one a line")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		e.Run.command.shape = *s
		return run(c, args)
	}
}

// checkQuiet rejects flags that would have no effect together with --quiet.
func (e *Env) checkQuiet() error {
	f := &e.Run.Flags
	if !f.quiet {
		return nil
	}
	for _, name := range []string{"output", "columns", "jq", "no-header", "null"} {
		if fl := e.Run.Set.Lookup(name); fl != nil && fl.Changed {
			return exitcode.Usagef("--%s cannot be used with --quiet, which prints only the ids", name)
		}
	}
	return nil
}

// shaped adds to the options how the result is displayed to people.
func (e *Env) shaped(v View, o output.Options) output.Options {
	shape := &e.Run.command.shape
	if v.shape != nil {
		shape = v.shape
	}
	o.DefaultColumns, o.Fields = v.columns, shape.Fields
	if e.Run.Flags.quiet {
		o.Format, o.Columns, o.NoHeader = output.TSV, []string{shape.ID}, true
	}
	return o
}
