package cli

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

// Guarded reports whether a result may silently lack rows: zone local never drops any.
func (e *Env) Guarded() bool { return !e.Run.Settings.Local() }
