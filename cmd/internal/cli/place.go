package cli

import (
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/pkg/config"
)

// Here identifies the target of this run, without project and profile. All local state that belongs to a target is
// stored under its key, so that two runs agree on whether they have the same target. A gateway in this process is
// identified by its data directory.
func (e *Env) Here() (localstate.Place, error) {
	s := e.Run.Settings
	p := localstate.Place{Zone: s.Zone.Value, Address: s.BaseURL.Value}
	if s.InProcess() {
		dir, err := config.DataDir(e.Getenv)
		if err != nil {
			return p, err
		}
		p.Data = localstate.Dir(dir)
	}
	return p, nil
}

// CachePlace returns the directory of data that can be determined again, and the target that names its files there.
func (e *Env) CachePlace() (dir string, p localstate.Place, err error) {
	if dir, err = config.CacheDir(e.Getenv); err == nil {
		p, err = e.Here()
	}
	return dir, p, err
}

// Ledgers is where the records about a project are kept: the state directory, and the place of the project.
func (e *Env) Ledgers(project string) (dir string, p localstate.Place, err error) {
	if dir, err = config.StateDir(e.Getenv); err != nil {
		return "", p, err
	}
	p, err = e.Here()
	p.Project = project
	return dir, p, err
}
