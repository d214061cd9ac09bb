package cli

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Starts notes the command of the run, before it runs.
func (e *Env) Starts(c *cobra.Command) error {
	_, e.Run.Command, _ = strings.Cut(c.CommandPath(), " ")
	e.Run.changing = Changing(c)
	if op, ok := spec.Find(c.Annotations[LeafAnnotation]); ok {
		e.Run.aboveProjects = slices.Contains([]string{"organizations", "workspaces", "projects", "projects-legacy"}, op.Group)
	}
	return e.FlagsOnce(c)
}

// FlagsOnce rejects a flag of the command that takes one value and is given two different ones: the first would be
// silently dropped. Global flags may be repeated, and the last one wins, so that a shell alias can set them.
func (e *Env) FlagsOnce(c *cobra.Command) error {
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
			twice = Usagef("--%s is given more than once, with different values", f.Name).WithHint("the flag takes one value; give it once")
		}
		seen[f.Name] = value
		return nil
	})
	return twice
}
