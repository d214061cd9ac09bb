//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

var (
	errBusy   = errors.New("another process changes the data of the project")
	errLogged = errors.New("a process that changed the data of the project was killed")
)

// openShared opens a project for statements that only read. Other processes can read it at the same time and, see holders.go, change it.
func openShared(ctx context.Context, dir string, o *engine.Options, w *memoryWatch) (*instance, error) {
	if o.Waiting != nil {
		said := safely.AfterFunc(lockSaid, func() { o.Waiting(holderOf(filepath.Join(dir, "holder"))) })
		defer said.Stop()
	}
	recovered := false
	for began := time.Now(); ; {
		in, err := readFile(ctx, dir, o, w, recovered)
		if !errors.Is(err, errBusy) && !errors.Is(err, errLogged) {
			return in, err
		}
		if errors.Is(err, errLogged) {
			if err := recoverLog(ctx, dir, o, w); err != nil {
				return nil, err
			}
			recovered = true // or else the log can only be read
			continue
		}
		waited := time.Since(began)
		if waited > writerPatience && replaceable {
			in, err = readSnapshot(dir, o, w)
			if !errors.Is(err, errBusy) {
				return in, err
			}
		}
		if waited > o.LockWait {
			return nil, lockedError(holderOf(filepath.Join(dir, "holder")), o)
		}
		select {
		case <-time.After(holdPoll):
		case <-ctx.Done():
			return nil, ctxError(ctx, nil)
		}
	}
}

// readFile opens the data file, unless a process changes it.
func readFile(ctx context.Context, dir string, o *engine.Options, w *memoryWatch, recovered bool) (*instance, error) {
	path := filepath.Join(dir, dataFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newShared(dir, "", o, w)
	}
	if err != nil {
		return nil, err
	}
	l := readersLock(dir, st)
	if ok, err := l.TryRLock(); !ok {
		_ = l.Close()
		if err == nil || errors.Is(err, fs.ErrNotExist) { // the project was dropped in between
			err = errBusy
		}
		return nil, err
	}
	if !recovered && logged(dir) {
		_ = l.Close()
		return nil, errLogged
	}
	in, err := newShared(dir, path, o, w)
	if err != nil {
		_ = l.Close()
		if openedElsewhere(err) {
			err = errBusy
		}
		return nil, err
	}
	in.readers, in.file = l, st
	if !in.current(dir) { // replaced while it was opened
		return nil, errors.Join(errBusy, in.close())
	}
	return in, nil
}

// recoverLog opens the file of a process that was killed like a writer, which writes its log into it.
func recoverLog(ctx context.Context, dir string, o *engine.Options, w *memoryWatch) error {
	in, err := openInstance(ctx, dir, o, w)
	if err != nil {
		return err
	}
	return in.close()
}

// openedElsewhere recognizes DuckDB's refusal of a file that another process has open for writing, or for reading when it is to be written.
func openedElsewhere(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Could not set lock on file")
}

// readSnapshot opens a copy of what is committed.
func readSnapshot(dir string, o *engine.Options, w *memoryWatch) (*instance, error) {
	path, id, err := snapshot(dir, o)
	if err == nil && path != "" {
		in, err := newShared(dir, path, o, w)
		if err == nil {
			in.state = id
			return in, nil
		}
		if _, gone := os.Stat(path); !errors.Is(gone, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, errBusy // whatever prevents a copy, such as its removal by the writer, does not prevent waiting
}

// newShared opens a file for reading; without a name, an empty one in memory.
func newShared(dir, path string, o *engine.Options, w *memoryWatch) (*instance, error) {
	temp, done, err := tempfile.MkdirTempIn(dir, "spill-")
	if err != nil && path == "" {
		temp, done, err = tempfile.MkdirTemp("dig-spill-")
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errBusy
	}
	if err != nil {
		return nil, err
	}
	in := &instance{conns: map[*conn]struct{}{}, tempDir: temp, tempDone: done, memory: w, readOnly: true, shared: true}
	w.instances.Add(1)
	if err := in.open(dir, path, o); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return in, nil
}

// current reports whether the instance holds what is committed now.
func (in *instance) current(dir string) bool {
	if in.state != "" {
		now, _, err := state(dir)
		return err == nil && now == in.state
	}
	st, err := os.Stat(filepath.Join(dir, dataFile))
	if in.file == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(st, in.file)
}
