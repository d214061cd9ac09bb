//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package supervise

import "syscall"

// endWithParent has nothing to set: a worker ends when it can read no orders any more.
func endWithParent() *syscall.SysProcAttr { return nil }
