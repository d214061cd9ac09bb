//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package term

import "os"

// Silence does nothing where a terminal has no such setting.
func Silence(*os.File) (undo func()) { return func() {} }
