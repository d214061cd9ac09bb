package repl

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
)

// errConnect ends the session for one with another project or profile.
var errConnect = errors.New("connect")

// connect continues with another project of the connection, or with another profile.
func (s *shell) connect(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return s.connection(ctx, nil)
	}
	kind, name := "", args[0]
	if len(args) == 2 && (name == "project" || name == "profile") {
		kind, name = name, args[1]
	} else if len(args) > 1 {
		return exitcode.Usagef(`\c takes one project or profile, not %d`, len(args))
	}
	if s.depth > 0 {
		return exitcode.Usagef(`\c does not stand in a file that \i runs`)
	}
	profile, project := "", name
	if kind != "project" {
		store, err := config.OpenStore("", s.e.Getenv)
		if err != nil {
			return err
		}
		switch _, err := store.Get(name); {
		case err == nil:
			profile, project = name, ""
		case kind == "profile" || !errors.Is(err, config.ErrNotFound):
			return err
		}
	}
	if project != "" {
		if _, err := s.e.Target().ProjectByName(ctx, s.cl, project); err != nil {
			return err
		}
	}
	leave, err := s.e.Switch(ctx, profile, project)
	if err != nil {
		return err
	}
	s.leave = leave
	return errConnect
}

// connection prints what the shell is connected to.
func (s *shell) connection(context.Context, []string) error {
	set := s.e.Run.Settings
	project, schema, data := s.project, "", ""
	if set.Project.Value != "" && set.Project.Value != project {
		project += " (" + set.Project.Value + ")"
	}
	if s.here.Schema != "" {
		schema = s.here.Catalog + "." + s.here.Schema
	}
	if set.InProcess() {
		var err error
		if data, err = config.DataDir(s.e.Getenv); err != nil {
			return err
		}
	}
	w := s.e.OnScreen()
	for _, l := range [][2]string{{"zone", set.Zone.Value}, {"address", set.BaseURL.Value},
		{"profile", set.Profile.Value}, {"project", project}, {"key", set.Key.String()}, {"schema", schema},
		{"protection", set.Protect.Value}, {"data", data}} {
		if l[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-10s  %s\n", l[0], l[1]); err != nil {
			return err
		}
	}
	return nil
}

// listProjects lists the projects that the key can see, of all workspaces.
func (s *shell) listProjects(ctx context.Context, args []string) error {
	match, err := pattern(args)
	if err != nil {
		return err
	}
	var rows [][]any
	err = s.e.Target().EachProject(ctx, s.cl, func(w api.Workspace, p api.Project) bool {
		here := ""
		if p.ID == s.project {
			here = "*"
		}
		if match(p.Name, p.ID) {
			rows = append(rows, []any{here, p.Name, w.Name, p.ID})
		}
		return true
	})
	if err != nil {
		return err
	}
	return s.show(ctx, []string{"", "project", "workspace", "id"}, rows)
}

// flags are the flags with which another command works where the shell does.
func (s *shell) flags() []string {
	return s.e.TargetFlags(s.project)
}
