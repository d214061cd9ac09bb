// Package tempfile creates files and directories for incomplete data, and finds those of terminated processes.
package tempfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	end    = ".partial"
	length = 10 // random part of a name
)

// Create creates a file next to path, with a name that starts with a dot and ends in .partial. It is locked as long as
// it is open, so that other processes know that it is in use and Sweep keeps it. When complete, it is renamed to path.
func Create(path string, perm fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:length]+end)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err != nil {
			return nil, err
		}
		if own(f) || try == 10 {
			return f, nil
		}
		_ = f.Close() // another process considered the new file stale
	}
}

// own locks a new file and reports whether it still exists.
func own(f *os.File) bool {
	if held(f) {
		return false
	}
	there, err := os.Lstat(f.Name())
	if err != nil {
		return false
	}
	st, err := f.Stat()
	return err == nil && os.SameFile(there, st)
}

// Is reports whether a file name is one that Create uses.
func Is(name string) bool {
	rest, ok := strings.CutSuffix(name, end)
	if !ok || len(rest) < length+3 || rest[0] != '.' || rest[len(rest)-length-1] != '.' {
		return false
	}
	return strings.Trim(rest[len(rest)-length:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// Sweep removes files of Create whose processes have terminated from a directory. It never fails: files in an unknown
// state are kept.
func Sweep(dir string) { sweepOf(dir, "") }

// SweepOf is Sweep for the files that were created for path.
func SweepOf(path string) { sweepOf(filepath.Dir(path), "."+filepath.Base(path)+".") }

func sweepOf(dir, prefix string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(1024)
		for _, name := range names {
			if Is(name) && strings.HasPrefix(name, prefix) {
				remove(filepath.Join(dir, name))
			}
		}
		if err != nil {
			return
		}
	}
}

// dirOwner is the file in a directory of MkdirTemp that its process keeps locked.
const dirOwner = "owner"

// MkdirTemp creates a directory for temporary files and removes directories with the same prefix whose processes have
// terminated. done removes it.
func MkdirTemp(prefix string) (dir string, done func(), err error) {
	return MkdirTempIn(os.TempDir(), prefix)
}

// MkdirTempIn is MkdirTemp in a given directory.
func MkdirTempIn(parent, prefix string) (dir string, done func(), err error) {
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, name := range left {
		SweepDir(name)
	}
	for try := 0; ; try++ {
		if dir, err = os.MkdirTemp(parent, prefix+"*"); err != nil {
			return "", nil, dirError(parent, err)
		}
		f, err := os.OpenFile(filepath.Join(dir, dirOwner), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrNotExist) && try < 10 {
			continue // another process considered the new directory stale, and removed it
		}
		if err != nil {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
		if beforeOwned != nil {
			beforeOwned(dir)
		}
		if own(f) || try == 10 {
			return dir, func() { _ = f.Close(); _ = os.RemoveAll(dir) }, nil
		}
		_ = f.Close() // another process considered the new directory stale, and removes it
		_ = os.RemoveAll(dir)
	}
}

// beforeOwned is called by tests when a directory has its owner and is not locked yet.
var beforeOwned func(dir string)

// SweepDir removes a directory of MkdirTemp if its process has terminated.
func SweepDir(dir string) {
	st, err := os.Lstat(dir)
	if err != nil || !st.IsDir() || !OwnedByUser(st) {
		return
	}
	f, err := os.OpenFile(filepath.Join(dir, dirOwner), os.O_RDWR, 0)
	if err != nil {
		// Its process is about to create that file, or terminated before it did.
		switch age := time.Since(st.ModTime()); {
		case !errors.Is(err, fs.ErrNotExist):
		case age > time.Hour:
			_ = os.RemoveAll(dir)
		case age > time.Minute:
			_ = os.Remove(dir) // if it is empty
		}
		return
	}
	defer f.Close()
	if !held(f) {
		_ = os.RemoveAll(dir)
	}
}
