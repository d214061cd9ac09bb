//go:build cgo

package instance

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
	// ErrBusy is the error of OpenChecked for data that another process changes.
	ErrBusy   = errors.New("another process changes the data of the project")
	errLogged = errors.New("a process that changed the data of the project was killed")
)

// OpenShared opens a project for statements that only read. Other processes can read it at the same time and, see
// package sharing, change it.
func OpenShared(ctx context.Context, dir string, h *Host) (*Instance, error) {
	if _, err := Look(ctx, dir, h.Opts); err != nil {
		return nil, err
	}
	return h.reading(dir, func(in *Instance) error { return in.find(ctx, false) })
}

// OpenWithout opens a project for statements that read no stored table: without its data, which must be there.
func OpenWithout(ctx context.Context, dir string, h *Host) (*Instance, error) {
	if _, err := Look(ctx, dir, h.Opts); err != nil {
		return nil, err
	}
	return h.reading(dir, func(in *Instance) error {
		in.without = true
		return in.Attach("")
	})
}

// reading opens a project for reading; attach attaches its data.
func (h *Host) reading(dir string, attach func(*Instance) error) (_ *Instance, err error) {
	in := h.newInstance(dir)
	in.readOnly, in.Shared = true, true
	defer in.closeAfter(&err)
	if in.tempDir, in.tempDone, err = spillDir(dir); err != nil {
		return nil, err
	}
	if err := in.prepare(); err != nil {
		return nil, err
	}
	if err := attach(in); err != nil {
		return nil, err
	}
	return in, in.harden()
}

// spillDir creates the directory for data that do not fit into memory, elsewhere for a project that has no directory.
func spillDir(dir string) (path string, done func(), err error) {
	if path, done, err = tempfile.MkdirTempIn(dir, SpillName); errors.Is(err, fs.ErrNotExist) {
		return tempfile.MkdirTemp("dig-spill-")
	}
	return path, done, err
}

// find attaches the data file, or a copy of it while a process changes it. A log of a killed process is written into
// the file first, unless recovered is set.
func (in *Instance) find(ctx context.Context, recovered bool) error {
	dir, o := in.dir, in.Opts
	said := o.Waiting == nil
	turns := 0
	for began := time.Now(); ; {
		err := in.readFile(recovered)
		if errors.Is(err, errLogged) {
			if err := recoverLog(ctx, dir, in.Host); err != nil {
				return err
			}
			recovered = true // a log that still exists is only read
			continue
		}
		waited := time.Since(began)
		if errors.Is(err, ErrBusy) && sharing.Replaceable && waited > sharing.PatienceFor(sharing.WriterPatience,
			sizeOf(filepath.Join(dir, sharing.DataFile))) {
			err = in.readSnapshot()
		}
		if !errors.Is(err, ErrBusy) {
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
func (in *Instance) readFile(recovered bool) error {
	path := filepath.Join(in.dir, sharing.DataFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return in.Attach("")
	}
	if err != nil {
		return err
	}
	l := sharing.ReadersLock(in.dir, st)
	if ok, err := l.TryRLock(); !ok {
		_ = l.Close()
		if err == nil || errors.Is(err, fs.ErrNotExist) { // the project was dropped in between
			err = ErrBusy
		}
		return err
	}
	if !recovered && sharing.Logged(in.dir) {
		return errors.Join(errLogged, l.Close())
	}
	if err := in.Attach(path); err != nil {
		_ = l.Close()
		if openedElsewhere(err) {
			err = ErrBusy
		}
		return err
	}
	in.readers, in.file = l, st
	sharing.NameReader(in.tempDir, st)
	if in.Current() {
		return nil
	}
	in.readers, in.file = nil, nil // replaced while it was opened
	return errors.Join(ErrBusy, in.detach(), l.Close())
}

// recoverLog opens the file of a killed process as a writer does, which writes the log into the file.
func recoverLog(ctx context.Context, dir string, h *Host) error {
	in, err := Open(ctx, dir, h)
	if err != nil {
		return err
	}
	return in.Close()
}

// openedElsewhere recognizes DuckDB's refusal of a file that another process has open for writing, or for reading when
// it is to be written.
func openedElsewhere(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Could not set lock on file")
}

// readSnapshot attaches a copy of what is committed.
func (in *Instance) readSnapshot() error {
	path, id, err := in.snapshot(in.dir)
	if err != nil || path == "" {
		return ErrBusy // whatever prevents a copy, such as its removal by the writer, does not prevent waiting
	}
	if err := in.Attach(path); err != nil {
		if _, gone := os.Stat(path); errors.Is(gone, fs.ErrNotExist) {
			err = ErrBusy
		}
		return err
	}
	in.state = id
	return nil
}

// Current reports whether the instance holds what is committed now.
func (in *Instance) Current() bool {
	if in.without {
		return false
	}
	if in.state != "" {
		now, _, err := state(in.dir)
		return err == nil && now == in.state
	}
	st, err := os.Stat(filepath.Join(in.dir, sharing.DataFile))
	if in.file == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(st, in.file)
}
