package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// With --dry-run and --explain a run prints what it would do. It makes the checks of the real run, reads what those
// need, and changes nothing: no request that changes something is sent, and no file is written, not even one that only
// dig reads.

// Tells reports whether the run only prints what it would do.
func (e *Env) Tells() bool { return e.Run.Flags.DryRun || e.Run.Flags.Explain }

// Would prints a change on this machine that the run would make, and ends the run. It returns nil if the run is to make
// the change.
func (e *Env) Would(format string, args ...any) error {
	if !e.Tells() {
		return nil
	}
	return e.step(func(w io.Writer, _ int) error {
		_, err := fmt.Fprintf(w, "would "+format+"\n", args...)
		return err
	})
}

// step prints step n of the run while no other step is printed. It returns ErrDone.
func (e *Env) step(tell func(w io.Writer, n int) error) error {
	e.Run.Telling.Lock()
	defer e.Run.Telling.Unlock()
	e.Run.told++
	if err := tell(e.OnScreen(), e.Run.told); err != nil {
		return err
	}
	return ErrDone
}

// Told returns the number of steps printed.
func (e *Env) Told() int {
	e.Run.Telling.Lock()
	defer e.Run.Telling.Unlock()
	return e.Run.told
}

// Planned reports whether err stands for a request that was printed instead of sent, so that the command continues with
// the next one.
func (e *Env) Planned(err error) bool { return errors.Is(err, ErrDone) && e.Tells() }

// askedKey marks, for the interceptor, requests that are shown besides the operation of the command.
type askedKey struct{}

// Asked returns a context whose requests are shown by --explain.
func Asked(ctx context.Context) context.Context { return context.WithValue(ctx, askedKey{}, true) }

// Closing prints once, at the end, that nothing was done.
func (e *Env) Closing() {
	told := e.Told()
	switch {
	case told == 0:
	case e.Run.Flags.Explain:
		fmt.Fprintln(e.Err, "explain: nothing was sent and nothing was changed")
	case told == 1:
		fmt.Fprintln(e.Err, "dry run: nothing was sent and nothing was changed")
	default:
		fmt.Fprintf(e.Err, "dry run: nothing was sent and nothing was changed (%d steps)\n", told)
	}
}

// scratch returns the data directory of a dry run: the real one without clean-up, or, if zone local has none yet, a
// temporary one with the contents of a new one.
func scratch(dir string) (path string, remove func() error, err error) {
	if _, err := os.Stat(filepath.Join(dir, "state.db")); !errors.Is(err, os.ErrNotExist) {
		return dir, nil, nil
	}
	tmp, err := os.MkdirTemp("", "dig-dry-run-")
	if err != nil {
		return "", nil, err
	}
	return tmp, func() error { return os.RemoveAll(tmp) }, nil
}
