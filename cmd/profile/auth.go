package profile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// identity is who the commands run as.
type identity struct {
	Profile     string `json:"profile,omitempty"`
	Current     bool   `json:"current,omitempty"`
	Zone        string `json:"zone"`
	Address     string `json:"address,omitempty"`
	KeyKind     string `json:"keyKind,omitempty"` // partner, project or none
	User        string `json:"user,omitempty"`
	Project     string `json:"project,omitempty"` // of a project key
	ProjectName string `json:"projectName,omitempty"`
	Key         string `json:"key,omitempty"` // masked
	KeyFrom     string `json:"keyFrom,omitempty"`
	KeyExpires  string `json:"keyExpires,omitempty"`
	State       string `json:"state,omitempty"` // of status: stored, none, unreadable, accepted, refused, unreachable
	Problem     string `json:"problem,omitempty"`
}

// keyState is the state of the key of a profile.
type keyState struct{ identity }

func (i *identity) learn(f config.KeyFacts) {
	i.KeyKind, i.User, i.Project, i.ProjectName = f.Kind, f.User, f.Project, f.ProjectName
}

// noKey is the kind of key of zone local inside the process.
const noKey = "none"

// NewAuth holds the commands for keys.
func NewAuth(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "auth", Short: "Log in, and manage stored keys"}
	c.AddCommand(newLoginCmd(e), newLogoutCmd(e), newStatusCmd(e), newWhoamiCmd(e), newUseCmd(e, "switch",
		"auth switch"))
	e.Displays(&keyShape, keyState{})
	return c
}

func newLogoutCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "logout [NAME]", Short: "Remove the key of a profile from this machine",
		Args: cobra.MaximumNArgs(1),
		Long: `Remove the key of a profile from this machine; the profile stays. Without NAME it is the profile in use.
A key whose profile was removed in an editor is removed by the former name of the profile.

The key itself stays valid: ` + "`" + e.Name + ` api-key delete` + "`" + ` deletes it from the gateway.`,
		Example: "  " + e.Name + " auth logout work --yes"}
	return cli.Plain[cli.Acknowledged](e, c, func(_ context.Context, args []string) (cli.View, error) {
		st, p, err := chosen(e, args)
		if errors.Is(err, config.ErrNotFound) && len(args) == 1 {
			return logoutKey(e, st, args[0], err)
		}
		if err != nil {
			return cli.View{}, err
		}
		if p.KeyStorage == "" {
			return logoutKey(e, st, p.Name, &exitcode.Failure{Exit: exitcode.NotFound, Code: "no-key",
				Msg: fmt.Sprintf("profile %s has no key", p.Name)})
		}
		if err := e.Ask().ConfirmHere("remove the key of profile %s from this machine?", p.Name); err != nil {
			return cli.View{}, err
		}
		if err := e.DryRunStep("remove the key of profile %s from this machine", p.Name); err != nil {
			return cli.View{}, err
		}
		if e.Run.Settings.Profile.Value == p.Name { // the stored facts about the key are removed too
			if err := e.ForgetKey(); err != nil {
				return cli.View{}, err
			}
		}
		where, err := st.Logout(p.Name)
		if err != nil {
			return cli.View{}, err
		}
		if e.Getenv("DIG_API_KEY") != "" {
			fmt.Fprintln(e.Err, "note: DIG_API_KEY is set and is still used")
		}
		return cli.Note("removed the key of profile %s from %s; it stays valid until it is deleted at the gateway",
			p.Name, where), nil
	})
}

// logoutKey removes the keys under a name that no profile refers to. They remain if a profile was removed in an editor.
// If there are no such keys it returns the error none.
func logoutKey(e *cli.Env, st *config.Store, name string, none error) (cli.View, error) {
	keys, err := st.KeysOf(name)
	if err != nil || len(keys) == 0 {
		return cli.View{}, none // most machines without a profile of the name have no keyring either
	}
	var of, where []string
	for _, k := range keys {
		of, where = append(of, k.Address), append(where, k.Where)
	}
	if err := e.Ask().ConfirmHere("no profile refers to the key stored as %s (%s); remove it from this machine?", name,
		strings.Join(of, ", ")); err != nil {
		return cli.View{}, err
	}
	if err := e.DryRunStep("remove the key stored as %s, to which no profile refers, from this machine",
		name); err != nil {
		return cli.View{}, err
	}
	if err := st.RemoveKeys(name, keys); err != nil {
		return cli.View{}, err
	}
	return cli.Note("removed the key stored as %s from %s; it stays valid until it is deleted at the gateway", name,
		strings.Join(where, " and ")), nil
}

