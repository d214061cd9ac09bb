package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/spf13/cobra"
)

// login is one run of `auth login`.
type login struct {
	e         *cli.Env
	st        *config.Store
	p         config.Profile // the profile to store
	is        bool           // the profile exists already
	opt       config.AddOptions
	set       [3]string // organization, workspace and project of flags
	facts     config.KeyFacts
	stdin     bool
	noCheck   bool
	otherZone bool
}

func newLoginCmd(e *cli.Env) *cobra.Command {
	l := login{e: e}
	c := &cobra.Command{
		Use: "login [NAME]", Short: "Store a key after the gateway has accepted it", Args: cobra.MaximumNArgs(1),
		Long: `Store a key in a profile. The address is shown before anything is sent. dig prompts for the key on a
terminal, reads it from standard input with --with-key or without a terminal, or takes it from
DIG_API_KEY. The gateway is then asked for the owner of the key; the answer is stored with the profile,
so that ` + "`" + e.Name + ` auth whoami` + "`" + ` needs no network.
A key that the gateway refuses is not stored.

NAME is the profile; without it, the one in use, else one named like the zone. --zone or --base-url chooses where the
key is for. If the zone does not know the key, it may be one of the other zone: dig asks before it sends the key to
that address, and without a terminal only --other-zone allows it.

The key is stored in the keyring of the system or, if there is none, in a file that only you can read; the command
prints which. --storage keyring or --storage file allows no other place.`,
		Example: strings.ReplaceAll("  dig auth login --zone eu\n  dig auth login ci --zone us --with-key < "+
			"key.txt\n  DIG_API_KEY=... dig auth login ci --zone us --storage keyring", "dig ", e.Name+" "),
	}
	fs := c.Flags()
	fs.BoolVar(&l.stdin, "with-key", false, "read the key from standard input")
	fs.BoolVar(&l.noCheck, "no-check", false, "store the key without asking the gateway for its owner")
	fs.BoolVar(&l.otherZone, "other-zone", false,
		"if the zone does not know the key, send it to the address of the other zone too")
	fs.BoolVar(&l.opt.Use, "use", true, "make it the current profile")
	fs.StringVar(&l.opt.Storage, "storage", "",
		"keyring or file (DIG_KEY_STORAGE): where the key is stored, and nowhere else")
	complete.Values(c, "storage", "keyring", "file")
	complete.Profile(c)
	plain := cli.Plain[cli.Acknowledged](e, c, func(ctx context.Context, args []string) (cli.View, error) {
		return l.run(ctx, args)
	})
	run := plain.RunE
	plain.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("storage") && l.opt.Storage != "keyring" && l.opt.Storage != "file" {
			return exitcode.Usagef("--storage: %q is not one of keyring, file", l.opt.Storage)
		}
		if l.noCheck && l.otherZone {
			return exitcode.Usagef("--no-check and --other-zone are mutually exclusive")
		}
		return run(c, args)
	}
	return plain
}

func (l *login) run(ctx context.Context, args []string) (cli.View, error) {
	st, err := config.OpenStore("", l.e.Getenv)
	if err != nil {
		return cli.View{}, err
	}
	l.st = st
	if err := l.target(args); err != nil {
		return cli.View{}, err
	}
	addresses := l.addresses()
	check := l.opt
	check.Check, check.Replace = true, l.is
	if _, err := st.Add(l.p, config.Key{}, check); err != nil { // before the user is asked for the key
		return cli.View{}, err
	}
	if l.e.DryRun() && l.noCheck {
		return cli.View{}, l.e.DryRunStep("store the key in profile %s, for %s", l.p.Name, addresses[0])
	}
	if l.e.DryRun() {
		return cli.View{}, l.e.DryRunStep("ask %s for the owner of the key, and store the key in profile %s",
			strings.Join(addresses, " or "), l.p.Name)
	}
	if l.noCheck {
		fmt.Fprintf(l.e.Err, "the key is stored for %s; nothing is sent\n", addresses[0])
	} else {
		fmt.Fprintf(l.e.Err, "the key is sent to %s\n", strings.Join(addresses, " or "))
	}
	key, err := readKey(l.e, l.p.Name, l.stdin, "pipe it in, or set DIG_API_KEY")
	if err != nil {
		return cli.View{}, err
	}
	l.e.Run.Mask.Hide(key.Reveal())
	if err := l.knownElsewhere(key); err != nil {
		return cli.View{}, err
	}
	if !l.noCheck {
		if err := l.identify(ctx, key); err != nil {
			return cli.View{}, err
		}
	}
	return l.store(key)
}

