//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package term

import "golang.org/x/sys/unix"

const (
	getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA

	getWaiting = 0x4004667f // FIONREAD
)
