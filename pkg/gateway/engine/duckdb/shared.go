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

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

var (
	errBusy   = errors.New("another process changes the data of the project")
	errLogged = errors.New("a process that changed the data of the project was killed")
)

// openShared opens a project for statements that only read. Other processes can read it at the same time and, see
// holders.go, change it.
func openShared(ctx context.Context, dir string, o *engine.Options, w *memoryWatch) (_ *instance, err error) {
	if _, err := look(ctx, dir, o); err != nil {
		return nil, err
	}
	in := &instance{conns: map[*conn]struct{}{}, memory: w, readOnly: true, shared: true}
	w.instances.Add(1)
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	if in.tempDir, in.tempDone, err = spillDir(dir); err != nil {
		return nil, err
	}
	if err := in.prepare(o); err != nil {
		return nil, err
	}
	if err := in.find(ctx, dir, o, false); err != nil {
		return nil, err
	}
	return in, in.harden(dir, o)
}

// spillDir creates the directory for data that do not fit into memory, elsewhere for a project that has no directory.
func spillDir(dir string) (path string, done func(), err error) {
	if path, done, err = tempfile.MkdirTempIn(dir, spillName); errors.Is(err, fs.ErrNotExist) {
		return tempfile.MkdirTemp("dig-spill-")
	}
	return path, done, err
}

// find attaches the data file, or a copy of it while a process changes it. A log of a killed process is written into
// the file first, unless recovered is set.
func (in *instance) find(ctx context.Context, dir string, o *engine.Options, recovered bool) error {
	said := o.Waiting == nil
	turns := 0
	for began := time.Now(); ; {
		err := in.readFile(dir, recovered)
		if errors.Is(err, errLogged) {
			if err := recoverLog(ctx, dir, o, in.memory); err != nil {
				return err
			}
			recovered = true // a log that still exists is only read
			continue
		}
		waited := time.Since(began)
		if errors.Is(err, errBusy) && sharing.Replaceable && waited > sharing.PatienceFor(sharing.WriterPatience,
			sizeOf(filepath.Join(dir, sharing.DataFile))) {
			err = in.readSnapshot(dir, o)
		}
		if !errors.Is(err, errBusy) {
			return err
		}
		if !said && waited > sharing.AnnouncedAfter {
			said = true
			o.Waiting(sharing.HolderOf(filepath.Join(dir, "holder")))
		}
		if waited > o.LockWait {
			return sharing.LockedError(sharing.HolderOf(filepath.Join(dir, "holder")), o)
		}
		if turns++; turns == 1 {
			defer o.HasWaited(began)
		}
		if retry.Sleep(ctx, sharing.Poll) != nil {
			return engine.Ended(ctx, nil)
		}
	}
}

func sizeOf(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}

// readFile attaches the data file, unless a process changes it.
func (in *instance) readFile(dir string, recovered bool) error {
	path := filepath.Join(dir, sharing.DataFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return in.attach("")
	}
	if err != nil {
		return err
	}
	l := sharing.ReadersLock(dir, st)
	if ok, err := l.TryRLock(); !ok {
		_ = l.Close()
		if err == nil || errors.Is(err, fs.ErrNotExist) { // the project was dropped in between
			err = errBusy
		}
		return err
	}
	if !recovered && sharing.Logged(dir) {
		return errors.Join(errLogged, l.Close())
	}
	if err := in.attach(path); err != nil {
		_ = l.Close()
		if openedElsewhere(err) {
			err = errBusy
		}
		return err
	}
	in.readers, in.file = l, st
	sharing.NameReader(in.tempDir, st)
	if in.current(dir) {
		return nil
	}
	in.readers, in.file = nil, nil // replaced while it was opened
	return errors.Join(errBusy, in.detach(), l.Close())
}

// recoverLog opens the file of a killed process as a writer does, which writes the log into the file.
func recoverLog(ctx context.Context, dir string, o *engine.Options, w *memoryWatch) error {
	in, err := openInstance(ctx, dir, o, w)
	if err != nil {
		return err
	}
	return in.close()
}

// openedElsewhere recognizes DuckDB's refusal of a file that another process has open for writing, or for reading when
// it is to be written.
func openedElsewhere(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Could not set lock on file")
}

// readSnapshot attaches a copy of what is committed.
func (in *instance) readSnapshot(dir string, o *engine.Options) error {
	path, id, err := snapshot(dir, o)
	if err != nil || path == "" {
		return errBusy // whatever prevents a copy, such as its removal by the writer, does not prevent waiting
	}
	if err := in.attach(path); err != nil {
		if _, gone := os.Stat(path); errors.Is(gone, fs.ErrNotExist) {
			err = errBusy
		}
		return err
	}
	in.state = id
	return nil
}

// current reports whether the instance holds what is committed now.
func (in *instance) current(dir string) bool {
	if in.state != "" {
		now, _, err := state(dir)
		return err == nil && now == in.state
	}
	st, err := os.Stat(filepath.Join(dir, sharing.DataFile))
	if in.file == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(st, in.file)
}
