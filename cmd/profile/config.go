package profile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// NewConfig holds the commands for the settings file.
func NewConfig(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "The settings file, and the origin of settings"}
	c.AddCommand(cli.Plain[[]config.Explained](e, &cobra.Command{Use: "explain",
		Short:   "Show every setting and the origin of its value",
		Example: "  " + e.Name + " config explain", Args: cobra.NoArgs},
		func(context.Context, []string) (cli.View, error) {
			return cli.List(e.Run.Settings.Explain(), "name", "value", "from"), nil
		}),
		newConfigListCmd(e), newConfigGetCmd(e), newConfigSetCmd(e), newConfigUnsetCmd(e), newConfigEditCmd(e),
		newConfigSchemaCmd(e))
	return c
}

// pathHelp describes the paths that the commands accept.
const pathHelp = `PATH is current, a FIELD of the profile in use (--profile names another), or profiles.NAME.FIELD.`

func newConfigListCmd(e *cli.Env) *cobra.Command {
	return withStore[[]config.Member](e, &cobra.Command{Use: "list", Aliases: []string{"ls"},
		Short: "List the values of the settings file", Example: "  " + e.Name + " config list", Args: cobra.NoArgs},
		func(_ context.Context, st *config.Store, _ []string) (cli.View, error) {
			all, err := st.Members()
			if err != nil {
				return cli.View{}, err
			}
			return cli.List(all, "path", "value").WithNote("%s", st.Path()), nil
		})
}

// completePaths completes the paths of the values of the settings file.
func completePaths(e *cli.Env) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (paths []cobra.Completion, _ cobra.ShellCompDirective) {
		st, err := config.OpenStore("", e.Getenv)
		if err == nil && len(args) == 0 {
			var all []config.Member
			all, err = st.Members()
			for _, m := range all {
				paths = append(paths, m.Path)
			}
		}
		if err != nil {
			cobra.CompDebugln(err.Error(), false)
		}
		return paths, cobra.ShellCompDirectiveNoFileComp
	}
}

func newConfigGetCmd(e *cli.Env) *cobra.Command {
	return withStore[config.Member](e, &cobra.Command{Use: "get PATH", ValidArgsFunction: completePaths(e),
		Short: "Print a value of the settings file", Args: cobra.ExactArgs(1),
		Long: "Print a value of the settings file. " + pathHelp + "\nThe exit code is 3 if it is not set. `" +
			e.Name + " config explain` shows the values in effect, from all sources.",
		Example: "  " + e.Name + " config get project\n  " + e.Name + " config get profiles.work.zone"},
		func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
			in, field, err := config.ParsePath(args[0], e.Run.Settings.Profile.Value)
			if err != nil {
				return cli.View{}, err
			}
			if in != "" {
				if _, err := st.Get(in); err != nil {
					return cli.View{}, err
				}
			}
			all, err := st.Members()
			if err != nil {
				return cli.View{}, err
			}
			for _, m := range all {
				if m.Path == pathOf(in, field) {
					return asText(e, m.Value, m)
				}
			}
			return cli.View{}, &exitcode.Failure{Exit: exitcode.NotFound, Code: "not-set", Msg: pathOf(in, field) +
				" is not set in " + st.Path()}
		})
}

func pathOf(in, field string) string {
	if in == "" {
		return field
	}
	return "profiles." + in + "." + field
}

func newConfigSetCmd(e *cli.Env) *cobra.Command {
	return withStore[cli.Acknowledged](e, &cobra.Command{Use: "set PATH VALUE | PATH=VALUE...",
		ValidArgsFunction: completePaths(e),
		Short:             "Set values of the settings file",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("give PATH and VALUE, or PATH=VALUE")
			}
			return nil
		},
		Long: "Set a value of the settings file, or several; its comments stay. " + pathHelp + `
Several fields are changed at once, if all are of one profile. The stored key stays bound to the address it was stored for.`,
		Example: strings.ReplaceAll("  dig config set output csv\n"+
			"  dig config set --profile work project=sales output=csv\n"+
			"  dig config set profiles.work.project sales", "dig ", e.Name+" ")},
		func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
			paths, values, err := assignments(args)
			if err != nil {
				return cli.View{}, err
			}
			in, fields, err := fieldsOf(e, paths)
			if err != nil {
				return cli.View{}, err
			}
			if in == "" {
				return use(e, st, values[0])
			}
			set := map[string]string{}
			for i, field := range fields {
				set[field] = values[i]
			}
			return setFields(e, st, in, set, nil)
		})
}

