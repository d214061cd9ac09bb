package cmd

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/schema"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandSchema describes a command for programs.
type commandSchema struct {
	Command    string             `json:"command"` // without the name of the program; "" for the program itself
	Aliases    []string           `json:"aliases"`
	Short      string             `json:"short"`
	Usage      string             `json:"usage"`
	Arguments  []argumentSchema   `json:"arguments"`
	Flags      []flagSchema       `json:"flags"` // its own; those of every command are in globalFlags
	Operations []operationSchema  `json:"operations"`
	Changes    bool               `json:"changes"` // an operation of it may change something
	Deprecated string             `json:"deprecated,omitempty"`
	Hidden     bool               `json:"hidden,omitempty"`    // from help
	ExitCodes  []exitcode.Meaning `json:"exitCodes,omitempty"` // if they differ from those of other commands
	// JSON schema of what -o json prints; null for text, and for a group of commands
	Result      map[string]any       `json:"result"`
	Commands    []commandSchema      `json:"commands"`
	GlobalFlags []flagSchema         `json:"globalFlags,omitempty"`
	Codes       []exitcode.Meaning   `json:"everyExitCode,omitempty"`
	Others      *otherOutputsSchemas `json:"otherOutputs,omitempty"`
}

// otherOutputsSchemas are the schemas of what commands print with -o json other than their result.
type otherOutputsSchemas struct {
	Error   map[string]any `json:"error"` // on stderr
	Note    map[string]any `json:"note"`  // on stderr, a line each
	DryRun  map[string]any `json:"dryRun"`
	Explain map[string]any `json:"explain"`
}

type argumentSchema struct {
	Name     string `json:"name"`
	Optional bool   `json:"optional"`
	Repeated bool   `json:"repeated"`
}

type flagSchema struct {
	Name        string   `json:"name"`
	Shorthand   string   `json:"shorthand,omitempty"`
	Type        string   `json:"type"` // boolean, integer, number, string, duration, list
	Default     any      `json:"default"`
	Values      []string `json:"values,omitempty"` // if the flag takes one of a few words
	Required    bool     `json:"required,omitempty"`
	Description string   `json:"description"`
}

type operationSchema struct {
	ID      string `json:"id"`
	Method  string `json:"method"`
	Path    string `json:"path"`
	Changes bool   `json:"changes"`
	Partner bool   `json:"partner"` // needs a partner key
}

// errorDocument is a failure as it is printed on stderr.
type errorDocument struct {
	Error exitcode.ErrorJSON `json:"error"`
}

type noteDocument struct {
	Note string `json:"note"`
}

func newSchemaCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "schema [COMMAND]...", Short: "Describe the commands for programs: flags, exit codes, operations and results, as JSON", Args: cobra.ArbitraryArgs,
		Long: `Describe a command and those below it, or all commands, as JSON: arguments, flags with types, defaults
and values, exit codes, the operations that are called, and as "result" the JSON schema (2020-12) of
what -o json prints. "otherOutputs" are the schemas of errors and notes on stderr, and of --dry-run and
--explain with -o json.`,
		Example: strings.ReplaceAll("  dig schema query create\n  dig schema --jq '[.. | objects | select(.changes? "+
			"== true) | .command // empty]'\n  dig schema query list --jq .result", "dig ", e.Name+" "),
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		under, rest, err := c.Root().Find(args)
		var names []cobra.Completion
		if err == nil && len(rest) == 0 {
			for _, sub := range under.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cli.OwnFile(c)
	return cli.Plain[map[string]any](e, c, func(_ context.Context, args []string) (cli.View, error) {
		at := c.Root()
		if len(args) > 0 {
			found, rest, err := at.Find(args)
			if err != nil || len(rest) > 0 || found.IsAdditionalHelpTopicCommand() {
				return cli.View{}, exitcode.Usagef("unknown command %q",
					strings.Join(args, " ")).WithHint("`dig schema --jq '.. | .command? // empty'` lists them")
			}
			at = found
		}
		s := describe(e, at)
		s.GlobalFlags, s.Codes = flagsOf(c.Root().PersistentFlags()), exitcode.All()
		s.Others = &otherOutputsSchemas{Error: schema.Of(reflect.TypeFor[errorDocument]()),
			Note:   schema.Of(reflect.TypeFor[noteDocument]()),
			DryRun: schema.Of(reflect.TypeFor[[]cli.Step]()), Explain: schema.Of(reflect.TypeFor[cli.Explanation]())}
		o, err := e.OutputOptions()
		if err != nil || o.Format != output.Table {
			return cli.Object(s), err
		}
		raw, err := json.MarshalIndent(s, "", "  ") // a table cannot show a tree
		if err != nil {
			return cli.View{}, err
		}
		w, commit, abort, err := e.Writer()
		if err != nil {
			return cli.View{}, err
		}
		if _, err := w.Write(append(raw, '\n')); err != nil {
			abort()
			return cli.View{}, err
		}
		return cli.View{Printed: true}, commit()
	})
}

