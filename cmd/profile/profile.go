// Package profile holds the commands for profiles and the current settings.
package profile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/spf13/cobra"
)

func New(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "profile", Aliases: []string{"profiles"}, Short: "Profiles: zones, addresses and keys to work with"}
	c.AddCommand(
		newProfileAddCmd(e),
		withStore(e, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the profiles", Example: "  " + e.Name + " profile list", Args: cobra.NoArgs},
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
		withStore(e, &cobra.Command{Use: "show [NAME]", Aliases: []string{"get"}, Short: "Show a profile, its key masked", Example: "  " + e.Name + " profile show work", Args: cobra.MaximumNArgs(1)},
			func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
				var name string
				var err error
				if len(args) == 1 {
					name = args[0]
				} else if _, name, err = st.List(); err != nil || name == "" {
					if err == nil {
						err = cli.Usagef("no profile is current; name one")
					}
					return cli.View{}, err
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
		withStore(e, &cobra.Command{Use: "use NAME", Short: "Make a profile the current one", Example: "  " + e.Name + " profile use work", Args: cobra.ExactArgs(1)},
			func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
				return use(e, st, args[0])
			}),
		newSetCmd(e), newRenameCmd(e),
		withStore(e, &cobra.Command{Use: "remove NAME", Aliases: []string{"rm", "delete"}, Short: "Remove a profile and its key", Example: "  " + e.Name + " profile remove old --yes", Args: cobra.ExactArgs(1)},
			func(_ context.Context, st *config.Store, args []string) (cli.View, error) {
				if _, err := st.Get(args[0]); err != nil {
					return cli.View{}, err
				}
				if err := e.ConfirmHere("remove profile %s and its key?", args[0]); err != nil {
					return cli.View{}, err
				}
				if err := e.Would("remove profile %s and its key", args[0]); err != nil {
					return cli.View{}, err
				}
				_, current, err := st.List()
				if err != nil {
					return cli.View{}, err
				}
				left, err := st.Remove(args[0])
				if err == nil && current == args[0] {
					fmt.Fprintf(e.Err, "note: it was the current profile: commands without --profile now use zone local; `%s profile use NAME` selects another\n", e.Name)
				}
				if left != "" {
					fmt.Fprintln(e.Err, "note:", left)
				}
				return cli.Note("removed profile %s", args[0]), err
			}),
	)
	e.Shows(c, &profileShape, "list", "show")
	e.Prints(c, cli.Like([]row{}), "list")
	e.Prints(c, cli.Like(shown{}), "show")
	return c
}

// withStore completes a command that uses the settings file and no gateway.
func withStore(e *cli.Env, c *cobra.Command, run func(ctx context.Context, st *config.Store, args []string) (cli.View, error)) *cobra.Command {
	return e.Plain(c, func(ctx context.Context, args []string) (cli.View, error) {
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
	var noKey, keyStdin, noProbe bool
	c := &cobra.Command{
		Use: "add NAME", Short: "Store a profile and its key", Args: cobra.ExactArgs(1),
		Long: `Store a profile and its key. --zone, --base-url, --org, --workspace and --project given here
become the profile's. dig prompts for the key on a terminal, reads it from standard input otherwise, or takes it
from DIG_API_KEY. It is stored in the operating system's keyring or, if there is none, in a file that only
you can read; the command prints which one. A key is only ever sent to the address it was stored for.`,
		Example: strings.ReplaceAll("  dig profile add work --zone us --project sales\n  dig profile add ci --zone eu < key.txt\n  dig profile add sandbox --zone local", "dig ", e.Name+" "),
	}
	c.Flags().BoolVar(&opt.Replace, "replace", false, "overwrite a profile of this name")
	c.Flags().BoolVar(&opt.Use, "use", true, "make it the current profile")
	c.Flags().BoolVar(&noKey, "no-key", false, "store no key")
	c.Flags().BoolVar(&keyStdin, "key-stdin", false, "read the key from standard input even on a terminal")
	c.Flags().StringVar(&p.Protect, "protect", "", "read-only: send nothing that changes something; confirm: ask before each command that does")
	e.Fixed(c, "protect", config.ReadOnly, config.Confirm)
	c.Flags().BoolVar(&noProbe, "no-probe", false, "do not check which of the documented addresses of zone eu answers")
	return e.Plain(c, func(ctx context.Context, args []string) (cli.View, error) {
		f := &e.Run.Flags
		p.Name, p.Zone, p.BaseURL, p.Org, p.Workspace, p.Project = args[0], f.Zone, f.BaseURL, f.Org, f.Workspace, f.Project
		if c.Flags().Changed("protect") && p.Protect == "" {
			return cli.View{}, cli.Usagef("--protect is empty")
		}
		if p.Zone == "" && p.BaseURL == "" {
			p.Zone = string(config.US)
			fmt.Fprintln(e.Err, "note: no --zone given, using us")
		}
		st, err := config.OpenStore("", e.Getenv)
		if err != nil {
			return cli.View{}, err
		}
		if p.BaseURL == "" && !p.InProcess() {
			fmt.Fprintf(e.Err, "zone %s is at %s\n", p.Zone, strings.Join(config.DefaultAddresses(config.Zone(p.Zone)), " or "))
		}
		if e.Tells() {
			return cli.View{}, wouldAdd(e, st, p, opt, noKey)
		}
		check := opt
		check.Check = true
		if _, err := st.Add(p, config.Key{}, check); err != nil { // before the key is asked for
			return cli.View{}, err
		}
		var key config.Key
		if !noKey && !p.InProcess() {
			if key, err = readKey(e, p.Name, keyStdin, "pipe it in, set DIG_API_KEY, or use --no-key"); err != nil {
				return cli.View{}, err
			}
		}
		if p.Zone == string(config.EU) && p.BaseURL == "" && !noProbe && !key.IsZero() {
			var facts config.KeyFacts
			p.BaseURL, facts = probe(ctx, e, p, config.DefaultAddresses(config.EU), key)
			p.SetFacts(facts)
		}
		_, before, err := st.List()
		if err != nil {
			return cli.View{}, err
		}
		added, err := st.Add(p, key, opt)
		if err != nil {
			return cli.View{}, err
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
		if added.Storage != "" {
			return cli.Note("profile %s stored; its key is in %s", p.Name, added.Where), nil
		}
		if kept, err := st.Get(p.Name); err == nil && kept.KeyStorage != "" {
			return cli.Note("profile %[1]s stored; its earlier key stays in the %[2]s, and `%[3]s auth logout %[1]s` removes it", p.Name, kept.KeyStorage, e.Name), nil
		}
		return cli.Note("profile %s stored, without a key", p.Name), nil
	})
}

// wouldAdd prints, in a dry run, the profile that would be stored. Its key is not prompted for, because it would not be
// used.
func wouldAdd(e *cli.Env, st *config.Store, p config.Profile, opt config.AddOptions, noKey bool) error {
	opt.Check = true
	if _, err := st.Add(p, config.Key{}, opt); err != nil {
		return err
	}
	with := "with a key"
	if noKey || p.InProcess() {
		with = "without a key"
		if old, err := st.Get(p.Name); err == nil && old.KeyStorage != "" {
			with = "without a new key"
		}
	}
	_, before, err := st.List()
	if err != nil {
		return err
	}
	and := ""
	if opt.Use && before != p.Name {
		and = " and make it current"
	}
	return e.Would("store profile %s %s in %s%s", p.Name, with, st.Path(), and)
}

// nowCurrent tells that another profile than before is current, and how to go back.
func nowCurrent(e *cli.Env, before, now string) {
	switch {
	case before == now:
	case before == "":
		fmt.Fprintf(e.Err, "note: profile %s is now current: commands use it instead of zone local; `%s config unset current` undoes that\n", now, e.Name)
	default:
		fmt.Fprintf(e.Err, "note: profile %s is now current instead of %s; `%s profile use %s` goes back\n", now, before, e.Name, before)
	}
}

// readKey reads a key from DIG_API_KEY, a hidden prompt or standard input; never from the command line, which others can see. hint
// belongs to the error for a missing key. name is that of the profile. It must not be the key itself, because it is stored and
// shown.
func readKey(e *cli.Env, name string, stdin bool, hint string) (config.Key, error) {
	key, err := givenKey(e, stdin, hint)
	if err == nil && key.Reveal() == name {
		e.Run.Mask.Hide(name)
		return config.Key{}, cli.Usagef("the name of the profile is the key itself; nothing was stored or sent").WithHint("give another name; the command line, with the key, may be in the history of the shell")
	}
	return key, err
}

func givenKey(e *cli.Env, stdin bool, hint string) (config.Key, error) {
	if v := e.Getenv("DIG_API_KEY"); v != "" && !stdin {
		fmt.Fprintln(e.Err, "taking the key from DIG_API_KEY")
		return config.NewKey(v)
	}
	text, hidden, err := "", false, error(nil)
	if e.InTerm && !stdin {
		fmt.Fprint(e.Err, "API key: ")
		text, hidden, err = e.Hidden()
	}
	if !hidden {
		in := bufio.NewReader(io.LimitReader(e.In, 8<<10))
		text, err = in.ReadString('\n')
		if err == nil && !e.InTerm { // the key could be the second line
			var rest []byte
			if rest, err = io.ReadAll(in); len(bytes.TrimSpace(rest)) > 0 {
				return config.Key{}, cli.Usagef("standard input has more than one line").WithHint("give the key alone, in one line")
			}
		}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return config.Key{}, err
	case err != nil && err != io.EOF:
		return config.Key{}, cli.Usagef("cannot read the key: %v", err)
	}
	text = strings.TrimPrefix(text, rowfile.Mark) // some shells begin what they pipe with a byte order mark
	if strings.TrimSpace(text) == "" {
		return config.Key{}, cli.Usagef("no key given").WithHint("%s", hint)
	}
	return config.NewKey(text)
}

// probe asks each documented address of a zone for the owner of the key and returns the first that answers as a gateway.
func probe(ctx context.Context, e *cli.Env, p config.Profile, addresses []string, key config.Key) (string, config.KeyFacts) {
	info, at, err := askAny(ctx, e, p, addresses, key)
	if err != nil {
		fmt.Fprintln(e.Err, "note: none of the addresses answered; storing the first")
		return "", config.KeyFacts{}
	}
	fmt.Fprintln(e.Err, "answered by", at)
	return at, cli.FactsOf(info)
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
