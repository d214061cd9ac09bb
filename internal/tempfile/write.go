package tempfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// Write replaces a file atomically: after a crash it has either its previous contents or all of data. Only the user can
// read it.
func Write(path string, data []byte) error {
	if err := write(path, data, 0o600, (*os.File).Sync, Commit); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// WriteNew is Write of a file that does not exist: if there is one, it stays, and the error is fs.ErrExist. Of several
// processes one writes.
func WriteNew(path string, data []byte) error {
	return write(path, data, 0o600, (*os.File).Sync, func(f *os.File, path string) error {
		return errors.Join(f.Close(), Publish(f.Name(), path))
	})
}

// atOnce is the number of files that WriteAll writes at once: most of the time is spent waiting for the disk.
const atOnce = 16

// WriteAll is Write of many files, in any order, which others may read as far as the umask of the process lets them.
func WriteAll(paths []string, data func(path string) []byte) error {
	var all errgroup.Group
	all.SetLimit(atOnce)
	folders := map[string]bool{}
	for _, path := range paths {
		folders[filepath.Dir(path)] = true
		all.Go(func() error { return write(path, data(path), 0o666, (*os.File).Sync, Commit) })
	}
	err := all.Wait()
	for dir := range folders {
		err = errors.Join(err, SyncDir(dir))
	}
	return err
}

// Remove removes a file. A missing file is not an error.
func Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WriteCache is Write without waiting for the disk, for reproducible data: after a power failure the file may be empty.
func WriteCache(path string, data []byte) error {
	return write(path, data, 0o600, func(*os.File) error { return nil }, Commit)
}

func write(path string, data []byte, perm fs.FileMode, settle func(*os.File) error,
	commit func(*os.File, string) error) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = settle(f)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := commit(f, path); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return nil
}
