package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/outcome"
)

// Ensured finds an object, or creates it if it does not exist. If the creation fails it looks again: another process
// may have created the object first, or the creation succeeded and its reply was lost. made is false for an object that
// this call did not create.
func Ensured[T any](e *Env, find func() (T, bool, error), create func() (T, error)) (v T, made bool, err error) {
	v, ok, err := find()
	if ok || err != nil {
		return v, false, err
	}
	v, err = create()
	if err == nil || e.Planned(err) {
		return v, err == nil, err
	}
	if f := (*exitcode.Failure)(nil); errors.As(err, &f) && f.Exit == exitcode.Usage ||
		outcome.Of(err) == outcome.NotSent {
		return v, false, err
	}
	if again, ok, look := find(); look == nil && ok {
		fmt.Fprintf(e.Err, "warning: the creation was not confirmed (%s), but the object exists now\n",
			Classify(context.Background(), err).Msg)
		return again, false, nil
	}
	return v, false, err
}

// EnsuredView shows an object after `ensure`, and reports the change on stderr: changed is a phrase such as "changed
// the folder".
func EnsuredView(v any, what string, made bool, changed string) View {
	switch {
	case made:
		return Object(v).PrintValue().WithNote("created %s", what)
	case changed != "":
		return Object(v).PrintValue().WithNote("%s: %s", what, changed)
	}
	return Object(v).PrintValue().WithNote("%s is as requested", what)
}

// Differs is the error of `ensure` for an existing object that cannot be changed to the requested one.
func Differs(what, how, hint string) error {
	return &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict", Msg: fmt.Sprintf("%s exists, but %s", what,
		how), Hint: hint}
}
