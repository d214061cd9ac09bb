//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package tempfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// held locks an open file and reports whether another process has locked it. For a file system without locks it returns
// true.
func held(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return true
	}
	locked := false
	err = raw.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) == nil })
	return err != nil || !locked
}

// OwnedByUser reports whether a file belongs to the user of this process.
func OwnedByUser(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}

// Private reports whether only its owner and its group can put files into a directory, or replace those of others.
func Private(st fs.FileInfo) bool { return st.Mode().Perm()&0o002 == 0 || st.Mode()&fs.ModeSticky != 0 }

// remove removes a file unless a process has locked it.
func remove(path string) {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || !OwnedByUser(st) {
		return
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if own(f) {
		_ = os.Remove(path)
	}
}

// Commit renames a file of Create to its final name and closes it. The lock is held until then.
func Commit(f *os.File, path string) error {
	return errors.Join(os.Rename(f.Name(), path), f.Close())
}
