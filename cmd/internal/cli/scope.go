package cli

import (
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
