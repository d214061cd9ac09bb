//go:build unix

package gateway

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a new name durable: a file that was synced and renamed could lose it in a power cut. File systems that cannot sync a
// directory are left alone.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
