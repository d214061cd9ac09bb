package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/backups"
	"github.com/dig-cli/dig/pkg/gateway/sources"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/tables"
	"github.com/gofrs/flock"
)

// A reset moves everything into resetName, which is quick, renames that to removedName, and removes it, which may take
// long. If a process is killed before the second step, the next opening finishes the reset; after it the directory is
// new, and the remaining files are only garbage.

const (
	resetName   = ".reset"
	removedName = ".removed"
	serveName   = ".serve" // directory in which a socket is created
)

// ours reports whether a name in a data directory is one of dig's.
func ours(name string) bool {
	switch name {
	case "state.db", "state.db-wal", "state.db-shm", "state.db-journal", "projects", "exports", "runners",
		"secret.key", engineFile,
		sources.NotesName, store.PlaceName,
		socketName, lockName, resetName, removedName, serveName, restoringName, restoredName, placingName:
		return true
	}
	return strings.HasPrefix(name, sources.VaultTemp) || strings.HasPrefix(name, backups.TempPrefix) ||
		strings.HasPrefix(name, tables.AsideTemp) || tempfile.Is(name)
}

// CheckReset reports whether Reset would proceed, and changes nothing.
func CheckReset(dir string) error {
	if err := unserved(dir); err != nil {
		return err
	}
	if _, err := resettable(dir); err != nil {
		return err
	}
	return unused(dir)
}

// resettable lists what Reset removes.
func resettable(dir string) ([]os.DirEntry, error) {
	if err := Elsewhere(dir); err != nil { // rows of another engine would stay, and belong to the next gateway there
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !ours(e.Name()) {
			return nil, fmt.Errorf("%s contains %s, %w", dir, e.Name(), ErrOthersFiles)
		}
	}
	return entries, nil
}

// Reset removes all state and rows of a data directory. It fails while a process uses the directory, and if it contains
// anything that dig did not create.
func Reset(dir string) error {
	entries, err := resettable(dir)
	if err != nil || entries == nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	ok, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !ok {
		return ErrServing
	}
	defer lock.Unlock()
	if err := unused(dir); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, resetName), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return finishReset(dir)
}

// ErrInUse is the error of a data directory that another process uses.
var ErrInUse = errors.New("another dig process uses this data directory")

// unused fails if another process has a project open or does background work.
func unused(dir string) error {
	locks, err := filepath.Glob(filepath.Join(dir, "projects", "*", "lock"))
	if err != nil {
		return err
	}
	readers, err := filepath.Glob(filepath.Join(dir, "projects", "*", "readers.*"))
	if err != nil {
		return err
	}
	running, err := filepath.Glob(filepath.Join(dir, "runners", "*"))
	if err != nil {
		return err
	}
	for _, path := range slices.Concat(locks, readers, running) {
		l := flock.New(path)
		ok, err := l.TryLock()
		if err != nil {
			return err
		}
		if !ok {
			return ErrInUse
		}
		if err := l.Unlock(); err != nil {
			return err
		}
	}
	return nil
}

// finishReset continues a reset that was started. The caller holds the lock of the data directory.
func finishReset(dir string) error {
	into, removed := filepath.Join(dir, resetName), filepath.Join(dir, removedName)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case resetName, removedName, lockName:
			continue
		}
		to := filepath.Join(into, e.Name())
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(dir, e.Name()), to); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(removed); err != nil {
		return err
	}
	if err := os.Rename(into, removed); err != nil {
		return err
	}
	return os.RemoveAll(removed)
}

// recoverDir finishes an interrupted reset and removes what terminated processes have left in a data directory.
func recoverDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == resetName, name == restoredName, name == placingName:
			if err := recoverEither(dir); err != nil {
				return fmt.Errorf("a reset or a restore of %s was interrupted and cannot be finished: %w", dir, err)
			}
		case strings.HasPrefix(name, backups.TempPrefix):
			tempfile.SweepDir(filepath.Join(dir, name))
		case name == restoringName:
			dropUnfinished(dir)
		case name == removedName:
			_ = os.RemoveAll(filepath.Join(dir, name))
			// live processes keep them only briefly
		case strings.HasPrefix(name, sources.VaultTemp), strings.HasPrefix(name, tables.AsideTemp), tempfile.Is(name):
			if st, err := e.Info(); err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > time.Hour {
				_ = os.Remove(filepath.Join(dir, name))
			}
		}
	}
	return nil
}

// recoverEither finishes a reset or a restore.
func recoverEither(dir string) error {
	lock := flock.New(filepath.Join(dir, lockName))
	// of one in progress: it moves files and then releases the lock
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	return finish(dir)
}

// finish finishes an interrupted reset or restore, if there is one. The caller holds the lock of the data directory.
func finish(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, resetName)); err == nil {
		if err := finishReset(dir); err != nil {
			return err
		}
	}
	return finishRestore(dir)
}

// dropUnfinished removes what a killed restore has unpacked, unless one is in progress.
func dropUnfinished(dir string) {
	lock := flock.New(filepath.Join(dir, lockName))
	if ok, err := lock.TryLock(); !ok || err != nil {
		return
	}
	defer lock.Unlock()
	_ = os.RemoveAll(filepath.Join(dir, restoringName))
}
