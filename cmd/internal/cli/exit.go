package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// Exit codes, also listed by `dig help exit-codes`.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitNotAllowed  = 4
	ExitUnavailable = 5
	ExitConflict    = 6
	ExitJob         = 7
	ExitPending     = 8
	ExitConfirm     = 9
	ExitUntrusted   = 10
	ExitMaxRows     = 11
	ExitMaxBytes    = 12
	ExitMaxTime     = 13
	ExitSomeFailed  = 20 // plus the number of statements that failed, at most ExitManyFailed
	ExitManyFailed  = 99
	ExitInterrupted = 130
	ExitPipe        = 141 // as a shell reports a process that SIGPIPE has ended
)

// Ended is the error of a process that has printed its own error message and exited with this code.
type Ended int

func (c Ended) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

const exitDifferent = 1 // of commands that compare, as in diff(1)

// ErrDifferent sets the exit code without a message: the differences were printed.
var ErrDifferent = errors.New("the results differ")

// ExitCode is an exit code with its meaning.
type ExitCode struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
}

// ExitCodes lists the exit codes, except those of several statements.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "done"},
		{ExitFailed, "failed"},
		{ExitUsage, "the command line or a setting is wrong; nothing was sent"},
		{ExitNotFound, "not found"},
		{ExitNotAllowed, "not allowed: no key, a bad key, the wrong kind of key, or a read-only profile"},
		{ExitUnavailable, "the gateway failed, is unreachable, or truncated its answer; try again"},
		{ExitConflict, "conflict: it exists already, or is in use"},
		{ExitJob, "a job failed, or part of a batch failed"},
		{ExitPending, "still pending at the end of the wait"},
		{ExitConfirm, "confirmation needed: give --yes"},
		{ExitUntrusted, "the answer cannot be trusted (--strict)"},
		{ExitMaxRows, "stopped by --max-rows: the result has more rows"},
		{ExitMaxBytes, "stopped by --max-bytes: the reply is larger"},
		{ExitMaxTime, "stopped by --timeout of a query"},
		{ExitInterrupted, "interrupted"},
		{ExitPipe, "the reader of stdout, such as head, ended first"},
	}
}

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

// DiffExitCodes lists the exit codes of commands that compare.
func DiffExitCodes() []ExitCode {
	return []ExitCode{{ExitOK, "the same"}, {exitDifferent, "different"}, {ExitUsage, "the two sides cannot be compared"}, {ExitInterrupted, "interrupted"}, {ExitPipe, "the reader of stdout, such as head, ended first"}}
}

// Compared ends a command that compares, with the exit codes of diff: it returns nil if there are no differences, ErrDifferent,
// or an error.
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
