package engine

import (
	"context"
	"errors"
	"fmt"
)

// Kind classifies the errors of a statement or a table operation.
type Kind string

// The classes.
const (
	KindSyntax         Kind = "syntax"
	KindNotAllowed     Kind = "not allowed" // not a SELECT, a forbidden function, a file or network access
	KindUnknownCatalog Kind = "unknown catalog"
	KindUnknownSchema  Kind = "unknown schema"
	KindUnknownTable   Kind = "unknown table"
	KindUnknownColumn  Kind = "unknown column"
	KindNoFile         Kind = "no file" // a file that a statement names does not exist
	KindCycle          Kind = "cycle"
	KindValue          Kind = "value" // a cast, an overflow, a division by zero
	KindBinding        Kind = "binding"
	KindTimeout        Kind = "timeout"
	KindLimit          Kind = "limit" // statement too long, memory
	KindFull           Kind = "full"  // no space is left on the disk
	KindExists         Kind = "exists"
	KindUnsupported    Kind = "unsupported" // Trino syntax or function that is not supported
	KindConstraint     Kind = "constraint"
	KindOutdated       Kind = "outdated" // rows have changed since they were read
	KindSource         Kind = "source"   // an external source failed
	KindData           Kind = "data"     // a file cannot be read, however often that is tried
	// the data file is locked by another process, or by a statement that does not stop; nothing was done
	KindLocked   Kind = "locked"
	KindInternal Kind = "internal"
	KindDefect   Kind = "defect" // of this program: the same call fails again
)

// Error is a failure with a class that determines the status of the gateway's reply.
type Error struct {
	Kind    Kind
	Message string
	Line    int // 1-based position in the statement, 0 when unknown
	Col     int
	Hint    string // what was probably meant, may be empty
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// In returns the error as seen from outside of a saved query: it names the query, and the position in the query's own
// statement becomes a part of the message, so that the new error can have the position of the query's name in another
// statement. err is the wrapped error.
func (e *Error) In(n TableName, err error) *Error {
	in := "in " + n.String()
	if e.Line > 0 {
		in += fmt.Sprintf(", line %d:%d", e.Line, e.Col)
	}
	return &Error{Kind: e.Kind, Message: in + ": " + e.Message, Hint: e.Hint, Err: err}
}

// CodedError is the cause of an error about a value, with Trino's name of its kind.
type CodedError struct {
	Code string // DIVISION_BY_ZERO
	Err  error
}

func (e *CodedError) Error() string { return e.Err.Error() }
func (e *CodedError) Unwrap() error { return e.Err }

// ValueError returns an error about a value, with Trino's name of its kind.
func ValueError(code, msg string) error {
	return &Error{Kind: KindValue, Message: msg, Err: &CodedError{code, errors.New(msg)}}
}

// Defect is an error of this program.
func Defect(msg string) error { return &Error{Kind: KindDefect, Message: msg} }

// SourceError is the error of a table of a source. That of a statement that was cancelled is returned as it is.
func SourceError(n TableName, err error) error {
	var e *Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Kind: KindSource, Message: fmt.Sprintf("reading %s: %v", n, err), Err: err}
}

// Ended returns why a context ended, as an *Error for a deadline, or nil before its end.
func Ended(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil {
		return nil
	}
	var e *Error
	if errors.As(cause, &e) {
		return e
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Message: "Query exceeded its time limit", Err: cause}
	}
	return errors.Join(cause, err)
}

// ErrContent is the error of a source whose content is damaged or not supported: it cannot be read, however often that
// is tried.
var ErrContent = errors.New("the content cannot be read")

// Content marks the error about a value that a source holds as ErrContent.
func Content(err error) error { return marked{err, ErrContent} }

// ErrUnusable is the error of a source that cannot be read until something is changed: there is no such file, folder or
// address, or the server refuses the credential.
var ErrUnusable = errors.New("the source cannot be used")

// Unusable marks an error of a source as ErrUnusable.
func Unusable(err error) error { return marked{err, ErrUnusable} }

type marked struct {
	error
	as error
}

func (m marked) Unwrap() error        { return m.error }
func (m marked) Is(target error) bool { return target == m.as }

// ColumnError is an error about a value of a source.
type ColumnError struct {
	Table  TableName
	Column string
	Err    error
}

func (e *ColumnError) Error() string {
	return fmt.Sprintf("table %s, column %s: %v", e.Table, e.Column, e.Err)
}

func (e *ColumnError) Unwrap() error { return e.Err }

// Is reports the error as ErrContent.
func (e *ColumnError) Is(target error) bool { return target == ErrContent }

// ErrDropped is the error of a project whose rows were removed.
var ErrDropped = errors.New("the project was deleted")

// ErrNoEngine is returned by a build without cgo, which has no engine for the local zone.
var ErrNoEngine = errors.New("this build of dig has no local engine (it was built without cgo)")

// BadCell is a value of a CSV document that does not fit its column.
type BadCell struct {
	Line   int64  // 1-based line of the document at which the record starts
	Column string // empty for an error of the whole record
	Value  string
	Reason string
	First  int64 // the line of an earlier record that Reason names, 0 if it names none
}

// ImportError lists the errors of a CSV document; nothing of it was stored.
type ImportError struct {
	Message string    // set for errors of the mapping or of the document's format
	Cells   []BadCell // the first 100
	Total   int64     // total number found
}

func (e *ImportError) Error() string {
	if e.Message != "" || len(e.Cells) == 0 {
		return e.Message
	}
	c := e.Cells[0]
	s := fmt.Sprintf("line %d, column %q: %s", c.Line, c.Column, c.Reason)
	if c.Column == "" { // the record as a whole
		s = fmt.Sprintf("line %d: %s", c.Line, c.Reason)
	}
	if e.Total > 1 {
		s += fmt.Sprintf(" (and %d more)", e.Total-1)
	}
	return s
}
