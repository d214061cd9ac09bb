//go:build unix

package tempfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir makes a rename durable: without it, a file that was synced and renamed could lose its name in a power
// failure. Errors of file systems that cannot sync a directory are ignored.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // the file has been renamed; an unreadable directory affects only durability
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
