//go:build cgo

package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/gofrs/flock"
)

// snapshotDir holds copies of what was committed while a writer had the data file. They never change, and are named
// after the state that they hold; the next process that changes the project removes them.
const snapshotDir = "snapshots"

// headers is the size of the three headers of a data file. The last checkpoint is the state that they point to: DuckDB
// overwrites none of its blocks before it has written a new header.
const headers = 3 * 4096

// state identifies what is committed in a project: the headers and the log. A transaction that has not ended changes
// neither.
func state(dir string) (id string, size int64, err error) {
	f, err := os.Open(filepath.Join(dir, sharing.DataFile))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	if _, err := io.CopyN(h, f, headers); err != nil {
		return "", 0, err
	}
	fmt.Fprintln(h, sharing.FileNumber(st))
	size = st.Size()
	wal, err := os.Stat(filepath.Join(dir, sharing.DataFile+".wal"))
	switch {
	case err == nil:
		fmt.Fprintln(h, sharing.FileNumber(wal), wal.Size(), wal.ModTime().UnixNano())
		size += wal.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), size, nil
}

// snapshot returns the path of a copy of what is committed in a project that another process changes, and its state.
// The path is empty if no copy is possible now. A copy is what a crash would leave, so it is consistent if neither the
// headers nor the log changed meanwhile.
func (h *Host) snapshot(dir string) (path, id string, err error) {
	id, size, err := state(dir)
	if err != nil {
		return "", "", err
	}
	into := filepath.Join(dir, snapshotDir)
	path = filepath.Join(into, id+".duckdb")
	if there, err := Exists(path); err != nil || there {
		return path, id, err
	}
	if !sharing.RoomFor(dir, size) {
		return "", "", nil
	}
	if err := os.Mkdir(into, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", "", err
	}
	l := flock.New(filepath.Join(into, "making"), flock.SetPermissions(0o600))
	defer l.Close()
	if ok, err := l.TryLock(); !ok || err != nil {
		return "", "", err
	}
	if there, err := Exists(path); err != nil || there {
		return path, id, err
	}
	work, err := os.MkdirTemp(into, "new-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, sharing.DataFile)
	if err := sharing.CopyFile(made, filepath.Join(dir, sharing.DataFile), 0o600); err != nil {
		return "", "", err
	}
	if sharing.Logged(dir) {
		if err := sharing.CopyFile(made+".wal", filepath.Join(dir, sharing.DataFile+".wal"), 0o600); err != nil {
			return "", "", err
		}
	}
	if now, _, err := state(dir); err != nil || now != id {
		return "", "", err
	}
	if there, err := Exists(made + ".wal"); err != nil {
		return "", "", err
	} else if there {
		if err := h.settle(made, work); err != nil {
			return "", "", err
		}
	}
	if err := os.Rename(made, path); err != nil {
		return "", "", err
	}
	return path, id, nil
}

// settle writes the log of a file into the file. Nobody else may have it open.
func (h *Host) settle(path, temp string) error {
	in := &Instance{dir: filepath.Dir(path), Host: h, tempDir: filepath.Join(temp, "tmp")}
	if err := in.start(); err != nil {
		return err
	}
	defer bindings.Close(&in.db)
	err := in.With(func(c bindings.Connection) error {
		if err := RawExec(c, `ATTACH `+sqltext.Literal(path)+` AS `+sqltext.Quote(naming.Store)); err != nil {
			return err
		}
		if err := checkpoint(c, func() bool { return sharing.Logged(in.dir) }); err != nil {
			return err
		}
		return RawExec(c, `DETACH `+sqltext.Quote(naming.Store))
	})
	if err != nil {
		return err
	}
	if there, err := Exists(path + ".wal"); err != nil || there {
		return errors.Join(errors.New("the engine has left a log"), err)
	}
	return nil
}
