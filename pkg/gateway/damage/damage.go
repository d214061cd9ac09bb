// Package damage is the error of data that somebody must repair: trying again does not help.
package damage

import (
	"fmt"
	"strings"
)

// Error says what is wrong with the data directory, and what to do about it.
type Error struct {
	Problem string // names the file
	Remedy  string
	Err     error // the cause, nil for none
}

func (e *Error) Error() string { return e.Problem }
func (e *Error) Unwrap() error { return e.Err }

// Restore is the end of a remedy: the command that restores all of zone local.
const Restore = "`dig gateway restore BACKUP --replace`"

// New returns an error with a cause, whose text is a part of the problem. A cause of several lines is cut to the first
// one.
func New(cause error, remedy, format string, args ...any) *Error {
	e := &Error{Problem: fmt.Sprintf(format, args...), Remedy: remedy, Err: cause}
	if cause != nil {
		text, _, _ := strings.Cut(cause.Error(), "\n")
		e.Problem += ": " + text
	}
	return e
}
