//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package sharing

import (
	"io/fs"
	"strconv"
	"syscall"
)

// Replaceable reports whether an open file can be replaced by another: processes that have it open continue to see the
// old one.
const Replaceable = true

// FileNumber distinguishes a data file from other files that had or will have the same name.
func FileNumber(st fs.FileInfo) string {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(sys.Ino), 10)
	}
	return "0"
}
