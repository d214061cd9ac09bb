package cli

import (
	"errors"

	"github.com/dig-cli/dig/pkg/output"
)

// WriteFile replaces a file, or the one that a link leads to, atomically, and keeps its permissions.
func WriteFile(path string, data []byte) error {
	f, err := output.Create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}
