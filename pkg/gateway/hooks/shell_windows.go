package hooks

import (
	"context"
	"os/exec"
	"syscall"
)

func shell(ctx context.Context, text string) *exec.Cmd {
	c := exec.CommandContext(ctx, "cmd.exe")
	c.SysProcAttr = &syscall.SysProcAttr{CmdLine: "cmd.exe /S /C \"" + text + "\""}
	return c
}
