package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dustin/go-humanize"
)

// files checks who may read and change the files of dig.
func (d *doctor) files(s *config.Settings) {
	type place struct {
		dir   func(func(string) string) (string, error)
		names map[string]fs.FileMode // files and the bits of their mode that must not be set
		low   int64
	}
	checked, bad := 0, 0
	for _, p := range []place{
		{config.ConfigDir, map[string]fs.FileMode{"config.yaml": 0o022, "credentials.yaml": 0o077}, 0},
		{config.DataDir, map[string]fs.FileMode{"state.db": 0o077}, lowSpace},
		{config.StateDir, nil, 0}, {config.CacheDir, nil, 0},
	} {
		dir, err := p.dir(d.e.Getenv)
		if err != nil {
			d.add("files", statusFailed, "set HOME, or the DIG_ variables of the directories", "%v", err)
			bad++
			continue
		}
		if d.room(dir, p.low) {
			bad++
		}
		names := map[string]fs.FileMode{dir: 0o022}
		for name, bits := range p.names {
			names[filepath.Join(dir, name)] = bits
		}
		for path, bits := range names {
			st, err := os.Stat(path)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // that is reported by room
			case err != nil:
				d.add("files", statusFailed, "dig needs to read it", "%v", err)
				bad++
			case runtime.GOOS != "windows" && st.Mode().Perm()&bits != 0:
				verb := "change"
				if bits == 0o077 {
					verb = "read"
				}
				d.add("files", statusFailed, "run: chmod go-rwx "+path,
					"%s has mode %04o, so other users of this machine may %s it", path, st.Mode().Perm(), verb)
				bad++
			default:
				checked++
			}
		}
	}
	switch {
	case bad == 0 && checked == 0:
		d.ok("files", "nothing is stored yet")
	case bad == 0:
		d.ok("files", "%d files and directories, which only you can change", checked)
	}
}

// existing returns a directory, or the one in which it would be created.
func existing(dir string) string {
	for {
		_, err := os.Stat(dir)
		up := filepath.Dir(dir)
		if err == nil || up == dir || !os.IsNotExist(err) {
			return dir
		}
		dir = up
	}
}

// writable reports whether a directory, or the one in which it would be created, can be written. One that cannot be
// examined counts as writable: that is reported elsewhere.
func writable(dir string) bool { return mayWrite(existing(dir)) }

const (
	probeSize = 64 << 10  // bytes that are written to a directory to see whether that is possible
	lowSpace  = 256 << 20 // free bytes for zone local: a query that needs more than the memory fails soon
)

// room checks that a directory of dig exists or can be created, can be written and has free space. It reports whether
// there is a problem.
func (d *doctor) room(dir string, low int64) bool {
	const hint = "set the DIG_ variable of this directory to another one"
	unfit := func(hint, format string, args ...any) bool {
		d.add("files", statusFailed, hint, format, args...)
		d.unfit[dir] = true
		return true
	}
	up := existing(dir)
	switch st, err := os.Stat(up); {
	case err != nil:
		return unfit(hint, "%s cannot be used: %v", dir, cause(err))
	case !st.IsDir():
		return unfit(hint, "%s cannot be created: %s is not a directory", dir, up)
	case !writable(dir):
		return unfit("make it writable, or "+hint, "%s cannot be written", dir)
	case d.e.DryRun():
		return false
	}
	if err := probe(up); errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return unfit("free some space, or "+hint, "the disk of %s is full", dir)
	} else if err != nil {
		return unfit("make it writable, or "+hint, "%s cannot be written: %v", dir, cause(err))
	}
	if free, ok := tempfile.FreeSpace(up); ok && free < low {
		d.add("files", statusWarning, "free some space, or "+hint, "only %s are free on the disk of %s",
			humanize.IBytes(uint64(free)), dir)
		return true
	}
	return false
}

// cause returns the reason of an error of a file, without the name of the file.
func cause(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// probe writes to a temporary file in a directory, and removes the file.
func probe(dir string) error {
	f, err := tempfile.CreateUnnamed(dir, ".dig-doctor-*.partial")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeSize))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// rename finds a rename of a profile that a killed process has not completed.
func (d *doctor) rename(dir string) {
	st, err := config.OpenStore(dir, d.e.Getenv)
	if err != nil {
		return // reported by configuration
	}
	switch old, name, err := st.PendingRename(); {
	case err != nil:
		d.add("locks", statusWarning,
			"remove the file if it cannot be read, and the key that a killed rename of a profile may have left", "%v",
			err)
	case old != "":
		d.add("locks", statusWarning, "the next change of the settings removes it, such as `dig profile use`",
			"a rename of profile %s to %s was killed, and may have left a copy of its key", old, name)
	}
}
