//go:build linux || darwin

package spool

import "golang.org/x/sys/unix"

// freeSpace is the number of bytes that can still be written to the disk of a directory.
func freeSpace(dir string) (n int64, ok bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(min(st.Bavail*uint64(st.Bsize), 1<<62)), true
}
