//go:build unix

package hooks

import (
	"context"
	"os/exec"
	"syscall"
)

// shell runs a command in a group of its own, which ends as a whole.
func shell(ctx context.Context, text string) *exec.Cmd {
	c := exec.CommandContext(ctx, "/bin/sh", "-c", text)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return c
}
