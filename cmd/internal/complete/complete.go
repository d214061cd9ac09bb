// Package complete completes command lines: arguments, flags, and the names of what a gateway has.
package complete

import (
	"context"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/schema"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Names of resources are completed from a small file that listings and changes update. Pressing TAB never calls a
// remote gateway. Names that are not in the file are read from zone local if it runs in this process.

// Completer completes the command lines of one run.
type Completer struct {
	Args     []string                                    // of the program
	Names    func() (Stored, error)                      // those of the target, after the settings were read
	Ask      func(ctx context.Context, key string) error // stores the names under a key that zone local has
	Profiles func() ([]string, error)                    // the names of the profiles
	Fields   func(*cobra.Command) *schema.Fields         // of the result of a command
}

func (k *Completer) completing() bool {
	return slices.ContainsFunc(k.Args, func(arg string) bool {
		return strings.HasPrefix(arg, cobra.ShellCompRequestCmd)
	})
}

// Kind offers the names of a kind; parts of a dotted kind such as catalog.schema.table one at a time.
func (k *Completer) Kind(kind string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return k.namesFor(c, nil, []string{kind}, prefix)
	}
}

// Command completes the arguments of a command by the placeholders of its usage line: `get WORKSPACE` completes
// workspaces, and FILE leaves completion to the shell.
func (k *Completer) Command(c *cobra.Command) {
	if c.ValidArgsFunction != nil || len(c.ValidArgs) > 0 {
		return
	}
	if c.Annotations[profilesAnnotation] != "" {
		c.ValidArgsFunction = k.profile
		return
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		return k.namesFor(c, args, Placeholders(c), prefix)
	}
}

// Placeholders are the kinds of names that a command takes as its arguments.
func Placeholders(c *cobra.Command) []string {
	path := c.CommandPath() + " "
	in := func(noun string) bool { return strings.Contains(path, " "+noun+" ") }
	var kinds []string
	for _, word := range strings.Fields(c.Use)[1:] {
		word = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(word), "[", ""), "]", "")
		switch word = strings.Trim(word, "."); {
		case word == "table" && in("bitable"):
			word = "bitable"
		case word == "column" && in("bitable"):
			word = "bicolumn"
			// a new one
		case word == "column" && c.Name() == "add", word == "table" && c.Name() == "create" &&
			(in("table") || in("bitable")):
			word = ""
		case word == "table" && c.Name() == "describe":
			word = "table|catalog.schema.table"
		case word == "cache":
			kinds = append(kinds, "catalog|catalog.schema.table", "schema")
			word = "table"
		case word == "id" && in("golden-sql"):
			word = "golden"
		case word == "path" && in("query"):
			word = "folder"
		case word == "path" && in("api"):
			word = "route"
		case word == "query" && in("oauth"):
			word = ""
		}
		kinds = append(kinds, word)
	}
	return kinds
}

// namesFor offers names for the next argument.
func (k *Completer) namesFor(c *cobra.Command, args, kinds []string,
	prefix string) (out []cobra.Completion, how cobra.ShellCompDirective) {
	if len(args) >= len(kinds) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind := kinds[len(args)]
	if kind == "file" || kind == "dir" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if kind == "method" {
		return []cobra.Completion{"GET", "POST", "PUT", "PATCH", "DELETE"}, cobra.ShellCompDirectiveNoFileComp
	}
	if kind == "route" {
		for _, op := range spec.All() {
			if strings.EqualFold(op.Method, args[0]) && !slices.Contains(out, op.Path) {
				out = append(out, op.Path)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	stored, err := k.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	above := "" // the object of the previous arguments
	for i, a := range args {
		switch of := kinds[i]; {
		case of == "catalog", of == "schema", strings.HasPrefix(of, "catalog|"), kinds[len(args)] == "column",
			kinds[len(args)] == "bicolumn":
			above += "@" + a
		}
	}
	for alternative := range strings.SplitSeq(kind, "|") {
		some, d := k.inParts(c, stored, strings.Split(alternative, "."), above, prefix)
		for _, name := range some {
			if !slices.Contains(out, name+".") && !slices.Contains(out, strings.TrimSuffix(name, ".")) {
				out = append(out, name)
			}
		}
		how |= d
	}
	return out, how
}

// inParts completes a dotted argument one part at a time: first the schemas of the catalog that was typed, then its
// tables.
func (k *Completer) inParts(c *cobra.Command, stored Stored, kinds []string, above,
	prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed := ""
	for len(kinds) > 1 {
		part, rest, ok := strings.Cut(prefix, ".")
		if !ok {
			break
		}
		above, typed, prefix, kinds = above+"@"+part, typed+part+".", rest, kinds[1:]
	}
	key := kinds[0]
	switch key {
	case "schema", "table", "column", "bicolumn", "relation":
		key += above
	}
	end, how := "", cobra.ShellCompDirectiveNoFileComp
	if len(kinds) > 1 {
		end, how = ".", how|cobra.ShellCompDirectiveNoSpace
	}
	var out []cobra.Completion
	for _, n := range k.namesOf(c, stored, key) {
		if strings.HasPrefix(n, prefix) {
			out = append(out, typed+n+end)
		}
	}
	return out, how
}

// namesOf returns the names under a key: those that are stored, else those of zone local.
func (k *Completer) namesOf(c *cobra.Command, stored Stored, key string) []string {
	all := stored.offered()
	if _, known := all[key]; !known {
		if err := k.Ask(c.Context(), key); err != nil {
			cobra.CompDebugln(err.Error(), false)
			return nil
		}
		all = stored.offered()
	}
	return all[key]
}

// The annotations of flags: the words that one takes, whether it takes a list of them, and the kind of names that it
// takes.
const (
	valuesAnnotation = "values"
	listAnnotation   = "list"
	namesAnnotation  = "names"
)

// profilesAnnotation marks a command whose argument is a profile.
const profilesAnnotation = "profiles"

func annotate(c *cobra.Command, flag, as string, values []string) {
	fl := c.Flags().Lookup(flag)
	if fl == nil {
		fl = c.PersistentFlags().Lookup(flag)
	}
	if fl.Annotations == nil {
		fl.Annotations = map[string][]string{}
	}
	fl.Annotations[as] = values
}

// Values declares the words of which a flag takes one.
func Values(c *cobra.Command, flag string, values ...cobra.Completion) {
	annotate(c, flag, valuesAnnotation, values)
}

// Several declares the words of which a flag takes some, separated by commas.
func Several(c *cobra.Command, flag string, values ...cobra.Completion) {
	Values(c, flag, values...)
	annotate(c, flag, listAnnotation, nil)
}

// Names declares the kind of the names that a flag takes.
func Names(c *cobra.Command, flag, kind string) { annotate(c, flag, namesAnnotation, []string{kind}) }

// Profile declares that the argument of a command is a profile.
func Profile(c *cobra.Command) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[profilesAnnotation] = "true"
}

func (k *Completer) profile(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := k.Profiles()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// ValuesOf returns the values of a flag that takes one of a few words; nil for all other flags.
func ValuesOf(fl *pflag.Flag) []string {
	var out []string
	for _, v := range fl.Annotations[valuesAnnotation] {
		word, _, _ := strings.Cut(v, "\t")
		out = append(out, word)
	}
	return out
}
