package cli

import (
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Names of resources are completed from a small file that listings and changes update. Pressing TAB never calls a
// remote gateway. Names that are not in the file are read from zone local if it runs in this process.

// Completing reports whether the run completes a command line.
func (e *Env) Completing() bool {
	return slices.ContainsFunc(e.Args, func(arg string) bool {
		return strings.HasPrefix(arg,
			cobra.ShellCompRequestCmd)
	})
}

// CompleteFlag completes the values of a flag with f, but only in a completion run: cobra keeps registered functions,
// and thus the whole command tree, for the life of the process.
func (e *Env) CompleteFlag(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if e.Completing() {
		_ = c.RegisterFlagCompletionFunc(flag, f)
	}
}

// Fixed completes the values of a flag from a fixed list.
func (e *Env) Fixed(c *cobra.Command, flag string, values ...cobra.Completion) {
	words(c, flag, values)
	e.CompleteFlag(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Complete offers the names of a kind; parts of a dotted kind such as catalog.schema.table one at a time.
func (e *Env) Complete(kind string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return e.namesFor(c, nil, []string{kind}, prefix)
	}
}

// CompleteArgs completes the arguments of a command by the placeholders of its usage line: `get WORKSPACE` completes
// workspaces, and FILE leaves completion to the shell.
func (e *Env) CompleteArgs(c *cobra.Command) {
	if c.ValidArgsFunction != nil || len(c.ValidArgs) > 0 {
		return
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		return e.namesFor(c, args, Placeholders(c), prefix)
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
func (e *Env) namesFor(c *cobra.Command, args, kinds []string,
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
	if _, err := e.Settings(); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	above := "" // the object of the previous arguments
	for i, a := range args {
		switch k := kinds[i]; {
		case k == "catalog", k == "schema", strings.HasPrefix(k, "catalog|"), kinds[len(args)] == "column",
			kinds[len(args)] == "bicolumn":
			above += "@" + a
		}
	}
	for alternative := range strings.SplitSeq(kind, "|") {
		some, d := e.inParts(c, strings.Split(alternative, "."), above, prefix)
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
func (e *Env) inParts(c *cobra.Command, kinds []string, above,
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
	for _, n := range e.namesOf(c, key) {
		if strings.HasPrefix(n, prefix) {
			out = append(out, typed+n+end)
		}
	}
	return out, how
}

// namesOf returns the names under a key: those that are stored, else those of zone local.
func (e *Env) namesOf(c *cobra.Command, key string) []string {
	all := e.offered()
	if _, known := all[key]; !known {
		if err := e.askLocal(c.Context(), key); err != nil {
			cobra.CompDebugln(err.Error(), false)
			return nil
		}
		all = e.offered()
	}
	return all[key]
}

// CompleteProfiles completes the first argument of a command with the names of profiles.
func (e *Env) CompleteProfiles(c *cobra.Command) { c.ValidArgsFunction = e.Profiles }

// Profiles offers the names of profiles. They are chosen by the user, so they are safe to complete.
func (e *Env) Profiles(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	st, err := config.OpenStore("", e.Getenv)
	if err == nil && len(args) == 0 {
		var all []config.Profile
		all, _, err = st.List()
		for _, p := range all {
			names = append(names, p.Name)
		}
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// valuesAnnotation names the annotation of a flag that lists its values.
const valuesAnnotation = "values"

func words(c *cobra.Command, flag string, values []string) {
	fl := c.Flags().Lookup(flag)
	if fl == nil {
		fl = c.PersistentFlags().Lookup(flag)
	}
	if fl == nil {
		return
	}
	if fl.Annotations == nil {
		fl.Annotations = map[string][]string{}
	}
	fl.Annotations[valuesAnnotation] = values
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
