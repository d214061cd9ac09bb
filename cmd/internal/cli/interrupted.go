package cli

import (
	"context"
	"errors"
)

// left is how a wait ends that was interrupted: work that a gateway elsewhere does goes on, so the error names it, how to wait for it
// again and how to cancel it. The last two are commands without the program's name; cancel is empty where there is none.
func (e *Env) left(ctx context.Context, err error, what, resume, cancel string) error {
	if err == nil || !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	f := &Failure{Exit: ExitInterrupted, Code: "interrupted", Msg: "interrupted while waiting for " + what}
	if e.ownGateway() {
		f.Msg += ", which ends with this command"
		return f
	}
	f.Msg += ", which goes on"
	f.Hint = "`" + e.Name + " " + resume + "` waits for it again"
	if cancel != "" {
		f.Hint += ", `" + e.Name + " " + cancel + "` cancels it"
	}
	return f
}

// ownGateway reports whether the gateway that was asked runs in this process and ends with it.
func (e *Env) ownGateway() bool {
	for _, c := range e.Run.closers {
		if lt, ok := c.(*localTransport); ok && lt.gw != nil {
			return true
		}
	}
	return false
}