// assignments splits the arguments of `config set`: a path and its value, or one or more of the form PATH=VALUE.
func assignments(args []string) (paths, values []string, err error) {
	if len(args) == 2 && !strings.Contains(args[0], "=") {
		args = []string{args[0] + "=" + args[1]}
	}
	for _, arg := range args {
		path, value, ok := strings.Cut(arg, "=")
		switch {
		case !ok || path == "":
			return nil, nil, exitcode.Usagef("%q does not have the form PATH=VALUE", arg)
		case value == "":
			return nil, nil, exitcode.Usagef("the value of %s is empty", path).
				WithHint("`dig config unset %s` removes it", path)
		}
		paths, values = append(paths, path), append(values, value)
	}
	return paths, values, nil
}

// fieldsOf returns the profile of paths, and its fields that they name. For the path current the profile is "".
func fieldsOf(e *cli.Env, paths []string) (in string, fields []string, err error) {
	for i, path := range paths {
		of, field, err := config.ParsePath(path, e.Run.Settings.Profile.Value)
		switch {
		case err != nil:
			return "", nil, err
		case slices.Contains(fields, field) && of == in:
			return "", nil, exitcode.Usagef("%s is given twice", path)
		case i > 0 && of != in:
			return "", nil, exitcode.Usagef("%s and %s are not of the same profile", paths[0], path)
		}
		in, fields = of, append(fields, field)
	}
	return in, fields, nil
}

func newConfigUnsetCmd(e *cli.Env) *cobra.Command {
	return withStore[cli.Acknowledged](e, &cobra.Command{Use: "unset PATH...", ValidArgsFunction: completePaths(e),
		Short: "Remove values from the settings file", Args: cobra.MinimumNArgs(1),
		Long:    "Remove a value from the settings file, or several of one profile. " + pathHelp,
		Example: "  " + e.Name + " config unset timeout"},
		func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
			in, fields, err := fieldsOf(e, args)
			if err != nil {
				return cli.View{}, err
			}
			if in != "" {
				return setFields(e, st, in, nil, fields)
			}
			if err := e.DryRunStep("make no profile the current one"); err != nil {
				return cli.View{}, err
			}
			return cli.Note("no profile is current"), st.Use("")
		})
}

// newFile is the initial text if there is no settings file yet.
const newFile = `# Profiles of dig. Keys are not stored here.
# current: work
# profiles:
#   work:
#     zone: eu
`

func newConfigEditCmd(e *cli.Env) *cobra.Command {
	return cli.Repair[cli.Acknowledged](e, &cobra.Command{Use: "edit", Short: "Edit the settings file in your editor",
		Args: cobra.NoArgs,
		Long: `Edit a copy of the settings file in VISUAL or EDITOR. It replaces the file only if it is valid and the
file was not changed in the meantime; otherwise the edited text is kept in config.yaml.rejected, in the
same directory.`,
		Example: "  " + e.Name + " config edit"},
		func(ctx context.Context, _ []string) (cli.View, error) {
			st, err := config.OpenStore("", e.Getenv)
			if err != nil {
				return cli.View{}, err
			}
			before, err := st.Text()
			if err != nil {
				return cli.View{}, err
			}
			if err := e.DryRunStep("edit %s", st.Path()); err != nil {
				return cli.View{}, err
			}
			return edit(ctx, e, st, before)
		})
}

