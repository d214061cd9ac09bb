//go:build unix

package lineedit

import (
	"syscall"
	"time"
)

const canSuspend = true

// suspend stops the program as Ctrl-Z does while nothing is edited, until it is continued. The signal is without effect where no shell
// could continue it.
func suspend() {
	_ = syscall.Kill(0, syscall.SIGTSTP)
	time.Sleep(50 * time.Millisecond) // the signal may arrive a moment later
}
