package cli

import (
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/pkg/config"
)

// Here is where this run works, without project and profile. All that is kept by place is kept under its key, so that two runs agree on
// what is the same place. A gateway in this process is known by its data directory.
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
