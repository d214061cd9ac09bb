package localstate

import (
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
)

// leftAfter is how old a lock file must be to be forgotten.
const leftAfter = 24 * time.Hour

// WriteFile replaces a file as a whole: after a crash it holds what it held before or all of data. Its directory is made if it is not
// there; only the user may read either. What killed processes left beside it is removed.
func WriteFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, private); err != nil {
		return err
	}
	tempfile.Sweep(dir)
	return tempfile.Write(path, data)
}
