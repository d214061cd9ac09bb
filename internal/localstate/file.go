package localstate

import (
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
)

// leftAfter is the age from which a lock file is stale.
const leftAfter = 24 * time.Hour

// WriteFile replaces a file atomically: after a crash it has either its previous contents or all of data. Its directory
// is created if necessary; only the user can read either. Files left next to it by killed processes are removed.
func WriteFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, private); err != nil {
		return err
	}
	tempfile.Sweep(dir)
	return tempfile.Write(path, data)
}
