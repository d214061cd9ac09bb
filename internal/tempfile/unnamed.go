package tempfile

import (
	"errors"
	"os"
)

// Unnamed is a temporary file without a name, so that nothing remains of it when its process is killed. Where the
// system does not allow that, it has a name until Close.
type Unnamed struct {
	*os.File
	named bool
}

// CreateUnnamed creates an unnamed file in a directory, "" for the default directory of temporary files; pattern is
// that of os.CreateTemp.
func CreateUnnamed(dir, pattern string) (*Unnamed, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, dirError(dir, err)
	}
	return &Unnamed{f, os.Remove(f.Name()) != nil}, nil
}

// Close closes the file and removes its name.
func (u *Unnamed) Close() error {
	err := u.File.Close()
	if u.named {
		err = errors.Join(err, Remove(u.Name()))
	}
	return err
}