// target determines the profile, its zone and its address. A project file does not choose where a key is sent.
func (l *login) target(args []string) error {
	s := l.e.Run.Settings
	zone, address := s.Explicit()
	name, named := s.Profile.Value, len(args) == 1
	if named {
		name = args[0]
	}
	old, err := config.Profile{}, error(nil)
	if name != "" {
		old, err = l.st.Get(name)
	}
	switch {
	case name != "" && err == nil && fits(old, zone, address):
		l.p, l.is = old, true
	case name != "" && err == nil && named:
		return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
			Msg:  fmt.Sprintf("profile %s is for %s, not for %s", name, old.Address(), cmp.Or(address, "zone "+zone)),
			Hint: "log in under another NAME, or change it with `dig config set`"}
	case err != nil && !errors.Is(err, config.ErrNotFound):
		return err
	default:
		if !named {
			if name = zone; name == "" && address != "" {
				name = "work"
			}
		}
		l.p = config.Profile{Name: name, Zone: zone, BaseURL: address}
		if _, err := l.st.Get(name); name != "" && !named && err == nil {
			return l.target([]string{name})
		}
	}
	f := &l.e.Run.Flags
	l.set = [3]string{f.Org, f.Workspace, f.Project}
	l.setTarget(&l.p)
	if l.p.Address() == "" && l.p.Zone == "" {
		return exitcode.Usagef("--zone or --base-url is required").
			WithHint("give --zone us or --zone eu, or --base-url")
	}
	if l.p.Address() == "" {
		return exitcode.Usagef("zone %s runs inside the program and uses no key",
			l.p.Zone).WithHint("give --zone us or --zone eu, or the --base-url of a gateway; `dig profile add NAME " +
			"--zone local` stores a profile without a key")
	}
	return nil
}

// fits reports whether a profile has the given zone and address; "" matches any.
func fits(p config.Profile, zone, address string) bool {
	return (zone == "" || config.Zone(zone) == p.EffectiveZone()) && (address == "" || address == p.Address() ||
		config.SameKeyScope(address, p.Address()))
}

// setTarget sets the organization, the workspace and the project from flags.
func (l *login) setTarget(p *config.Profile) {
	for i, field := range []*string{&p.Org, &p.Workspace, &p.Project} {
		if l.set[i] != "" {
			*field = l.set[i]
		}
	}
}

// addresses are the addresses that the key may be sent to: that of the profile, or all documented ones of its zone.
func (l *login) addresses() []string {
	if l.p.BaseURL != "" {
		return []string{l.p.BaseURL}
	}
	return config.DefaultAddresses(config.Zone(l.p.Zone))
}

// knownElsewhere rejects a key that is stored in a profile of another zone: it would be sent to the wrong address.
func (l *login) knownElsewhere(key config.Key) error {
	here := config.ZoneOfAddress(l.addresses()[0])
	all, _, err := l.st.List()
	if err != nil || here == "" {
		return err
	}
	for _, p := range all {
		z := zoneOf(p, p.Address())
		if p.Name == l.p.Name || p.KeyStorage == "" || z == "" || z == here {
			continue
		}
		stored, err := l.st.Key(p)
		if err == nil && stored.Key.Reveal() == key.Reveal() && zoneOf(p, stored.Address) == z {
			return &exitcode.Failure{Exit: exitcode.NotAllowed, Code: "other-zone",
				Msg: fmt.Sprintf("this is the key of profile %s, for zone %s; it was not sent to zone %s",
					p.Name, z, here),
				Hint: fmt.Sprintf("`dig auth switch %s` uses it; a key of one zone is not known in the other", p.Name)}
		}
	}
	return nil
}

