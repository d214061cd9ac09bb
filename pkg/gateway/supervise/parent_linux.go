package supervise

import "syscall"

// endWithParent ends a worker at the moment in which its supervisor is killed.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
