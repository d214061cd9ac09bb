package localstate

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
)

// leftAfter is how old a lock file must be to be forgotten.
const leftAfter = 24 * time.Hour

// WriteFile replaces a file as a whole: after a crash it holds what it held before or all of data. Its directory is made if it is not
// there; only the user may read either. What killed processes left beside it is removed.
func WriteFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, private); err != nil {
		return err
	}
	tempfile.Sweep(dir)
	f, err := tempfile.Create(path, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err := tempfile.Commit(f, path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(dir)
}

// syncDir makes a renaming durable. Windows has no such call for directories.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
