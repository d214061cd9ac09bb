package cli

import (
	"context"
	"errors"
	"fmt"
)

// Ended is the error of a process that has printed its own error message and exited with this code.
type Ended int

func (c Ended) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

const exitDifferent = 1 // of commands that compare, after diff(1)

// ErrDifferent is an exit code without a message: the differences were printed.
var ErrDifferent = errors.New("the results differ")

// Compared ends a command that compares: nil for the same, ErrDifferent, or an error with the exit code of trouble, as diff has them.
func Compared(ctx context.Context, same bool, err error) error {
	switch {
	case errors.Is(err, ErrDone):
		return err
	case err != nil:
		f := Classify(ctx, err)
		if f.Exit != ExitInterrupted {
			f.Exit = ExitUsage
		}
		return &f
	case !same:
		return ErrDifferent
	}
	return nil
}
