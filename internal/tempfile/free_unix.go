//go:build linux || darwin

package tempfile

import "golang.org/x/sys/unix"

// FreeSpace is the number of bytes that can still be written to the disk of a directory; ok is false if it is unknown.
func FreeSpace(dir string) (n int64, ok bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(min(st.Bavail*uint64(st.Bsize), 1<<62)), true
}
