package cli

import (
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// Local reports whether the command is for zone local. It is false if the settings are not valid, in which case the
// command fails anyway.
func (e *Env) Local() bool {
	s, err := e.Settings()
	return err == nil && s.Local()
}

// OnlyLocal rejects a command or flag that the hosted zones do not support.
func (e *Env) OnlyLocal(what string) error {
	s, err := e.Settings()
	if err != nil {
		return err
	}
	if !s.Local() {
		return exitcode.Usagef("%s is supported on zone local only, not on %s", what, s.Where())
	}
	return nil
}

// StatementFiles are the files that a statement of the user may name on zone local.
func (e *Env) StatementFiles(note func(string)) zone.Files {
	f := zone.Files{Dir: e.Dir, Note: note}
	if s, err := e.Settings(); err != nil || s.Files.Value == config.FilesOff {
		f.Off = "files are off"
		if err == nil {
			f.Off += " (" + s.Files.From + ")"
		}
	}
	return f
}

// MayDropRows reports whether the zone may silently return fewer rows than there are: zone local never does.
func (e *Env) MayDropRows() bool { return !e.Local() }
