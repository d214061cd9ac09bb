package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags are completed by their names here, unless a command registers its own completion. Every other flag that takes
// neither names nor one of a few words takes text: the shell must not offer file names for it.

// nameFlags maps flags to the kind of names that they take.
var nameFlags = map[string]string{
	"catalog": "catalog", "schema": "schema", "connection": "connection", "query": "query", "from-query": "query",
	"folder": "folder",
	"from":   "schema.table", "thread": "thread", "org": "org", "workspace": "workspace", "project": "project",
	"connector-type": "type", "into": "table",
}

// fileFlags take the name of a file or directory.
var fileFlags = map[string]bool{
	"out": true, "out-dir": true, "file": true, "key-file": true, "credential-file": true, "input": true,
	"builder": true, "each-row": true, "download": true,
	"write-columns": true, "expect": true, "all": true, "manifest": true, "secrets-from": true,
	"passphrase-file": true, "store-password-file": true, "tls-cert": true, "tls-key": true,
	"trino-password-file": true, "trino-token-file": true, "trino-ca": true, "trino-cert": true, "trino-key": true,
	"trino-rules": true, "trino-rules-base": true,
	"trino-stage": true,
}

// atFlags take text, or @FILE to read it from a file.
var atFlags = map[string]bool{"body": true, "sql": true, "extra": true, "feature-configs": true, "callback-token": true,
	"field": true, "raw-field": true, "credential": true, "parameter": true}

// TakesFile reports whether the value of a flag is the name of a file; at reports whether it may be @FILE.
func TakesFile(name string) (file, at bool) { return fileFlags[name], atFlags[name] }

// NamesOfFlag returns the kind of names that a flag takes, "" for none.
func NamesOfFlag(name string) string { return nameFlags[name] }

// Flags registers completions for those flags of a command that have none, if the command line may contain the
// command: reading the flags of all commands would take longer than the rest of a completion.
func (k *Completer) Flags(c *cobra.Command) {
	if !k.completing() || c.HasParent() && !slices.ContainsFunc(k.Args,
		func(arg string) bool { return arg == c.Name() || c.HasAlias(arg) }) {
		return
	}
	c.LocalFlags().VisitAll(func(fl *pflag.Flag) {
		if _, own := c.GetFlagCompletionFunc(fl.Name); own || fl.Value.Type() == "bool" {
			return
		}
		_ = c.RegisterFlagCompletionFunc(fl.Name, k.flag(fl))
	})
}

func (k *Completer) flag(fl *pflag.Flag) cobra.CompletionFunc {
	name := fl.Name
	_, list := fl.Annotations[listAnnotation]
	values, own := fl.Annotations[valuesAnnotation], fl.Annotations[namesAnnotation]
	switch kind := nameFlags[name]; {
	case list:
		return listed(func(*cobra.Command) []string { return values })
	case values != nil:
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	case own != nil:
		return k.Kind(own[0])
	case name == "profile":
		return func(c *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return k.profile(c, nil, prefix) // whatever arguments the line has
		}
	case name == "columns":
		return listed(func(c *cobra.Command) []string { return k.Fields(c).Names })
	case name == "jq":
		return k.jqFields
	case fileFlags[name], atFlags[name]:
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		}
	case kind != "":
		return func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
			kinds, before := []string{kind}, []string(nil)
			if catalog := c.Flags().Lookup("catalog"); name == "schema" && catalog != nil && catalog.Changed {
				kinds, before = []string{"catalog", kind}, []string{catalog.Value.String()}
			} else if name == "from" && len(args) > 0 {
				kinds, before = []string{"catalog", kind}, args[:1]
			}
			return k.namesFor(c, before, kinds, prefix)
		}
	}
	return cobra.NoFileCompletions
}

// listed completes the last word of a comma-separated list.
func listed(words func(c *cobra.Command) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		head := prefix[:strings.LastIndexByte(prefix, ',')+1]
		var out []cobra.Completion
		for _, w := range words(c) {
			if strings.HasPrefix(w, prefix[len(head):]) && !strings.Contains(","+head, ","+w+",") {
				out = append(out, head+w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// jqFields completes the last path of a jq program with the fields of the reply; for a list the paths begin with .[].
func (k *Completer) jqFields(c *cobra.Command, _ []string, prefix string) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	at := strings.LastIndexAny(prefix, " |(,{[") + 1
	if strings.HasSuffix(prefix[:at], ".[") { // the path of an element of a list
		at -= len(".[")
	}
	head, path := prefix[:at], prefix[at:]
	start := "."
	known := k.Fields(c)
	if known.List && at == 0 {
		start = ".[]."
	}
	var out []cobra.Completion
	for _, name := range known.Names {
		if full := start + name; strings.HasPrefix(full, path) {
			out = append(out, head+full)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
