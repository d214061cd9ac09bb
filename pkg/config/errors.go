package config

import (
	"errors"
	"strconv"
	"strings"
)

// The kinds of failure of this package. Every error it returns for a reason a user can act on wraps one of them.
var (
	ErrUsage      = errors.New("bad setting")          // a flag, variable, file or field says something that cannot be right
	ErrNotFound   = errors.New("profile not found")    // the named profile does not exist
	ErrConflict   = errors.New("profile exists")       // the profile to add is already there
	ErrNotAllowed = errors.New("no usable key")        // there is no key, or the one there is must not go to this address
	ErrStorage    = errors.New("key storage failed")   // the keyring or the credentials file cannot be used
	ErrBusy       = errors.New("configuration in use") // another process held the lock for longer than the bounded wait
)

// Error says what is wrong and where. File, Line and Field are zero where they do not apply.
type Error struct {
	Kind  error  // one of the Err values of this package
	File  string // path of the file at fault
	Line  int    // line in File, from 1
	Field string // field, flag or variable at fault
	Msg   string
	hint  string
	cause error
}

// Error is "file:line: field: message", without the parts that are not known.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			b.WriteByte(':')
			b.WriteString(strconv.Itoa(e.Line))
		}
		b.WriteString(": ")
	}
	if e.Field != "" {
		b.WriteString(e.Field)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.cause != nil {
		b.WriteString(": ")
		b.WriteString(e.cause.Error())
	}
	return b.String()
}

// Hint says what to try next; it may be empty.
func (e *Error) Hint() string { return e.hint }

// Unwrap gives the kind and, where there is one, the error of the system below.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}
