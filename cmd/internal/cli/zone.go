package cli

// Local reports whether the command is for zone local. It is false if the settings are not valid, in which case the command fails
// anyway.
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
		return Usagef("%s works on zone local only, not on %s", what, s.Zone.Value)
	}
	return nil
}

// MayDropRows reports whether the zone may silently return fewer rows than there are: zone local never does.
func (e *Env) MayDropRows() bool { return !e.Local() }
