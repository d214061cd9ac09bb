package cli

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
)

// Scope identifies the target of this run, without project and profile. All local state that belongs to a target is
// stored under its key, so that two runs agree on whether they have the same target. A gateway in this process is
// identified by its data directory.
func (e *Env) Scope() (localstate.Scope, error) {
	s := e.Run.Settings
	p := localstate.Scope{Zone: s.Zone.Value, Address: s.BaseURL.Value}
	if s.InProcess() {
		dir, err := config.DataDir(e.Getenv)
		if err != nil {
			return p, err
		}
		p.Data = localstate.Dir(dir)
	}
	return p, nil
}

// CacheScope returns the directory for data that can be fetched again, and the target that its files are named after.
func (e *Env) CacheScope() (dir string, p localstate.Scope, err error) {
	if dir, err = config.CacheDir(e.Getenv); err == nil {
		p, err = e.Scope()
	}
	return dir, p, err
}

// Ledgers returns the state directory and the place of the project, which determine where the records about a project
// are stored.
func (e *Env) Ledgers(project string) (dir string, p localstate.Scope, err error) {
	if dir, err = config.StateDir(e.Getenv); err != nil {
		return "", p, err
	}
	p, err = e.Scope()
	p.Project = project
	return dir, p, err
}

// Target is the organization, workspace and project that the settings choose.
func (e *Env) Target() resolve.Target {
	s := e.Run.Settings
	return resolve.Target{Org: s.Org.Value, Workspace: s.Workspace.Value, Project: s.Project.Value,
		InProcess: s.InProcess(), Learn: func(info api.ProjectInfo) { e.LearnKey(info) }}
}

// Switch chooses another profile, or another project of the connection. It returns a function that ends what the old
// choice has opened; after an error the old choice stays.
func (e *Env) Switch(ctx context.Context, profile, project string) (leave func() error, err error) {
	was, names := e.Run, []string{"project"}
	if profile != "" { // which has these of its own
		names = []string{"profile", "zone", "base-url", "org", "workspace", "project"}
	}
	type state struct {
		value   string
		changed bool
	}
	old := map[string]state{}
	set := func(name, value string, changed bool) {
		f := e.Run.Set.Lookup(name)
		_ = f.Value.Set(value) // a text is always accepted
		f.Changed = changed
	}
	for _, name := range names {
		f := e.Run.Set.Lookup(name)
		old[name] = state{f.Value.String(), f.Changed}
		value := map[string]string{"profile": profile, "project": project}[name]
		set(name, value, value != "")
	}
	e.Run.Settings, e.Run.client, e.Run.local = nil, nil, nil
	cl, err := e.Client()
	if err == nil {
		_, err = e.Target().ProjectID(ctx, cl)
	}
	if err == nil && profile != "" && !e.Run.Settings.InProcess() { // a project that is given as an id is not looked up
		if _, err = cl.Info.Get(ctx); api.NoRoute(err) {
			err = nil
		}
	}
	if err != nil {
		err = errors.Join(err, e.Run.local.Close(ctx))
		for name, s := range old {
			set(name, s.value, s.changed)
		}
		e.Run.Settings, e.Run.client, e.Run.local = was.Settings, was.client, was.local
		return nil, err
	}
	return func() error { return was.local.Close(ctx) }, nil
}
