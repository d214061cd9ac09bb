//go:build unix

package output

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a rename durable. File systems that cannot sync a directory are left alone.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // the file is in place; an unreadable directory only costs durability
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
