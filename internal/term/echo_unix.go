//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// Silence has the terminal no longer show what is typed, which is kept for the next reading. The returned function undoes it.
func Silence(f *os.File) (undo func()) {
	fd := int(f.Fd())
	set := func(echo bool) bool {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil || (t.Lflag&unix.ECHO != 0) == echo {
			return false
		}
		t.Lflag ^= unix.ECHO
		return unix.IoctlSetTermios(fd, setTermios, t) == nil
	}
	if !set(false) {
		return func() {}
	}
	return func() { set(true) }
}
