//go:build unix

package check

import (
	"errors"

	"golang.org/x/sys/unix"
)

// mayWrite asks the system whether a directory can be written. The system considers modes, owners, access control lists
// and read-only file systems.
func mayWrite(dir string) bool {
	err := unix.Access(dir, unix.W_OK|unix.X_OK)
	return err == nil || !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EROFS)
}
