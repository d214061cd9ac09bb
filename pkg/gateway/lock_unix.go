//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package gateway

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockServing locks a served data directory, which other processes lock with package flock. The file can be passed to
// another process, which then holds the lock as well.
func lockServing(path string) (io.Closer, *os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return f, f, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrServing
	}
	return nil, nil, errors.Join(err, f.Close())
}
