// Package times parses and formats dates, times, time zones and intervals as Trino does, with its error messages:
// casts, literals, ISO 8601, the patterns of date_format and of format_datetime. Dates are days since 1970-01-01 of the
// proleptic Gregorian calendar.
package times

import "fmt"

// Error is Trino's message for an invalid argument.
type Error string

func (e Error) Error() string { return string(e) }

func says(format string, a ...any) error { return Error(fmt.Sprintf(format, a...)) }

// Fault is an error of another kind than an invalid argument; Kind is Trino's name of it.
type Fault struct{ Kind, Message string }

func (f *Fault) Error() string { return f.Message }
