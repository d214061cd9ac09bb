package cli

import (
	"os"
	"path/filepath"
)

// VerdictsFile is the file that stores which tables are known to be truncated or complete: one per zone and address.
func (e *Env) VerdictsFile() string {
	dir, p, err := e.CacheScope()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "tables-"+p.Key()+".json")
}

// ForgetVerdicts removes this file after a change, which may invalidate it. It never fails a command.
func (e *Env) ForgetVerdicts() {
	if e.MayDropRows() && !e.DryRun() {
		_ = os.Remove(e.VerdictsFile())
	}
}
