package cmd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help groups, in the order of the service's documentation.
const (
	groupData    = "data"
	groupAdmin   = "admin"
	groupSources = "sources"
	groupMeta    = "metadata"
	groupTools   = "tools"
)

// newRootCmd returns the tree of all commands.
func newRootCmd(e *cli.Env) *cobra.Command { return rootFor(e, nil) }

// rootFor returns the part of the tree of commands that a command line needs; nil for all of it.
func rootFor(e *cli.Env, line []string) *cobra.Command {
	root := &cobra.Command{
		Use:   e.Name,
		Short: "Run and administer a data-integration gateway",
		Long: `Run and administer a data-integration gateway: SQL over every connected source, tables, saved and
materialized queries, caches, exports, metadata, and the organizations, workspaces and projects that hold them.

Zone local is a gateway inside this program: it needs no account and no network, and is used
when no other zone is chosen.`,
		Example: fmt.Sprintf(`  %[1]s query execute --sql "SELECT * FROM sample.shop.customers LIMIT 5"
  %[1]s table import people people.csv --create
  %[1]s --zone us workspace list -o json`, e.Name),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
	}
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(c *cobra.Command, args []string) error {
		if *version {
			return printVersion(e)
		}
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return c.Help()
	}
	root.SetIn(e.In)
	root.SetOut(e.Out)
	root.SetErr(e.Err)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	e.Run.Register(root.PersistentFlags())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		f := exitcode.Usagef("%v", err).WithHint("`%s --help` lists the flags", strings.Replace(c.CommandPath(),
			e.Name, "dig", 1))
		var unknown *pflag.NotExistError
		var value *pflag.InvalidValueError
		if words := c.Flags().Args(); len(words) > 0 && c.HasSubCommands() && !strings.Contains(c.Use, " ") &&
			errors.As(err, &unknown) {
			return unknownCommand(c, words[0])
		}
		switch {
		case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
			if strings.ContainsAny(unknown.GetSpecifiedName(), " \t\n") { // a comment of SQL
				f.Hint = "an argument that begins with -- is taken for a flag; give it after a -- of its own"
				if c.Flags().Lookup("sql") != nil {
					f.Hint += ", or with --sql"
				}
				break
			}
			var names []string
			c.Flags().VisitAll(func(fl *pflag.Flag) { names = append(names, fl.Name) })
			if near := nearest.Of(unknown.GetSpecifiedName(), names); near != "" {
				f.Hint = "did you mean --" + near + "? " + f.Hint
			}
		case errors.As(err, &value): // without the function name that a strconv error contains
			why := value.Unwrap()
			var number *strconv.NumError
			if errors.As(why, &number) {
				why = number.Err
			}
			f.Msg = fmt.Sprintf("--%s: %q is not %s: %v", value.GetFlag().Name, value.GetValue(),
				kindOf(value.GetFlag()), why)
			if value.GetFlag().Value.Type() == "duration" {
				f.Msg = fmt.Sprintf("--%s: %v", value.GetFlag().Name, why)
			}
		}
		return f
	})
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if err := exclusive(c); err != nil {
			return err
		}
		return e.Starts(c, args)
	}
	root.AddGroup(
		&cobra.Group{ID: groupData, Title: "Data:"},
		&cobra.Group{ID: groupSources, Title: "Sources:"},
		&cobra.Group{ID: groupMeta, Title: "Semantics and AI:"},
		&cobra.Group{ID: groupAdmin, Title: "Administration:"},
		&cobra.Group{ID: groupTools, Title: "This program:"},
	)
	root.SetHelpCommandGroupID(groupTools)
	displays(e)
	all := nouns(e)
	if line != nil {
		if n, ok := called(e, root, line); ok {
			all = []noun{n}
		}
	}
	for _, n := range all {
		c := n.build(e)
		c.GroupID = n.group
		root.AddCommand(c)
	}
	root.AddCommand(newTopics(e)...)
	root.SetHelpCommand(newHelpCmd(e))
	root.SetHelpFunc(func(c *cobra.Command, p1 []string) { help(e, c, p1) })
	finish(e, root)
	complete.Values(root, "output", output.Formats()...)
	complete.Values(root, "color", "auto", "always", "never")
	complete.Values(root, "zone", string(config.US), string(config.EU), string(config.Local))
	e.Completion().Flags(root)
	return root
}

// finish configures every command that only groups others: an unknown subcommand is an error with a suggestion, and
// wrong arguments are usage errors.
func finish(e *cli.Env, c *cobra.Command) {
	c.SuggestionsMinimumDistance = 2
	e.FlagQuiet(c)
	if c.HasParent() { // newRootCmd completes the flags of the root
		e.Completion().Flags(c)
	}
	for _, sub := range c.Commands() {
		finish(e, sub)
	}
	if c.HasSubCommands() && c.RunE == nil && c.Run == nil {
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return c.Help()
		}
		return
	}
	e.Completion().Command(c)
	checkedArgs(c)
}

// kindOf describes the values of a flag.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "uint", "uint64", "int32":
		return "an integer"
	case "bool":
		return "true or false"
	case "float64":
		return "a number"
	}
	return "a valid " + f.Value.Type()
}

func unknownCommand(c *cobra.Command, name string) error {
	f := exitcode.Usagef("unknown command %q for %q", name, c.CommandPath())
	if strings.ContainsAny(name, " \n") && !c.HasParent() {
		return f.WithHint("`%s sql` runs a statement", c.Name())
	}
	if other := c.Annotations[cli.InsteadOf+name]; other != "" {
		return f.WithHint("did you mean `%s %s`?", c.Root().Name(), other)
	}
	if s := pathsTo(c, name); len(s) > 0 && len(s) <= 4 {
		return f.WithHint("did you mean %s?", strings.Join(s, " or "))
	}
	if s := c.SuggestionsFor(name); len(s) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(s, " or "))
	}
	return f.WithHint("`%s --help` lists the commands", c.CommandPath())
}

// pathsTo lists the commands below c, excluding its own children, that are called name.
func pathsTo(c *cobra.Command, name string) []string {
	var paths []string
	for _, child := range c.Commands() {
		for _, below := range child.Commands() {
			if below.IsAvailableCommand() && (below.Name() == name || below.HasAlias(name)) {
				paths = append(paths, "`"+below.CommandPath()+"`")
			}
		}
		paths = append(paths, pathsTo(child, name)...)
	}
	return paths
}

// exclusive rejects flags of which a command takes one, in the words of other errors of usage. cobra would check them
// later.
func exclusive(c *cobra.Command) error {
	given := map[string][]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			given[group] = append(given[group], "--"+f.Name)
		}
	})
	for _, group := range slices.Sorted(maps.Keys(given)) {
		if flags := given[group]; len(flags) > 1 {
			return exitcode.Usagef("%s are mutually exclusive", strings.Join(flags, " and "))
		}
	}
	missing, empty := "", false // an empty value is another mistake, which comes first
	c.Flags().Visit(func(f *pflag.Flag) { empty = empty || f.Value.String() == "" && cli.RefusesEmpty(f) })
	c.Flags().VisitAll(func(f *pflag.Flag) {
		for _, group := range f.Annotations["cobra_annotation_one_required"] {
			if !slices.ContainsFunc(strings.Fields(group), c.Flags().Changed) {
				missing = "--" + strings.Join(strings.Fields(group), " or --")
			}
		}
	})
	if missing != "" && !empty {
		return exitcode.Usagef("%s is required", missing)
	}
	return nil
}
