package profile

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// localProfile is the name of the profile of zone local that `project use` stores where no profile is in use.
const localProfile = "local"

// NewProjectUse returns the command that stores a project in the profile in use.
func NewProjectUse(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "use PROJECT", Short: "Work in a project from now on: store it in the profile in use",
		Args: cobra.ExactArgs(1),
		Long: `Store a project, by id or name, in the profile in use: commands work in it from now on, unless --project,
DIG_PROJECT or a .dig.yaml names another one. On zone local without a profile, a profile ` + localProfile + ` is stored
and made the current one. ` + "`" + e.Name + ` project list` + "`" + ` lists the projects of all workspaces, ` + "`" +
			e.Name + ` config explain` + "`" + ` shows which is in use and why.`,
		Example: "  " + e.Name + " project use sales\n  " + e.Name + " project use sales --profile work"}
	return cli.Annotate(withStore[cli.Acknowledged](e, c, func(ctx context.Context, st *config.Store,
		args []string) (cli.View, error) {
		s := e.Run.Settings
		p, err := profileOf(st, s)
		if err != nil {
			return cli.View{}, err
		}
		cl, err := e.Client()
		if err != nil {
			return cli.View{}, err
		}
		org, ws, id, err := e.Target().ProjectArg(ctx, cl, args)
		if err != nil {
			return cli.View{}, err
		}
		is, err := cl.Projects.Get(cli.OwnRequest(ctx, spec.GetProject), org, ws, id)
		if err != nil {
			return cli.View{}, err
		}
		if err := e.DryRunStep("store project %s in profile %s, in %s", phrase.NameAndID(is.Name, id), p.Name,
			st.Path()); err != nil {
			return cli.View{}, err
		}
		if s.Profile.Value == "" && p.Project == "" && p.Zone == "" { // there is no such profile yet
			p.Zone, p.Project = string(config.Local), id
			_, err = addProfile(e, st, p, config.Key{}, config.AddOptions{Use: true})
		} else {
			set := map[string]string{"project": id}
			if p.Workspace != "" { // the project would be looked for in it
				set["workspace"] = ws
			}
			_, err = st.Set(p.Name, set, nil, false)
			if err == nil && s.Profile.Value == "" {
				if err = st.Use(p.Name); err == nil {
					nowCurrent(e, "", p.Name)
				}
			}
		}
		if err != nil {
			return cli.View{}, err
		}
		if v := s.Project; v.Value != "" && v.Value != id && v.From != "profile "+p.Name {
			fmt.Fprintf(e.Err, "note: project %s has precedence here: %s\n", v.Value, v.From)
		}
		return cli.Note("profile %s now works in project %s", p.Name, phrase.NameAndID(is.Name, id)), nil
	}), spec.ListWorkspaces, spec.ListProjects, spec.GetProject)
}

// profileOf returns the profile in which a project of the gateway in use is stored.
func profileOf(st *config.Store, s *config.Settings) (config.Profile, error) {
	if s.Profile.Value == "" {
		if !s.InProcess() {
			return config.Profile{}, exitcode.Usagef("no profile is in use, in which the project could be stored").
				WithHint("`dig auth login` stores one; or give --project, or set DIG_PROJECT")
		}
		all, _, err := st.List()
		if err != nil {
			return config.Profile{}, err
		}
		for _, p := range all {
			if p.Name == localProfile && p.InProcess() {
				return p, nil
			}
			if p.Name == localProfile {
				return p, &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
					Msg:  fmt.Sprintf("no profile is in use, and profile %s is not for zone local", localProfile),
					Hint: "`dig profile add NAME --zone local --project PROJECT` stores another one"}
			}
		}
		return config.Profile{Name: localProfile}, nil
	}
	p, err := st.Get(s.Profile.Value)
	if err == nil && (string(p.EffectiveZone()) != s.Zone.Value || p.Address() != s.BaseURL.Value) {
		err = exitcode.Usagef("profile %s is for another gateway than the one in use, %s", p.Name, s.Where()).
			WithHint("--profile names the profile to store the project in")
	}
	return p, err
}
