//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package tempfile

import (
	"io/fs"
	"os"
	"time"
)

// held returns false: there are no such locks on this system, but files that are open cannot be removed.
func held(*os.File) bool { return false }

// OwnedByUser reports whether a file belongs to the user of this process; here the system decides who can use it.
func OwnedByUser(fs.FileInfo) bool { return true }

// Private reports whether only its owner and its group can put files into a directory.
func Private(fs.FileInfo) bool { return true }

// remove keeps files of the last hour: their process may have closed one and be about to rename it.
func remove(path string) {
	if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > time.Hour {
		_ = os.Remove(path)
	}
}

// Commit renames a file of Create to its final name and closes it.
func Commit(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
