//go:build unix

package tempfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir makes a new name durable: a file that was synced and renamed could lose it in a power cut. File systems that cannot sync a
// directory are left alone.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // the name is in place; an unreadable directory only costs durability
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