// zoneOf returns the zone of an address. If the address is not in a known zone, such as that of a company's gateway, it
// is the zone of the profile.
func zoneOf(p config.Profile, address string) config.Zone {
	return cmp.Or(config.ZoneOfAddress(address), config.Zone(p.Zone))
}

// identify asks the gateway for the owner of the key, and completes the profile.
func (l *login) identify(ctx context.Context, key config.Key) error {
	info, at, err := askAny(ctx, l.e, l.p, l.addresses(), key)
	var refused *api.Error
	if errors.As(err, &refused) && refused.Kind == api.KindUnauthorized {
		info, at, err = l.askOther(ctx, key, err)
	}
	if err != nil {
		return l.explain(err)
	}
	if l.p.BaseURL == "" && at != config.DefaultAddresses(config.Zone(l.p.Zone))[0] {
		l.p.BaseURL = at
	}
	l.facts = cli.FactsOf(info)
	if l.facts.Kind == config.KindProject && l.p.Project != "" && l.p.Project != l.facts.Project &&
		l.p.Project != l.facts.ProjectName {
		fmt.Fprintf(l.e.Err, "note: the profile's project is %s, but the key opens project %s only\n", l.p.Project,
			l.facts.Project)
	}
	return nil
}

// complete adds the facts about the new key to a profile.
func (l *login) complete(p *config.Profile) {
	l.setTarget(p)
	p.KeyExpires = ""
	if p.SetFacts(l.facts); p.Project == "" {
		p.Project = p.KeyProject
	}
}

// explain adds a hint to the reason why a key was not stored.
func (l *login) explain(err error) error {
	var ae *api.Error
	var f *exitcode.Failure
	if !errors.As(err, &ae) || errors.As(err, &f) {
		return err
	}
	out := cli.Classify(context.Background(), err)
	out.Msg = "the key was not stored: " + out.Msg
	out.Err = err
	switch ae.Kind {
	case api.KindUnauthorized:
		if out.Hint = "check that the whole key was given and that it was not deleted"; config.ZoneOfAddress(
			l.addresses()[0]) != "" {
			out.Hint += "; a key of one zone is not known in the other"
		}
	case api.KindUnavailable, api.KindTimeout:
		out.Hint = cmp.Or(ae.Hint, "try again") + "; --no-check stores the key unchecked"
	case api.KindNotFound, api.KindProtocol, api.KindNotSupported:
		out.Hint = "there is no gateway at this address: it usually ends in /api/v1"
	}
	return &out
}

// askOther offers to try the other zone with a key that this one does not know. The key is sent there only if the user
// agrees, by answer or flag.
func (l *login) askOther(ctx context.Context, key config.Key, refusal error) (api.ProjectInfo, string, error) {
	here := config.ZoneOfAddress(l.addresses()[0])
	zone := map[config.Zone]config.Zone{config.US: config.EU, config.EU: config.US}[here]
	if zone == "" {
		return api.ProjectInfo{}, "", refusal
	}
	addresses := config.DefaultAddresses(zone)
	where := strings.Join(addresses, " or ")
	if !l.otherZone {
		if !l.e.InTerm || !l.e.ErrTerm || l.stdin {
			f := cli.Classify(ctx, refusal)
			f.Msg = "the key was not stored: zone " + string(here) + " does not know it: " + f.Msg
			f.Hint = fmt.Sprintf("if it is a key of zone %s, give --zone %s, or --other-zone to send it to %s too",
				zone, zone, where)
			return api.ProjectInfo{}, "", &f
		}
		fmt.Fprintf(l.e.Err,
			"zone %s does not know this key. Send it to %s, to see whether it is a key of zone %s? [y/N] ",
			here, where, zone)
		answer, err := l.e.Ask().Answer(false)
		if err != nil {
			return api.ProjectInfo{}, "", err
		}
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			return api.ProjectInfo{}, "", refusal
		}
	} else {
		fmt.Fprintf(l.e.Err, "zone %s does not know this key; it is sent to %s\n", here, where)
	}
	info, at, err := askAny(ctx, l.e, l.p, addresses, key)
	if err != nil {
		f := cli.Classify(ctx, err)
		f.Msg, f.Err = fmt.Sprintf("the key was not stored: zone %s does not know it; zone %s: %s", here, zone, f.Msg),
			err
		f.Hint = "check that the whole key was given and that it was not deleted"
		return info, at, &f
	}
	if l.is {
		return info, at, &exitcode.Failure{Exit: exitcode.NotAllowed, Code: "other-zone",
			Msg: fmt.Sprintf("this is a key of zone %s, and profile %s is for zone %s; it was not stored", zone,
				l.p.Name, here),
			Hint: fmt.Sprintf("`dig auth login NAME --zone %s` stores it in another profile", zone)}
	}
	fmt.Fprintf(l.e.Err, "this is a key of zone %s: the profile is stored for that zone\n", zone)
	if l.p.Zone, l.p.BaseURL = string(zone), ""; l.p.Name == string(here) {
		l.p.Name = string(zone)
		if _, err := l.st.Get(l.p.Name); err == nil {
			return info, at, &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
				Msg:  fmt.Sprintf("there is already a profile %q; the key was not stored", l.p.Name),
				Hint: fmt.Sprintf("`dig auth login NAME --zone %s` stores it under another name", zone)}
		}
	}
	return info, at, nil
}