// chosen returns the named profile, or the one in use.
func chosen(e *cli.Env, args []string) (*config.Store, config.Profile, error) {
	st, err := config.OpenStore("", e.Getenv)
	if err != nil {
		return nil, config.Profile{}, err
	}
	name := e.Run.Settings.Profile.Value
	if len(args) == 1 {
		name = args[0]
	}
	if name == "" {
		return nil, config.Profile{}, exitcode.Usagef("no profile is current; name one")
	}
	p, err := st.Get(name)
	return st, p, err
}

// newUseCmd returns the command that chooses the current profile, as `profile use` and, as gh names it, `auth switch`.
func newUseCmd(e *cli.Env, name, path string) *cobra.Command {
	c := &cobra.Command{Use: name + " [NAME]", Short: "Make a profile the current one; of two, the other one",
		Args: cobra.MaximumNArgs(1), Example: "  " + e.Name + " " + path + " work"}
	complete.Profile(c)
	return withStore[cli.Acknowledged](e, c, func(_ context.Context, st *config.Store, args []string) (cli.View,
		error) {
		name, err := "", error(nil)
		if len(args) == 1 {
			name = args[0]
		} else if name, err = other(st); err != nil {
			return cli.View{}, err
		}
		return use(e, st, name)
	})
}

// other returns the profile that is not current, if there are two.
func other(st *config.Store) (string, error) {
	all, current, err := st.List()
	if err != nil {
		return "", err
	}
	var names, rest []string
	for _, p := range all {
		if names = append(names, p.Name); p.Name != current {
			rest = append(rest, p.Name)
		}
	}
	switch {
	case len(rest) == 1:
		return rest[0], nil
	case len(names) == 0:
		return "", exitcode.Usagef("there are no profiles").WithHint("`dig auth login` stores one")
	}
	return "", exitcode.Usagef("NAME is required: the profiles are %s", strings.Join(names, ", "))
}

// use makes a profile the current one.
func use(e *cli.Env, st *config.Store, name string) (cli.View, error) {
	p, err := st.Get(name)
	if err != nil {
		return cli.View{}, err
	}
	if err := e.DryRunStep("make profile %s the current one", name); err != nil {
		return cli.View{}, err
	}
	if v := e.Getenv("DIG_PROFILE"); v != "" && v != name {
		fmt.Fprintf(e.Err, "note: DIG_PROFILE=%s is set and has precedence\n", v)
	}
	where := "zone " + p.Zone
	if p.Address() != "" {
		where = p.Address()
	}
	return cli.Note("profile %s is now current (%s)", name, where), st.Use(name)
}

func newWhoamiCmd(e *cli.Env) *cobra.Command {
	var refresh bool
	c := &cobra.Command{Use: "whoami", Short: "Show the owner of the key in use, without asking the gateway",
		Args: cobra.NoArgs,
		Long: `Show the profile, zone, address and key in use, and what is known about the key: whether it is a
partner's or a project's, of which user and project. This was learned when the key was stored; nothing
is sent. --refresh asks the gateway again.`,
		Example: "  " + e.Name + " auth whoami\n  " + e.Name + " auth whoami -o json --jq .keyKind"}
	c.Flags().BoolVar(&refresh, "refresh", false, "ask the gateway, and store the answer")
	return cli.Plain[identity](e, c, func(ctx context.Context, _ []string) (cli.View, error) {
		s := e.Run.Settings
		who := identity{Profile: s.Profile.Value, Zone: s.Zone.Value, Address: s.BaseURL.Value}
		if s.InProcess() {
			who.KeyKind = noKey
			return cli.Object(who), nil
		}
		key, err := s.NeedKey()
		if err != nil {
			return cli.View{}, err
		}
		who.Key, who.KeyFrom, who.KeyExpires = key.String(), s.KeyFrom, s.KeyExpires
		facts := e.KeyFacts()
		if refresh {
			cl, err := e.Client()
			if err != nil {
				return cli.View{}, err
			}
			info, err := cl.Info.Get(cli.OwnRequest(ctx, spec.GetKeyInfo))
			if err != nil {
				return cli.View{}, err
			}
			facts = e.LearnKey(info)
			if err := keepFacts(e, key, facts); err != nil {
				return cli.View{}, err
			}
		}
		who.learn(facts)
		v := cli.Object(who)
		if facts.Kind == "" {
			v = v.WithNote("the kind and the owner of this key are not known yet; `%s auth whoami --refresh` asks "+
				"the gateway", e.Name)
		}
		return v, nil
	})
}

