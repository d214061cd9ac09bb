package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/gofrs/flock"
)

const lockWait = 10 * time.Second

// withLock calls do while it holds dir's lock file; other processes and goroutines wait for at most lockWait. The
// directory is created if necessary, accessible to its owner only.
func withLock(dir string, do func() error) error { return withLockFor(dir, lockWait, do) }

func withLockFor(dir string, wait time.Duration, do func() error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &Error{Kind: ErrUsage, File: dir, Msg: "cannot be created", cause: err,
			hint: "set DIG_CONFIG_DIR to a directory you may write to"}
	}
	lock := flock.New(filepath.Join(dir, ".lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	ok, err := lock.TryLockContext(ctx, 10*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
		return &Error{Kind: ErrBusy, File: lock.Path(),
			Msg: fmt.Sprintf("another process has held the lock for more than %s", wait)}
	}
	if err != nil {
		return &Error{Kind: ErrUsage, File: lock.Path(), Msg: "cannot be locked", cause: err}
	}
	// The lock file stays: removing it would let two processes lock two different files of that name.
	defer func() { _ = lock.Unlock() }()
	sweep(dir)
	return do()
}

// sweep removes the files of terminated processes from a locked directory: copies of files with keys.
func sweep(dir string) {
	tempfile.Sweep(dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 { // writeAtomic writes next to the target
			if target, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name())); err == nil {
				tempfile.SweepOf(target)
			}
		}
		if e.Type().IsRegular() && earlierTemp().MatchString(e.Name()) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// earlierTemp matches the temporary files of earlier versions, written while they held the lock.
var earlierTemp = late.Regexp(`^\.(credentials|config)\.yaml\.[0-9]+$`)

// writeAtomic replaces path by data in one step with mode 0600. If path is a symbolic link its target is replaced, so
// that a file stored elsewhere stays linked.
func writeAtomic(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := tempfile.Write(path, data); err != nil {
		return &Error{Kind: ErrStorage, File: path, Msg: "cannot be written", cause: err}
	}
	return nil
}

// checkMode rejects a file if its mode grants any of bits. Windows has no such bits.
func checkMode(path string, bits fs.FileMode, what string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	// A missing file is not an error here, and reading it reports any other error.
	if st, err := os.Stat(path); err == nil && st.Mode().Perm()&bits != 0 {
		m := st.Mode().Perm()
		return &Error{Kind: ErrStorage, File: path,
			Msg:  fmt.Sprintf("has mode %04o, so other users of this machine may %s it", m, what),
			hint: "run: chmod 600 " + shell.Quote(path)}
	}
	return nil
}
