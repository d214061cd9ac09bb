package supervise

import "syscall"

// endWithParent makes the kernel end a worker when its supervisor is killed.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
