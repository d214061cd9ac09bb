package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
)

// copyTries limits how often the state file is read again because another process is writing to it.
const copyTries = 100

// OpenCopy opens a temporary copy of the state of dir, which Close removes. Nothing in dir is changed, neither by
// operations on the copy nor by its migration, and a log left there by a killed process is kept.
func OpenCopy(dir string, now func() time.Time) (*Store, error) {
	if err := checkFile(dir); err != nil {
		return nil, err
	}
	files, err := readState(dir)
	if err != nil {
		return nil, err
	}
	own, err := tempfile.MkdirPlain("dig-state-") // mode 0700
	if err != nil {
		return nil, err
	}
	for name, raw := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(own, name), raw, 0o600))
	}
	var s *Store
	if err == nil {
		s, err = openOf(own, dir, now)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(own))
	}
	s.own = own
	return s, nil
}

// readState reads the state file and its log until two consecutive reads are the same, so that they are consistent.
func readState(dir string) (map[string][]byte, error) {
	var last map[string][]byte
	for range copyTries {
		files := map[string][]byte{}
		for _, name := range []string{"state.db", "state.db-wal"} {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			if err == nil {
				files[name] = raw
			}
		}
		if last != nil && len(last) == len(files) && bytes.Equal(last["state.db"], files["state.db"]) &&
			bytes.Equal(last["state.db-wal"], files["state.db-wal"]) {
			return files, nil
		}
		last = files
	}
	return nil, fmt.Errorf("other processes change %s too often to read it", filepath.Join(dir, "state.db"))
}
