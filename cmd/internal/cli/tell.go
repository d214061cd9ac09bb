package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// With --dry-run and --explain a run tells what it would do. It makes the checks of the real run, reads what those need, and changes
// nothing: no request that changes something is sent, and no file is written, not even one that only dig reads.

// Tells reports whether the run only tells what it would do.
func (e *Env) Tells() bool { return e.Run.Flags.DryRun || e.Run.Flags.Explain }

// Would tells of a change on this machine that the run would make, and ends the run. It is nil when the run is to make it.
func (e *Env) Would(format string, args ...any) error {
	if !e.Tells() {
		return nil
	}
	return e.step(func(w io.Writer, _ int) error {
		_, err := fmt.Fprintf(w, "would "+format+"\n", args...)
		return err
	})
}

// step tells of the run's n-th step, and of no other meanwhile. It answers ErrDone.
func (e *Env) step(tell func(w io.Writer, n int) error) error {
	e.Run.Telling.Lock()
	defer e.Run.Telling.Unlock()
	e.Run.told++
	if err := tell(e.OnScreen(), e.Run.told); err != nil {
		return err
	}
	return ErrDone
}

// Told is the number of steps that were told of.
func (e *Env) Told() int {
	e.Run.Telling.Lock()
	defer e.Run.Telling.Unlock()
	return e.Run.told
}

// Planned reports that err stands for a request that was told of and not sent, so that the command goes on to its next one.
func (e *Env) Planned(err error) bool { return errors.Is(err, ErrDone) && e.Tells() }

// askedKey marks a context whose requests are those the user asks about, beside the operation of the command.
type askedKey struct{}

func Asked(ctx context.Context) context.Context { return context.WithValue(ctx, askedKey{}, true) }

// Closing says once, after all else, that nothing was done.
func (e *Env) Closing() {
	told := e.Told()
	switch {
	case told == 0:
	case e.Run.Flags.Explain:
		fmt.Fprintln(e.Err, "explained: nothing was sent and nothing was changed")
	case told == 1:
		fmt.Fprintln(e.Err, "dry run: nothing was sent and nothing was changed")
	default:
		fmt.Fprintf(e.Err, "dry run: nothing was sent and nothing was changed (%d steps)\n", told)
	}
}

// scratch is the data directory for a run that only tells: the real one with nothing to remove, or, where zone local has none yet, one
// that goes with the run and holds what a new one would.
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
