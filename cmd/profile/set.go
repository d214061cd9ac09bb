package profile

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/spf13/cobra"
)

// setFields changes and removes fields of a profile.
func setFields(e *cli.Env, st *config.Store, name string, set map[string]string, unset []string) (cli.View, error) {
	for _, field := range []string{"ca-file", "client-cert", "client-key"} { // the file is used from any directory
		if set[field] != "" {
			set[field] = e.Abs(set[field])
		}
	}
	if form := set["output"]; form != "" {
		if err := output.Check(output.Options{Format: output.FormatOf(form)}); err != nil {
			return cli.View{}, err
		}
	}
	if e.DryRun() {
		if _, err := st.Set(name, set, unset, true); err != nil {
			return cli.View{}, err
		}
		return cli.View{}, e.DryRunStep("change profile %s in %s", name, st.Path())
	}
	p, err := st.Set(name, set, unset, false)
	if err != nil {
		return cli.View{}, err
	}
	if _, moved := set["base-url"]; moved || set["zone"] != "" {
		noteKey(e, st, p)
	}
	return cli.Note("profile %s changed", name), nil
}

// noteKey prints a note if the key of a profile is bound to an address that is no longer the profile's.
func noteKey(e *cli.Env, st *config.Store, p config.Profile) {
	if p.KeyStorage == "" {
		return
	}
	k, err := st.Key(p)
	switch {
	case err != nil:
		fmt.Fprintf(e.Err, "note: cannot read the key: %v\n", err)
	case k.Address != p.Address() && !config.SameKeyScope(k.Address, p.Address()):
		fmt.Fprintf(e.Err, "note: the key of profile %s was stored for %s and is sent only there; `%s auth login %s` "+
			"stores one for the new address\n", p.Name, k.Address, e.Name, p.Name)
	}
}

func newRenameCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "rename NAME NEW", Short: "Rename a profile, with its key", Args: cobra.ExactArgs(2),
		Example: "  " + e.Name + " profile rename work acme"}
	complete.Profile(c)
	return withStore[cli.Acknowledged](e, c, func(_ context.Context, st *config.Store, args []string) (cli.View,
		error) {
		if _, err := st.Get(args[0]); err != nil {
			return cli.View{}, err
		}
		if err := config.CheckProfileName(args[1]); err != nil {
			return cli.View{}, err
		}
		if err := e.DryRunStep("rename profile %s to %s", args[0], args[1]); err != nil {
			return cli.View{}, err
		}
		return cli.Note("profile %s is now %s", args[0], args[1]), st.Rename(args[0], args[1])
	})
}