// store stores the profile and reports where the key is.
func (l *login) store(key config.Key) (cli.View, error) {
	l.complete(&l.p)
	l.opt.Replace = l.is
	l.opt.Merge = func(stored *config.Profile) error { // another process may have changed the profile
		if stored.Address() != l.p.Address() && !config.SameKeyScope(stored.Address(), l.p.Address()) {
			return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
				Msg: fmt.Sprintf("the address of profile %s was changed in the meantime; the key was not stored",
					l.p.Name)}
		}
		stored.BaseURL = l.p.BaseURL
		l.complete(stored)
		return nil
	}
	added, err := addProfile(l.e, l.st, l.p, key, l.opt)
	if err != nil {
		return cli.View{}, err
	}
	if l.opt.Use && l.e.Getenv("DIG_API_KEY") != "" {
		fmt.Fprintln(l.e.Err, "note: DIG_API_KEY has precedence over the stored key as long as it is set")
	}
	who := identity{Profile: l.p.Name, Zone: string(l.p.EffectiveZone()), Address: l.p.Address(), Key: key.String(),
		KeyFrom: added.Storage}
	who.learn(l.p.Facts())
	return cli.Object(who).WithNote("profile %s stored; its key is in %s", l.p.Name, added.Where), nil
}

// networkSettings returns the connection settings of a profile that no variable overrides.
func networkSettings(e *cli.Env, p config.Profile) cli.NetworkSettings {
	of := func(value, variable string) config.Value {
		if v := e.Getenv(variable); v != "" {
			return config.Value{Value: v, From: "environment " + variable}
		}
		return config.Value{Value: value, From: "profile " + p.Name}
	}
	return cli.NetworkSettings{CAFile: of(p.CAFile, "DIG_CA_FILE"), ClientCert: of(p.ClientCert, "DIG_CLIENT_CERT"),
		ClientKey: of(p.ClientKey, "DIG_CLIENT_KEY"),
		Connect:   of(p.ConnectTimeout, "DIG_CONNECT_TIMEOUT"), Reply: of(p.ReplyTimeout, "DIG_REPLY_TIMEOUT")}
}

// askAny tries the addresses of one zone in order, up to the first that answers as a gateway.
func askAny(ctx context.Context, e *cli.Env, p config.Profile, addresses []string,
	key config.Key) (info api.ProjectInfo, at string, err error) {
	var first error
	for _, at = range addresses {
		info, err = e.OwnerOf(ctx, networkSettings(e, p), at, key)
		var ae *api.Error
		if err == nil || ctx.Err() != nil || errors.As(err, &ae) && (ae.Kind == api.KindUnauthorized ||
			ae.Kind == api.KindForbidden) {
			return info, at, err
		}
		if first == nil {
			first = err
		}
	}
	return info, at, first
}
