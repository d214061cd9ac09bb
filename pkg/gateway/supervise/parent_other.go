//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package supervise

import "syscall"

// endWithParent does nothing: a worker ends when it can no longer read orders.
func endWithParent() *syscall.SysProcAttr { return nil }
