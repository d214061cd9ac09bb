package cli

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
)

// MayCall checks a call before it is sent: whether the key may make it, and whether the user wants it where the profile
// asks before changes.
func (e *Env) MayCall(ctx context.Context, op spec.Op) error {
	may := func() error {
		if err := e.permit(ctx, op.ID+" changes something"); err != nil { // of a class that says that nothing was sent
			return &api.Error{Kind: api.KindForbidden, Method: op.Method, Message: err.Error(), Err: err}
		}
		return nil
	}
	if op.Changes() && e.Run.Settings.IsReadOnly() { // before the key is asked about
		return may()
	}
	if err := e.mayCall(ctx, op); err != nil || !op.Changes() {
		return err
	}
	return may()
}

// permit decides about a request that changes something: see the setting protect. It is asked for every such request, also
// those that no method of the client makes.
func (e *Env) permit(_ context.Context, what string) error {
	s := e.Run.Settings
	switch s.Protect.Value {
	case config.ReadOnly:
		return &Failure{Exit: ExitNotAllowed, Code: "read-only", Msg: fmt.Sprintf("not sent: %s, and protect is read-only (%s)", what, s.Protect.From),
			Hint: "for changes, choose another profile or remove that setting"}
	case config.Confirm:
		e.Run.Asking.Lock()
		defer e.Run.Asking.Unlock()
		if e.Run.agreed {
			return nil
		}
		return e.Confirm("%s, and protect is confirm (%s). Continue?", what, s.Protect.From)
	}
	return nil
}

// Permit returns an error if the run may not change anything. It is for what is asked or done before the first request
// that changes something.
func (e *Env) Permit() error {
	if s := e.Run.Settings; s == nil || !s.IsReadOnly() {
		return nil
	}
	return e.permit(e.Run.Ctx, "the command changes something")
}
