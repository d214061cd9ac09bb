package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// bodyFlag adds --body, which gives a whole request body; flags change single fields of it.
func bodyFlag(c *cobra.Command, into *string) {
	c.Flags().StringVar(into, "body", "", "the request body as JSON, @FILE or - for stdin; other flags change it")
}

// body reads --body into a request. Unknown fields are refused: a misspelt one would be lost silently.
func (e *Env) body(arg string, into any) error { return e.bodyOf("--body", arg, into) }

func (e *Env) bodyOf(flag, arg string, into any) error {
	if arg == "" {
		return nil
	}
	raw, err := e.value(flag, arg)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return usagef("%s: %v", flag, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// value reads an argument that is text, @FILE or - for stdin.
func (e *Env) value(flag, arg string) ([]byte, error) {
	switch {
	case arg == "-":
		return e.readFile(flag, arg)
	case strings.HasPrefix(arg, "@"):
		return e.readFile(flag, arg[1:])
	}
	return []byte(arg), nil
}

// setIf sets an optional field when its flag was given, also to the empty string.
func setIf[T any](c *cobra.Command, flag string, field **T, v T) {
	if c.Flags().Changed(flag) {
		*field = &v
	}
}

// confirm asks before something is destroyed. Without a terminal to ask on, --yes is required.
func (e *Env) confirm(format string, args ...any) error {
	if e.run.flags.yes || e.run.flags.dryRun || e.run.flags.explain {
		return nil
	}
	question := fmt.Sprintf(format, args...)
	if !e.InTerm || !e.ErrTerm {
		return &failure{exit: exitConfirm, code: "confirm", msg: "not confirmed: " + question, hint: "give --yes to go ahead without being asked"}
	}
	fmt.Fprintf(e.Err, "%s [y/N] ", question)
	line, err := bufio.NewReader(e.In).ReadString('\n')
	if errors.Is(err, context.Canceled) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return &failure{exit: exitConfirm, code: "confirm", msg: "not confirmed, nothing was done"}
}
