//go:build !windows

package gateway

import (
	"errors"
	"net"
	"os"
	"path/filepath"
)

// listenSocket listens on a socket that nobody but the owner can ever connect to, also where others may enter the directory: between
// listening and a change of its mode the umask alone would guard it, and whoever connects is taken for the owner. So it is made in a
// directory that is closed to others and moved to its place. The caller holds the lock of the data directory.
func listenSocket(path string) (net.Listener, error) {
	made := filepath.Join(filepath.Dir(path), serveName)
	if err := os.RemoveAll(made); err != nil { // left by a process that was killed
		return nil, err
	}
	if err := os.Mkdir(made, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(made)
	inner := filepath.Join(made, "owned") // as long as path: the length of a socket's name is bounded, for those who connect too
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: inner, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // the name it knows is not the one it has
	if err = os.Chmod(inner, 0o600); err == nil {
		err = os.Rename(inner, path) // in place of what a process that is gone has left
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
