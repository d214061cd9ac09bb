package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/spf13/cobra"
)

// BodyFlag adds --body, which sets the whole request body; other flags change single fields of it.
func BodyFlag(c *cobra.Command, into *string) {
	c.Flags().StringVar(into, "body", "", "the request body as JSON, @FILE or - for stdin; other flags change it")
}

// Body decodes --body into a request. Unknown fields are rejected: a misspelt one would be silently ignored.
func (e *Env) Body(arg string, into any) error { return e.BodyOf("--body", arg, into) }

func (e *Env) BodyOf(flag, arg string, into any) error {
	if arg == "" {
		return nil
	}
	raw, err := e.Value(flag, arg)
	if err != nil {
		return err
	}
	if err := api.TextFault(raw); err != nil { // the decoder would replace the bytes
		return exitcode.Usagef("%s: %v", flag, err).WithHint("%s", convert)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return exitcode.Usagef("%s: %v", flag, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// Value reads an argument that is a literal value, @FILE or - for stdin.
func (e *Env) Value(flag, arg string) ([]byte, error) {
	switch {
	case arg == "-":
		return e.ReadFile(flag, arg)
	case strings.HasPrefix(arg, "@"):
		return e.ReadFile(flag, arg[1:])
	}
	return []byte(arg), nil
}

// TextValue is Value without the line end of a file.
func (e *Env) TextValue(flag, arg string) (string, error) {
	raw, err := e.Value(flag, arg)
	if arg == "-" || strings.HasPrefix(arg, "@") {
		return FileText(raw), err
	}
	return string(raw), err
}

// FileText is the text of a file without its line end.
func FileText(raw []byte) string {
	return strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
}

// SetIf sets an optional field if its flag was given, including to the empty string.
func SetIf[T any](c *cobra.Command, flag string, field **T, v T) {
	if c.Flags().Changed(flag) {
		*field = &v
	}
}

// Data returns standard input as the contents of a file argument. On a terminal it prints a note that input is
// expected.
func (e *Env) Data() io.Reader {
	if err := e.CheckInteractive(); err != nil {
		return failing{err}
	}
	if e.InTerm && e.ErrTerm {
		fmt.Fprintln(e.Err, "reading from the terminal; Ctrl-D on a line of its own ends")
	}
	return e.In
}
