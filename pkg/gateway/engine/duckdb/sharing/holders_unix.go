//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package sharing

import (
	"io/fs"
	"strconv"
	"syscall"
)

// Replaceable reports whether an open file can be replaced by another: those that have it open keep what it was.
const Replaceable = true

// FileNumber distinguishes a data file from those that had or will have its name.
func FileNumber(st fs.FileInfo) string {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(sys.Ino), 10)
	}
	return "0"
}
