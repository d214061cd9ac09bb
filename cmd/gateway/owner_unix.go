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

// openToOthers reports whether users besides the owner and the group can read a file, or besides the owner can change
// it. The group may read it: so a service gets a secret that belongs to root.
func openToOthers(st os.FileInfo) bool { return st.Mode().Perm()&0o027 != 0 }
