package config

import (
	"errors"
	"strconv"
	"strings"
)

// The kinds of failure of this package. Every error that a user can act on wraps one of them.
var (
	ErrUsage      = errors.New("bad setting")          // a flag, variable, file or field has an invalid value
	ErrNotFound   = errors.New("profile not found")    // the named profile does not exist
	ErrConflict   = errors.New("profile exists")       // the profile to add already exists
	ErrNotAllowed = errors.New("no usable key")        // there is no key, or the key must not be sent to this address
	ErrStorage    = errors.New("key storage failed")   // the keyring or the credentials file cannot be used
	ErrBusy       = errors.New("configuration in use") // another process held the lock for longer than the bounded wait
)

// Error describes a failure and its location. File, Line and Field are zero where they do not apply.
type Error struct {
	Kind  error  // one of the Err values of this package
	File  string // path of the faulty file
	Line  int    // 1-based line in File
	Field string // name of the faulty field, flag or variable
	Msg   string
	hint  string
	cause error
}

// Error returns "file:line: field: message", without the unknown parts.
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

// Hint returns what to try next; it may be empty.
func (e *Error) Hint() string { return e.hint }

// Unwrap returns the kind and the underlying error, if any.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}