// keepFacts stores the facts about the key in use with its profile, if it is the profile's.
func keepFacts(e *cli.Env, key config.Key, facts config.KeyFacts) error {
	s := e.Run.Settings
	if e.DryRun() || s.Profile.Value == "" || !strings.HasPrefix(s.KeyFrom, "profile ") {
		return nil
	}
	st, err := config.OpenStore("", e.Getenv)
	if err != nil {
		return err
	}
	return st.Learn(s.Profile.Value, key, facts)
}

func newStatusCmd(e *cli.Env) *cobra.Command {
	var check bool
	c := &cobra.Command{Use: "status [NAME]", Short: "Show the profiles and the state of their keys",
		Args: cobra.MaximumNArgs(1),
		Long: `Show the profiles and the state of their keys: stored, none, or unreadable. With --check each key is also
sent to the address it was stored for, and to no other: accepted, refused or unreachable.
The exit code is 4 if no profile has a usable key.`,
		Example: "  " + e.Name + " auth status\n  " + e.Name + " auth status work --check"}
	c.Flags().BoolVar(&check, "check", false, "ask the gateway of each profile whether it accepts the key")
	complete.Profile(c)
	return withStore[[]keyState](e, c, func(ctx context.Context, st *config.Store, args []string) (cli.View, error) {
		all, current, err := st.List()
		if err != nil {
			return cli.View{}, err
		}
		if len(args) == 1 {
			p, err := st.Get(args[0])
			if err != nil {
				return cli.View{}, err
			}
			all = []config.Profile{p}
		}
		list, usable := []keyState{}, 0
		for _, p := range all {
			who := stateOf(ctx, e, st, p, check)
			if err := ctx.Err(); err != nil {
				return cli.View{}, err
			}
			if who.Current = p.Name == current; who.State == "stored" || who.State == "accepted" {
				usable++
			}
			list = append(list, keyState{who})
		}
		v := cli.List(list, "profile", "current", "zone", "state", "keyKind", "user", "project", "problem")
		if e.Getenv("DIG_API_KEY") != "" {
			v = v.WithNote("DIG_API_KEY is set: it is used instead of the keys of profiles")
		} else if usable == 0 {
			v.Fail = &exitcode.Failure{Exit: exitcode.NotAllowed, Code: "no-key", Msg: "no profile has a usable key",
				Hint: "`dig auth login` stores one; zone local needs none"}
		}
		return v, nil
	})
}

// stateOf describes the key of a profile.
func stateOf(ctx context.Context, e *cli.Env, st *config.Store, p config.Profile, check bool) identity {
	who := identity{Profile: p.Name, Zone: string(p.EffectiveZone()), Address: p.Address(), KeyExpires: p.KeyExpires}
	if p.KeyStorage == "" {
		who.State = "none"
		return who
	}
	who.KeyFrom = p.KeyStorage
	who.learn(p.Facts())
	stored, err := st.Key(p)
	switch {
	case err != nil:
		who.State, who.Problem = "unreadable", err.Error()
		return who
	case !config.SameKeyScope(stored.Address, p.Address()):
		who.State, who.Problem = "unreadable", fmt.Sprintf("it was stored for %s and is sent only there",
			stored.Address)
		return who
	}
	who.State, who.Key = "stored", stored.Key.String()
	e.Run.Mask.Hide(stored.Key.Reveal())
	if !check || e.DryRun() {
		return who
	}
	info, err := e.OwnerOf(ctx, networkSettings(e, p), stored.Address, stored.Key)
	var refused *api.Error
	switch {
	case err == nil:
		who.State = "accepted"
		who.learn(cli.FactsOf(info))
		if err := st.Learn(p.Name, stored.Key, cli.FactsOf(info)); err != nil {
			who.Problem = err.Error()
		}
	case errors.As(err, &refused) && (refused.Kind == api.KindUnauthorized || refused.Kind == api.KindForbidden):
		who.State, who.Problem = "refused", err.Error()
	default:
		who.State, who.Problem = "unreachable", err.Error()
	}
	return who
}
