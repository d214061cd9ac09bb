package check

import (
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/pkg/config"
)

// writable reports whether a directory, or the one in which it would be created, can be written. One that cannot be examined counts as
// writable: that is reported elsewhere.
func writable(dir string) bool {
	for {
		_, err := os.Stat(dir)
		up := filepath.Dir(dir)
		if err == nil || up == dir || !os.IsNotExist(err) {
			return mayWrite(dir)
		}
		dir = up
	}
}

// rename looks for a rename of a profile that a killed process has begun.
func (d *doctor) rename(dir string) {
	st, err := config.OpenStore(dir, d.e.Getenv)
	if err != nil {
		return // reported by configuration
	}
	switch old, name, err := st.PendingRename(); {
	case err != nil:
		d.add("locks", statusWarning, "", "%v", err)
	case old != "":
		d.add("locks", statusWarning, "the next change of the settings removes it, such as `dig profile use`", "a rename of profile %s to %s was killed, and may have left a copy of its key", old, name)
	}
}
