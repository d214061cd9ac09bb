//go:build unix

package gateway

import (
	"os"
	"syscall"
)

// ofAnother reports whether a file belongs to a user who is neither this one nor root.
func ofAnother(st os.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && sys.Uid != 0 && int(sys.Uid) != os.Geteuid()
}
