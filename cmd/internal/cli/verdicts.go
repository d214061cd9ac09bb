package cli

import (
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/pkg/config"
)

// VerdictsFile is where they are kept: one file per zone and address.
func (e *Env) VerdictsFile() string {
	dir, err := config.CacheDir(e.Getenv)
	if err != nil {
		return ""
	}
	p, err := e.Here()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "tables-"+p.Key()+".json")
}

// ForgetVerdicts drops them after a change, which may be one of what they say. It never fails a command.
func (e *Env) ForgetVerdicts() {
	if e.Guarded() && !e.Tells() {
		_ = os.Remove(e.VerdictsFile())
	}
}
