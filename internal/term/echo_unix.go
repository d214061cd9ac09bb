//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// Silence turns off the echo of the terminal; typed keys are kept for the next read. The returned function restores it.
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
