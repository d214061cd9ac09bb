//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package term

import "os"

// Quiet does nothing on systems whose terminals have no such settings.
type Quiet struct{}

// NewQuiet returns the Quiet of a terminal.
func NewQuiet(*os.File) *Quiet { return &Quiet{} }

// Begin does nothing.
func (*Quiet) Begin() {}

// End does nothing.
func (*Quiet) End() {}

// Suspend does nothing.
func (*Quiet) Suspend() {}

// Waiting returns 0: the number of bytes is not known.
func Waiting(*os.File) int { return 0 }
