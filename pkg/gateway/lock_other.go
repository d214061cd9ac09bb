//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package gateway

import (
	"io"
	"os"

	"github.com/gofrs/flock"
)

// lockServing locks a served data directory.
func lockServing(path string) (io.Closer, *os.File, error) {
	l := flock.New(path)
	ok, err := l.TryLock()
	if err == nil && !ok {
		err = ErrServing
	}
	return l, nil, err
}
