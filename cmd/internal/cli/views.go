package cli

import (
	"reflect"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/schema"
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

// Displays sets the shape in which every command displays records of the types of these values.
func (e *Env) Displays(s *Shape, records ...any) {
	if e.Run.shapes == nil {
		e.Run.shapes = map[reflect.Type]*Shape{}
	}
	for _, r := range records {
		t := reflect.TypeOf(r)
		if e.Run.shapes[t] != nil {
			panic("two shapes of " + t.String()) // a mistake in the program, which every run reports
		}
		e.Run.shapes[t] = s
	}
}

// shapeOf returns the shape of a value that a command prints, or of the type that it prints; nil if it has none.
func (e *Env) shapeOf(printed reflect.Type, value any) *Shape {
	var types []reflect.Type
	if value != nil {
		types = schema.Records(reflect.TypeOf(value))
	}
	if printed != nil { // else the command passes on what a gateway sends
		types = append(types, schema.Records(printed)...)
	}
	for _, t := range types {
		if s := e.Run.shapes[t]; s != nil {
			return s
		}
	}
	return nil
}

// FlagQuiet adds the flag --quiet to a command that prints records with a shape.
func (e *Env) FlagQuiet(c *cobra.Command) {
	if e.shapeOf(e.result(c), nil) != nil {
		c.Flags().BoolVarP(&e.Run.Flags.quiet, "quiet", "q", false,
			"print only the ids, or the names of what has no id, one a line")
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
	o.DefaultColumns = v.columns
	shape := e.shapeOf(e.Run.command.prints, v.Value)
	if shape == nil {
		return o
	}
	o.Fields = shape.Fields
	if e.Run.Flags.quiet {
		o.Format, o.Columns, o.NoHeader = output.TSV, []string{shape.ID}, true
	}
	return o
}
