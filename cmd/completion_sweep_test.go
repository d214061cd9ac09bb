package cmd

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// anyText are the placeholders of arguments that are text, or the name of something new.
var anyText = map[string]bool{"text": true, "question": true, "message": true, "sql": true, "url": true, "value": true,
	"name": true, "new": true, "field=value": true, "address": true}

// TestEveryCompletion: each flag that takes one of a few words completes them, each that takes a file completes files,
// and each argument and flag that takes a name completes names. Anything else is text, for which no files are offered.
func TestEveryCompletion(t *testing.T) {
	dir := t.TempDir()
	e := &cli.Env{Zone: local(), Name: "dig", Args: []string{cobra.ShellCompRequestCmd},
		Getenv: func(name string) string {
			if name == "HOME" || strings.HasPrefix(name, "XDG_") || name == "DIG_DATA_DIR" {
				return dir + "/none" // no zone local is there to be asked
			}
			return os.Getenv(name)
		}}
	var words func(c *cobra.Command) []string
	words = func(c *cobra.Command) (all []string) {
		for _, sub := range c.Commands() {
			all = append(append(all, sub.Name()), words(sub)...)
		}
		return all
	}
	// flags are completed for the commands of the line
	e.Args = append(e.Args, words(newRootCmd(&cli.Env{Zone: local(), Name: "dig", Getenv: e.Getenv}))...)
	root := newRootCmd(e)
	few := regexp.MustCompile(`\b[A-Z][A-Z_]{3,}\b.*\b(or|and|,) .*\b[A-Z][A-Z_]{3,}\b|: (\w+, )+\w+ or \w+|: \w+ or ` +
		`\w+$|^(\w+, )+\w+ or \w+[;,]?`)
	inFile := regexp.MustCompile(`\(PEM\)|^file (with|of) |^folder for the files|` +
		`\bthis (new |JSON )?(file|directory)\b`)
	of := regexp.MustCompile(`, by (id|name|path)|by id or name`)
	notFew := map[string]bool{"delimiter": true, "record-separator": true, "columns": true, "column": true,
		"frequency": true, "full-every": true, "incremental-every": true, "timeout": true, "every": true, "fault": true,
		"param": true, "parameter": true, "map": true, "feature": true, "manifest": true,
		"credential": true, "name": true}
	// files, queries and prefixes, by functions of their own
	own := map[string]bool{"dig sql": true, "dig query diff": true, "dig history show": true, "dig schema": true,
		"dig config get": true, "dig config set": true, "dig config unset": true}
	checked := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.SetContext(t.Context())
		c.LocalFlags().VisitAll(func(fl *pflag.Flag) {
			if fl.Value.Type() == "bool" || fl.Name == "help" {
				return
			}
			completion, ok := c.GetFlagCompletionFunc(fl.Name)
			if !ok {
				t.Errorf("%s --%s has no completion: a shell would offer files", c.CommandPath(), fl.Name)
				return
			}
			checked++
			words, how := completion(c, nil, "")
			file, at := complete.TakesFile(fl.Name)
			switch {
			case (file || at) != (how&cobra.ShellCompDirectiveNoFileComp == 0):
				t.Errorf("%s --%s: takes a file: %v, completes files: %v", c.CommandPath(), fl.Name, file || at,
					how&cobra.ShellCompDirectiveNoFileComp == 0)
			case inFile.MatchString(fl.Usage) && !file:
				t.Errorf("%s --%s (%s) completes no files", c.CommandPath(), fl.Name, fl.Usage)
			case few.MatchString(fl.Usage) && !notFew[fl.Name] && !at && len(words) < 2:
				t.Errorf("%s --%s (%s) completes %v", c.CommandPath(), fl.Name, fl.Usage, words)
			case of.MatchString(fl.Usage) && complete.NamesOfFlag(fl.Name) == "" && fl.Name != "in" &&
				fl.Name != "root" &&
				fl.Name != "add" && fl.Name != "remove" && fl.Name != "to":
				t.Errorf("%s --%s (%s) completes no names", c.CommandPath(), fl.Name, fl.Usage)
			}
		})
		if c.Runnable() && !c.HasSubCommands() && len(c.ValidArgs) == 0 {
			for _, kind := range complete.Placeholders(c) {
				for one := range strings.SplitSeq(kind, "|") {
					for part := range strings.SplitSeq(one, ".") {
						if part != "" && part != "file" && part != "dir" && part != "method" && part != "route" &&
							!anyText[part] && !complete.KindOfName(part) && !own[c.CommandPath()] {
							t.Errorf("%s: %q is no kind of name", c.CommandPath(), part)
						}
						checked++
					}
				}
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if checked < 300 {
		t.Errorf("only %d flags and arguments were checked", checked)
	}
}
