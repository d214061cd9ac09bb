package tempfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Publish gives a complete file a second name, unless a file has that name: then the error is fs.ErrExist. The first
// name is removed.
func Publish(made, path string) error {
	err := os.Link(made, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		if _, err := os.Lstat(path); err == nil {
			return fs.ErrExist
		}
		err = os.Rename(made, path)
	}
	if err != nil {
		return err
	}
	if err := Remove(made); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}
