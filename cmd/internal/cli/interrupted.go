package cli

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// left returns the error of an interrupted wait. Work in a remote gateway continues, so the error names it, the command
// that waits for it again and the one that cancels it. The commands come without the program's name; cancel may be
// empty.
func (e *Env) left(ctx context.Context, err error, what, resume, cancel string) error {
	if err == nil || !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	f := &exitcode.Failure{Exit: exitcode.Interrupted, Code: "interrupted", Msg: "interrupted while waiting for " +
		what}
	if e.ownGateway() {
		f.Msg += ", which ends with this command"
		return f
	}
	f.Msg += ", which continues"
	f.Hint = "`" + e.Name + " " + resume + "` waits for it again"
	if cancel != "" {
		f.Hint += ", `" + e.Name + " " + cancel + "` cancels it"
	}
	return f
}

// ownGateway reports whether the gateway runs in this process and ends with it.
func (e *Env) ownGateway() bool { return e.Run.local != nil && e.Run.local.gw != nil }
