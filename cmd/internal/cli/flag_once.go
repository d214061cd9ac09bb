package cli

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Starts records the command of the run before it runs, and rejects empty values and repeated flags.
func (e *Env) Starts(c *cobra.Command, args []string) error {
	_, e.Run.command.path, _ = strings.Cut(c.CommandPath(), " ")
	e.Run.command.changing = Changing(c)
	e.Run.command.prints = e.result(c)
	if op, ok := spec.Find(c.Annotations[LeafAnnotation]); ok {
		e.Run.command.aboveProjects = slices.Contains([]string{"organizations", "workspaces", "projects",
			"projects-legacy"},
			op.Group)
	}
	if err := emptyValue(c, args); err != nil {
		return err
	}
	return e.flagsOnce(c)
}

// Within has the journal name the command that runs this one.
func (e *Env) Within(outer *Env) { e.Run.command.outer = outer.Run.command.path }

// mayBeEmpty are the flags of which an empty value means something, or that have an error of their own for it.
var mayBeEmpty = map[string]bool{
	"default": true, "desc": true, "description": true, "display-name": true, "null-value": true,
	"confirm": true, "sql": true,
}

// RefusesEmpty reports whether an empty value of a flag is a mistake, such as the value of an unset variable in a
// script: an empty path would mean the working directory, and another empty value the same as no flag.
func RefusesEmpty(f *pflag.Flag) bool {
	if f.NoOptDefVal != "" || mayBeEmpty[f.Name] {
		return false
	}
	file, _ := complete.TakesFile(f.Name)
	return file || f.Value.Type() == "string" && f.DefValue == ""
}

// emptyValue rejects an empty file or directory, and flags without their value.
func emptyValue(c *cobra.Command, args []string) error {
	words := PathArgs(c)
	for i, arg := range args {
		if at := min(i, len(words)-1); at >= 0 && words[at] != "" && arg == "" {
			return exitcode.Usagef("%s is empty", words[at]).WithHint("usage: %s", c.UseLine())
		}
	}
	var empty error
	c.Flags().Visit(func(f *pflag.Flag) {
		if !RefusesEmpty(f) {
			return
		}
		values := []string{f.Value.String()}
		if list, many := f.Value.(pflag.SliceValue); many {
			values = list.GetSlice()
		}
		if slices.Contains(values, "") {
			empty = exitcode.Usagef("--%s is empty", f.Name)
		}
	})
	return empty
}

// PathArgs returns, for each argument of a command, its name in the usage line if it is a file or directory, and "" for
// others. The last argument may be repeated.
func PathArgs(c *cobra.Command) []string {
	var out []string
	fields := strings.Fields(c.Use)
	for _, w := range fields[1:] {
		if w = strings.Trim(w, "[]."); w != "DIR" && w != "FILE" {
			w = ""
		}
		out = append(out, w)
	}
	if strings.Contains(c.Use, "|") { // the arguments are alternatives
		return nil
	}
	return out
}

// flagsOnce rejects a flag of the command that takes one value and is given two different ones: the first would be
// silently dropped. Global flags may be repeated, and the last one wins, so that a shell alias can set them.
func (e *Env) flagsOnce(c *cobra.Command) error {
	_, args, err := c.Root().Find(e.Args)
	if err != nil {
		return nil //nolint:nilerr // cobra has found the command
	}
	seen := map[string]string{}
	var twice error
	_ = c.Flags().ParseAll(args, func(f *pflag.Flag, value string) error {
		if _, list := f.Value.(pflag.SliceValue); list || c.InheritedFlags().Lookup(f.Name) != nil {
			return nil
		}
		if first, again := seen[f.Name]; again && first != value && twice == nil {
			twice = exitcode.Usagef("--%s is given more than once, with different values",
				f.Name).WithHint("the flag takes one value; pass it once")
		}
		seen[f.Name] = value
		return nil
	})
	return twice
}
