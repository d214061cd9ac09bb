package tempfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces a file atomically: after a crash it has either its previous contents or all of data. Only the user can
// read it.
func Write(path string, data []byte) error {
	return writeSynced(path, data, 0o600)
}

// WriteShared is Write of a file that others may read, as far as the umask of the process lets them.
func WriteShared(path string, data []byte) error {
	return writeSynced(path, data, 0o666)
}

func writeSynced(path string, data []byte, perm fs.FileMode) error {
	if err := write(path, data, perm, (*os.File).Sync); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
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
	return write(path, data, 0o600, func(*os.File) error { return nil })
}

func write(path string, data []byte, perm fs.FileMode, sync func(*os.File) error) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = sync(f)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := Commit(f, path); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return nil
}
