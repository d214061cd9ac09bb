//go:build unix

package connector

import (
	"io/fs"
	"syscall"
)

// fileID identifies a file of this machine.
type fileID struct{ dev, ino uint64 }

func stat(info fs.FileInfo) (*syscall.Stat_t, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	return st, ok
}

// idOf returns a file's identity and its number of names.
func idOf(info fs.FileInfo) (id fileID, names uint64, ok bool) {
	st, ok := stat(info)
	if !ok {
		return fileID{}, 0, false
	}
	return fileID{uint64(st.Dev), uint64(st.Ino)}, uint64(st.Nlink), true //nolint:unconvert // the types differ between systems
}
