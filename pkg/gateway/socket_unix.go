//go:build !windows

package gateway

import (
	"errors"
	"net"
	"os"
	"path/filepath"
)

// listenSocket listens on a socket that only the owner can ever connect to, even if others may enter the directory:
// between listening and chmod it would be protected only by the umask, and every client is treated as the owner. So it
// is created in a directory that is closed to others and then moved. The caller holds the lock of the data directory.
func listenSocket(path string) (net.Listener, error) {
	made := filepath.Join(filepath.Dir(path), serveName)
	if err := os.RemoveAll(made); err != nil { // left by a killed process
		return nil, err
	}
	if err := os.Mkdir(made, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(made)
	inner := filepath.Join(made, "owned") // as long as path: the length of a socket's name is limited, also for clients
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: inner, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it would remove the old name
	if err = os.Chmod(inner, 0o600); err == nil {
		err = os.Rename(inner, path) // replaces what a terminated process has left
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