func edit(ctx context.Context, e *cli.Env, st *config.Store, before []byte) (cli.View, error) {
	dir, done, err := tempfile.MkdirTemp("dig-edit-")
	if err != nil {
		return cli.View{}, err
	}
	defer done()
	copied, text := filepath.Join(dir, "config.yaml"), before
	if before == nil {
		text = []byte(newFile)
	}
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		return cli.View{}, err
	}
	var last []byte // the last rejected text
	for {
		err := e.Edit(ctx, copied)
		var edited []byte
		if err == nil {
			edited, err = os.ReadFile(copied)
		}
		if err != nil && last != nil {
			return cli.View{}, rejected(st, last, err)
		}
		if err != nil {
			return cli.View{}, err
		}
		if bytes.Equal(edited, text) {
			return cli.Note("nothing was changed"), nil
		}
		// a failed editor may have emptied the file; its profiles would be removed, but not their keys
		if len(bytes.TrimSpace(edited)) == 0 && len(bytes.TrimSpace(text)) > 0 {
			return cli.View{}, exitcode.Usagef("the edited text is empty; nothing was changed").
				WithHint("`%s profile remove NAME` removes a profile with its key", e.Name)
		}
		var left []config.Profile
		if left, err = st.Replace(before, edited); err == nil {
			for _, p := range left {
				fmt.Fprintf(e.Err, "note: the key of profile %s remains (%s); `%s auth logout %s` removes it\n", p.Name,
					p.KeyStorage, e.Name, p.Name)
			}
			return cli.Note("%s changed", st.Path()), nil
		}
		again := false
		if !errors.Is(err, config.ErrConflict) && e.InTerm && e.ErrTerm {
			again, err = tryAgain(e, err)
		}
		if !again {
			return cli.View{}, rejected(st, edited, err)
		}
		last = edited
	}
}

// tryAgain shows the error of an edited text and asks whether to edit it again.
func tryAgain(e *cli.Env, wrong error) (bool, error) {
	fmt.Fprintf(e.Err, "%v\nedit it again? [y/N] ", wrong)
	answer, err := e.Ask().Answer(false)
	if err != nil {
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", wrong
}

// rejected stores an edited text that was rejected, and returns the error with the name of its file.
func rejected(st *config.Store, text []byte, why error) error {
	path := st.Path() + ".rejected"
	if err := tempfile.Write(path, text); err != nil {
		return errors.Join(why, fmt.Errorf("the edited text could not be kept: %w", err))
	}
	f := cli.Classify(context.Background(), why)
	f.Msg, f.Err = f.Msg+"; the edited text is in "+path, why
	return &f
}

func newConfigSchemaCmd(e *cli.Env) *cobra.Command {
	var project bool
	c := &cobra.Command{Use: "schema", Short: "Print the JSON schema of the settings file, for editors",
		Args: cobra.NoArgs,
		Long: `Print the JSON schema (draft 7) of config.yaml, or of the project file, for editors. With the YAML
language server, this line at the head of the file enables it:

  # yaml-language-server: $schema=/path/to/schema.json`,
		Example: "  " + e.Name + " config schema --out dig.schema.json\n  " + e.Name + " config schema --project-file"}
	c.Flags().BoolVar(&project, "project-file", false, "the schema of "+config.ProjectFile+" instead")
	cli.OwnFile(c)
	return cli.Plain[map[string]any](e, c, func(context.Context, []string) (cli.View, error) {
		schema := config.Schema(project)
		raw, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return cli.View{}, err
		}
		return asText(e, string(raw), schema)
	})
}

// asText prints a text unchanged, unless another format was chosen.
func asText(e *cli.Env, text string, v any) (cli.View, error) {
	o, err := e.OutputOptions()
	if err != nil {
		return cli.View{}, err
	}
	if o.Format != output.Table {
		return cli.Object(v), nil
	}
	w, commit, abort, err := e.Writer()
	if err != nil {
		return cli.View{}, err
	}
	if _, err := fmt.Fprintln(w, text); err != nil {
		abort()
		return cli.View{}, err
	}
	return cli.View{Printed: true}, commit()
}
