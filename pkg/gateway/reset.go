package gateway

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Reset removes all state and rows of a data directory. It refuses while a gateway serves it, and a directory that holds
// anything dig did not make.
func Reset(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	ours := map[string]bool{"state.db": true, "state.db-wal": true, "state.db-shm": true, "projects": true, socketName: true, lockName: true, "exports": true, "runners": true, "secret.key": true}
	for _, e := range entries {
		if !ours[e.Name()] {
			return fmt.Errorf("%s holds %s, which dig did not make; nothing was deleted", dir, e.Name())
		}
	}
	lock := flock.New(filepath.Join(dir, lockName))
	ok, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !ok {
		return ErrServing
	}
	defer lock.Unlock()
	for _, e := range entries {
		if e.Name() != lockName {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