// describe describes a command and all below it.
func describe(e *cli.Env, c *cobra.Command) commandSchema {
	path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
	s := commandSchema{Command: path, Aliases: append([]string{}, c.Aliases...), Short: c.Short, Usage: c.UseLine(),
		Arguments: argumentsOf(c.Use), Flags: []flagSchema{}, Operations: []operationSchema{},
		Changes: cli.Changing(c), Deprecated: c.Deprecated, Hidden: c.Hidden, Commands: []commandSchema{}}
	if c.HasParent() {
		s.Flags = flagsOf(c.LocalNonPersistentFlags())
	}
	for _, id := range strings.Fields(c.Annotations[cli.OpAnnotation]) {
		if op, ok := cli.Operation(id); ok {
			s.Operations = append(s.Operations, operationSchema{op.ID, op.Method, op.Path, op.Changes(), op.Partner})
		}
	}
	if path == "api" {
		s.Changes = true
	}
	for _, sub := range c.Commands() {
		if sub.Runnable() || sub.HasSubCommands() { // not a help topic
			s.Commands = append(s.Commands, describe(e, sub))
		}
	}
	if len(s.Commands) == 0 || c.Annotations[cli.OpAnnotation] != "" {
		s.Result = e.ResultSchema(c)
	}
	if c.Annotations[cli.ComparesAnnotation] != "" {
		s.ExitCodes = exitcode.OfDiff()
	}
	return s
}

// argumentsOf reads the arguments in a usage line: NAME, [NAME], NAME..., [A | B].
func argumentsOf(use string) []argumentSchema {
	_, rest, _ := strings.Cut(use, " ")
	all := []argumentSchema{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		var a argumentSchema
		if a.Optional = rest[0] == '['; a.Optional {
			a.Name, rest, _ = strings.Cut(rest[1:], "]")
			var dots bool
			if rest, dots = strings.CutPrefix(rest, "..."); dots {
				a.Repeated = true
			}
		} else {
			a.Name, rest, _ = strings.Cut(rest, " ")
		}
		if name, dots := strings.CutSuffix(a.Name, "..."); dots {
			a.Name, a.Repeated = name, true
		}
		if a.Name != "flags" {
			all = append(all, a)
		}
	}
	return all
}

func flagsOf(fs *pflag.FlagSet) []flagSchema {
	all := []flagSchema{}
	fs.VisitAll(func(fl *pflag.Flag) {
		if fl.Hidden || fl.Name == "help" {
			return
		}
		s := flagSchema{Name: fl.Name, Shorthand: fl.Shorthand, Type: "string", Default: fl.DefValue,
			Values: complete.ValuesOf(fl), Description: fl.Usage}
		switch kind := fl.Value.Type(); kind {
		case "bool":
			s.Type, s.Default = "boolean", fl.DefValue == "true"
		case "int", "int64", "int32", "uint", "uint32", "uint64":
			s.Type = "integer"
			if n, err := strconv.ParseInt(fl.DefValue, 10, 64); err == nil {
				s.Default = n
			}
		case "float64":
			s.Type = "number"
			if n, err := strconv.ParseFloat(fl.DefValue, 64); err == nil {
				s.Default = n
			}
		case "duration":
			s.Type = "duration"
		default:
			if list, ok := fl.Value.(pflag.SliceValue); ok {
				s.Type, s.Default = "list", append([]string{}, list.GetSlice()...)
			}
		}
		_, s.Required = fl.Annotations[cobra.BashCompOneRequiredFlag]
		all = append(all, s)
	})
	return all
}
