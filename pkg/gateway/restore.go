package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/backups"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"github.com/gofrs/flock"
)

// A restore fills restoringName. When that is complete and on the disk it is renamed to restoredName, which is the
// moment from which the restore counts: what the directory had is moved to removedName, restoredName is renamed to
// placingName, and its files get their places. If a process is killed after that moment, the next opening finishes the
// restore; before it, nothing was changed. All of it is within the data directory, which may be the root of a disk.

const (
	restoringName = ".restoring"
	restoredName  = ".restored"
	placingName   = ".placing"
)

// ErrHasData is the error of a restore into a data directory that is not empty.
var ErrHasData = errors.New("the data directory is not empty")

// ErrOthersFiles is the error of a data directory with files of others.
var ErrOthersFiles = errors.New("which dig did not create; nothing was deleted")

// Restore puts files into a data directory that no process uses, all or none. fill writes them to a directory that is
// within it. A directory that has data is ErrHasData, unless replace is set.
func Restore(dir string, replace bool, fill func(into string) error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !ok {
		return ErrServing
	}
	defer lock.Unlock()
	if err := finish(dir); err != nil {
		return err
	}
	if err := restorable(dir, replace); err != nil {
		return err
	}
	into := filepath.Join(dir, restoringName)
	if err := os.RemoveAll(into); err != nil {
		return err
	}
	if err := os.Mkdir(into, 0o700); err != nil {
		return err
	}
	err = fill(into)
	if err == nil { // another process may have begun to use the directory
		err = restorable(dir, replace)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(into))
	}
	if err := tempfile.SyncDir(into); err != nil {
		return err
	}
	if err := os.Rename(into, filepath.Join(dir, restoredName)); err != nil {
		return err
	}
	if err := tempfile.SyncDir(dir); err != nil {
		return err
	}
	return finishRestore(dir)
}

// CheckRestore reports whether Restore would proceed, and changes nothing.
func CheckRestore(dir string, replace bool) error {
	if err := unserved(dir); err != nil {
		return err
	}
	return restorable(dir, replace)
}

func restorable(dir string, replace bool) error {
	entries, err := resettable(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !replace && !passing(e.Name()) {
			return fmt.Errorf("%w: %s has %s", ErrHasData, dir, e.Name())
		}
	}
	return unused(dir)
}

// passing reports whether a name is one of what may be in a data directory that is empty.
func passing(name string) bool {
	switch name {
	case lockName, socketName, serveName, removedName, restoringName:
		return true
	}
	return tempfile.Is(name) || strings.HasPrefix(name, backups.TempPrefix)
}

// finishRestore continues a restore from the moment from which it counts. The caller holds the lock of the directory.
func finishRestore(dir string) error {
	restored, placing := filepath.Join(dir, restoredName), filepath.Join(dir, placingName)
	switch _, err := os.Lstat(restored); {
	case err == nil:
		if err := moveAway(dir); err != nil {
			return err
		}
		if err := os.Rename(restored, placing); err != nil {
			return err
		}
		if err := tempfile.SyncDir(dir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := os.ReadDir(placing)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(placing, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if err := tempfile.SyncDir(dir); err != nil {
		return err
	}
	return errors.Join(os.Remove(placing), os.RemoveAll(filepath.Join(dir, removedName)))
}

// moveAway moves what a data directory has to removedName.
func moveAway(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	removed := filepath.Join(dir, removedName)
	if err := os.Mkdir(removed, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case lockName, removedName, restoredName:
			continue
		}
		to := filepath.Join(removed, e.Name())
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(dir, e.Name()), to); err != nil {
			return err
		}
	}
	return nil
}

// interrupted reports whether a data directory has a reset or a restore that counts and is not finished.
func interrupted(dir string) bool {
	for _, name := range []string{resetName, restoredName, placingName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// finished fails for a data directory that is opened for reading only while its files are not all in their places.
func finished(dir string) error {
	if !interrupted(dir) {
		return nil
	}
	const remedy = "any other command of zone local finishes it, such as `dig project list`"
	return damage.New(nil, remedy, "a reset or a restore of the data directory %s was "+
		"interrupted", dir)
}
