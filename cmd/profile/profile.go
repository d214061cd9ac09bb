// Package profile holds the commands for profiles and the current settings.
package profile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/spf13/cobra"
)

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "profile", Aliases: []string{"profiles"},
		Short:       "Profiles: zones, addresses and keys to work with",
		Annotations: map[string]string{cli.InsteadOf + "set": "config set", cli.InsteadOf + "update": "config set"}}
	c.AddCommand(
		newProfileAddCmd(e),
		withStore[[]row](e, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the profiles",
			Example: "  " +
				e.Name + " profile list", Args: cobra.NoArgs},
			func(_ context.Context, st *config.Store, _ []string) (cli.View, error) {
				all, current, err := st.List()
				if err != nil {
					return cli.View{}, err
				}
				rows := []row{}
				for _, p := range all {
					rows = append(rows, row{p, p.Name == current})
				}
				return cli.List(rows, "name", "current", "zone", "baseUrl", "project", "keyStorage"), nil
			}),
		withStore[shown](e, &cobra.Command{Use: "show [NAME]", Aliases: []string{"get"},
			Short: "Show a profile, its key masked", Example: "  " + e.Name + " profile show work",
			Args: cobra.MaximumNArgs(1)},
			func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
				name := e.Run.Settings.Profile.Value
				if len(args) == 1 {
					name = args[0]
				}
				if name == "" {
					return cli.View{}, exitcode.Usagef("no profile is current; name one")
				}
				p, err := st.Get(name)
				if err != nil {
					return cli.View{}, err
				}
				out := shown{Profile: p, Address: p.Address()}
				k, err := st.Key(p)
				if err == nil {
					out.Key = k.Key.String()
				} else if !errors.Is(err, config.ErrNotAllowed) {
					fmt.Fprintf(e.Err, "note: cannot read the key: %v\n", err)
				}
				return cli.Object(out), nil
			}),
		newUseCmd(e, "use", "profile use"), newRenameCmd(e),
		withStore[cli.Acknowledged](e, &cobra.Command{Use: "remove NAME", Aliases: []string{"rm", "delete"},
			Short: "Remove a profile and its key", Example: "  " + e.Name + " profile remove old --yes",
			Args: cobra.ExactArgs(1)},
			func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
				if p := e.Run.Settings.Profile; p.From == "flag --profile" && p.Value != args[0] {
					return cli.View{}, exitcode.Usagef("the argument names the profile %s, and --profile %s", args[0],
						p.Value)
				}
				if _, err := st.Get(args[0]); err != nil {
					return cli.View{}, err
				}
				if err := e.Ask().ConfirmHere("remove profile %s and its key?", args[0]); err != nil {
					return cli.View{}, err
				}
				if err := e.DryRunStep("remove profile %s and its key", args[0]); err != nil {
					return cli.View{}, err
				}
				_, current, err := st.List()
				if err != nil {
					return cli.View{}, err
				}
				left, err := st.Remove(args[0])
				if err == nil && current == args[0] {
					fmt.Fprintf(e.Err, "note: it was the current profile: commands without --profile now use zone "+
						"local; `%s profile use NAME` selects another\n", e.Name)
				}
				if left != "" {
					fmt.Fprintln(e.Err, "note:", left)
				}
				return cli.Note("removed profile %s", args[0]), err
			}),
	)
	e.Displays(&profileShape, row{}, shown{})
	return c
}

// withStore completes a command that uses the settings file and no gateway.
func withStore[T any](e *cli.Env, c *cobra.Command, run func(ctx context.Context, st *config.Store,
	args []string) (cli.View,
	error)) *cobra.Command {
	return cli.Plain[T](e, c, func(ctx context.Context, args []string) (cli.View, error) {
		st, err := config.OpenStore("", e.Getenv)
		if err != nil {
			return cli.View{}, err
		}
		return run(ctx, st, args)
	})
}

