package cli

import (
	"reflect"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/schema"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// The results of commands that are not a type of their own, for Leaf, Plain and Prints.
type (
	Text              = schema.Text
	Acknowledged      = schema.Acknowledged
	Answer            = schema.Answer
	QueryResult       = schema.QueryResult
	Either[A, B any]  = schema.Either[A, B]
	Shown[T, Row any] = schema.Shown[T, Row]
)

// Prints declares that a command prints a T with -o json. Leaf and Plain do so for the commands that they complete.
func Prints[T any](e *Env, c *cobra.Command) *cobra.Command {
	if e.Run.results == nil {
		e.Run.results = map[*cobra.Command]reflect.Type{}
	}
	e.Run.results[c] = reflect.TypeFor[T]()
	return c
}

// ResultSchema returns the JSON schema (2020-12) of what a command prints with -o json, nil for text.
func (e *Env) ResultSchema(c *cobra.Command) map[string]any { return schema.Of(e.result(c)) }

// Fields returns the fields of what a command prints.
func (e *Env) Fields(c *cobra.Command) *schema.Fields { return schema.FieldsOf(e.result(c)) }

func (e *Env) result(c *cobra.Command) reflect.Type {
	if t := e.Run.results[c]; t != nil {
		return t
	}
	return reflect.TypeFor[Acknowledged]()
}

// Changing reports whether a command may run an operation that changes something.
func Changing(c *cobra.Command) bool {
	for _, id := range strings.Fields(c.Annotations[OpAnnotation]) {
		op, ok := Operation(id)
		if !ok || !op.Safe() {
			return true
		}
	}
	return false
}

// checkResult rejects, before a command changes anything, output that would fail afterwards: columns that the result
// does not have, or a file that cannot be created.
func (e *Env) checkResult(c *cobra.Command) error {
	if !Changing(c) {
		return nil
	}
	if err := output.CheckFile(e.outPath()); err != nil {
		return e.Named("--out", err)
	}
	if len(e.Run.Flags.Columns) == 0 {
		return nil
	}
	known := e.Fields(c)
	for _, want := range e.Run.Flags.Columns {
		if !known.Has(want) {
			return cell.UnknownColumn(want, known.Names)
		}
	}
	return nil
}

// outPath returns the file of --out, or "" for stdout.
func (e *Env) outPath() string {
	if o := e.Run.Flags.Out; o != "" && o != "-" {
		return e.Abs(o)
	}
	return ""
}
