package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/spf13/cobra"
)

// Ended is the error of a process that has printed its own error message and exited with this code.
type Ended int

func (c Ended) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// ErrDifferent sets the exit code without a message: the differences were printed.
var ErrDifferent = errors.New("the results differ")

// ComparesAnnotation marks commands that exit as diff does.
const ComparesAnnotation = "compares"

// Compares marks a command whose exit codes are those of diff.
func Compares(c *cobra.Command) *cobra.Command {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[ComparesAnnotation] = "true"
	return c
}

// Compared ends a command that compares, with the exit codes of diff: it returns nil if there are no differences,
// ErrDifferent, or an error.
func Compared(ctx context.Context, same bool, err error) error {
	switch {
	case errors.Is(err, ErrDone):
		return err
	case err != nil:
		f := Classify(ctx, err)
		if f.Exit != exitcode.Interrupted {
			f.Exit = exitcode.Usage
		}
		return &f
	case !same:
		return ErrDifferent
	}
	return nil
}
