package cli

import (
	"context"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// MayCall checks a call before it is sent: whether the key may make it, and, if the profile requires confirmation of
// changes, whether the user confirms it.
func (e *Env) MayCall(ctx context.Context, op spec.Op) error {
	may := func() error {
		// KindForbidden, as for other requests that were not sent
		if err := e.permit(ctx, op.ID+" changes something"); err != nil {
			return &api.Error{Kind: api.KindForbidden, Outcome: outcome.NotSent, Method: op.Method,
				Message: err.Error(), Err: err}
		}
		return nil
	}
	if op.Changes() && e.Run.Settings.IsReadOnly() { // before requests that determine the kind of the key
		return may()
	}
	if err := e.mayCall(ctx, op); err != nil || !op.Changes() {
		return err
	}
	return may()
}

// permit applies the setting protect to a request that changes something. It is called for every such request, also
// those that are not sent by a method of the client.
func (e *Env) permit(_ context.Context, what string) error {
	s := e.Run.Settings
	switch s.Protect.Value {
	case config.ReadOnly:
		return &exitcode.Failure{Exit: exitcode.NotAllowed, Code: "read-only",
			Msg:  fmt.Sprintf("not sent: %s, and protect is read-only (%s)", what, s.Protect.From),
			Hint: "for changes, choose another profile or remove that setting"}
	case config.Confirm:
		e.Run.consent.Lock()
		defer e.Run.consent.Unlock()
		if e.Run.consent.agreed {
			return nil
		}
		return e.Ask().Confirm("%s, and protect is confirm (%s). Continue?", what, s.Protect.From)
	}
	return nil
}

// Permit returns an error if the run may not or cannot change anything. It is called before prompts and actions that
// precede the first request that changes something.
func (e *Env) Permit() error {
	// what a prompt says of the dependants of an object could not be looked up
	if t := e.Run.local; t != nil && t.unopened != nil {
		return t.unopened
	}
	if s := e.Run.Settings; s == nil || !s.IsReadOnly() {
		return nil
	}
	return e.permit(e.Run.Ctx, "the command changes something")
}