func newProfileAddCmd(e *cli.Env) *cobra.Command {
	var p config.Profile
	var opt config.AddOptions
	c := &cobra.Command{
		Use: "add NAME", Short: "Store a profile without a key", Args: cobra.ExactArgs(1),
		Long: `Store a profile without a key. --zone, --base-url, --org, --workspace and --project given here become the
profile's. ` + "`" + e.Name + ` auth login NAME` + "`" +
			` stores a profile and its key, or a key for a stored profile.`,
		Example: strings.ReplaceAll("  dig profile add sandbox --zone local\n"+
			"  dig profile add work --zone us --project sales", "dig ", e.Name+" "),
	}
	c.Flags().BoolVar(&opt.Replace, "replace", false, "overwrite a profile of this name")
	c.Flags().BoolVar(&opt.Use, "use", true, "make it the current profile")
	c.Flags().StringVar(&p.Protect, "protect", "",
		"read-only: send nothing that changes something; confirm: ask before each command that does")
	complete.Values(c, "protect", config.ReadOnly, config.Confirm)
	return withStore[cli.Acknowledged](e, c, func(_ context.Context, st *config.Store, args []string) (cli.View,
		error) {
		f := &e.Run.Flags
		p.Name, p.Zone, p.BaseURL = args[0], f.Zone, f.BaseURL
		p.Org, p.Workspace, p.Project = f.Org, f.Workspace, f.Project
		if c.Flags().Changed("protect") && p.Protect == "" {
			return cli.View{}, exitcode.Usagef("--protect is empty")
		}
		if p.Zone == "" && p.BaseURL == "" {
			p.Zone = string(config.US)
			fmt.Fprintln(e.Err, "note: no --zone given, using us")
		}
		if e.DryRun() {
			return cli.View{}, wouldAdd(e, st, p, opt)
		}
		if _, err := addProfile(e, st, p, config.Key{}, opt); err != nil {
			return cli.View{}, err
		}
		if kept, err := st.Get(p.Name); err == nil && kept.KeyStorage != "" {
			return cli.Note("profile %[1]s stored; its earlier key stays in the %[2]s, and `%[3]s auth logout %[1]s` "+
				"removes it",
				p.Name, kept.KeyStorage, e.Name), nil
		}
		if p.InProcess() {
			return cli.Note("profile %s stored", p.Name), nil
		}
		return cli.Note("profile %[1]s stored, without a key; `%[2]s auth login %[1]s` stores one", p.Name, e.Name), nil
	})
}

// wouldAdd prints, in a dry run, the profile that would be stored.
func wouldAdd(e *cli.Env, st *config.Store, p config.Profile, opt config.AddOptions) error {
	opt.Check = true
	if _, err := st.Add(p, config.Key{}, opt); err != nil {
		return err
	}
	_, before, err := st.List()
	if err != nil {
		return err
	}
	and := ""
	if opt.Use && before != p.Name {
		and = " and make it current"
	}
	return e.DryRunStep("store profile %s in %s%s", p.Name, st.Path(), and)
}

// addProfile stores a profile with its key, if it has one, and prints what the user should know of that.
func addProfile(e *cli.Env, st *config.Store, p config.Profile, key config.Key,
	opt config.AddOptions) (config.Added, error) {
	_, before, err := st.List()
	if err != nil {
		return config.Added{}, err
	}
	added, err := st.Add(p, key, opt)
	if err != nil {
		return added, err
	}
	if opt.Use {
		nowCurrent(e, before, p.Name)
	}
	for _, h := range added.Hints {
		fmt.Fprintln(e.Err, "note:", h)
	}
	if added.Why != "" {
		fmt.Fprintln(e.Err, "note:", added.Why)
	}
	return added, nil
}

// nowCurrent tells that another profile than before is current, and how to go back.
func nowCurrent(e *cli.Env, before, now string) {
	switch {
	case before == now:
	case before == "":
		fmt.Fprintf(e.Err, "note: profile %s is now current: commands use it instead of zone local; `%s config unset "+
			"current` undoes that\n", now, e.Name)
	default:
		fmt.Fprintf(e.Err, "note: profile %s is now current instead of %s; `%s profile use %s` goes back\n", now,
			before, e.Name, before)
	}
}

// row is a profile in the list.
type row struct {
	config.Profile
	Current bool `json:"current"`
}

// shown is a profile with the facts about its key.
type shown struct {
	config.Profile
	Address string `json:"address,omitempty"`
	Key     string `json:"key,omitempty"` // masked
}
