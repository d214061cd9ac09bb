package tempfile

import (
	"fmt"
	"os"
)

// DirError is the error for temporary files if their default directory cannot be used.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string {
	if _, err := os.Stat(e.Dir); err != nil {
		return fmt.Sprintf("there is no directory %s for temporary files", e.Dir)
	}
	return fmt.Sprintf("temporary files cannot be created in %s: %v", e.Dir, e.Err)
}

func (e *DirError) Unwrap() error { return e.Err }

// dirError names the default directory in an error about it; dir is "" or its path.
func dirError(dir string, err error) error {
	if dir != "" && dir != os.TempDir() {
		return err
	}
	return &DirError{os.TempDir(), err}
}

// MkdirPlain is os.MkdirTemp in the default directory.
func MkdirPlain(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", dirError("", err)
	}
	return dir, nil
}
