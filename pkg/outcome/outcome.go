// Package outcome describes what is known of a request after it has ended: whether the other side received it, and what
// it answered. Whoever decides about a failed request (to send it again, to report that it may have been done, to look
// for its effect) decides by its Outcome.
package outcome

import "errors"

// Outcome is what is known of a request that has ended.
type Outcome int

// The outcomes. A request counts as Unknown unless something proves otherwise, so this is the zero value.
const (
	Unknown Outcome = iota // it was begun, and there is no answer or one that leaves open whether it was done
	NotSent                // it was not begun: there was no connection, or it was stopped on this machine
	Refused                // it was answered, and not done
	Done                   // it was answered, and done
)

// String returns the name of an outcome in the journal.
func (o Outcome) String() string {
	switch o {
	case NotSent:
		return "not-sent"
	case Refused:
		return "refused"
	case Done:
		return "done"
	}
	return "unknown"
}

// Undone reports whether the request has certainly changed nothing.
func (o Outcome) Undone() bool { return o == NotSent || o == Refused }

// OfStatus is the outcome of a request that was answered with an HTTP status. After 408 and a failure of the server,
// the request may have been done nevertheless, and after a redirect too, except by 307 and 308, which ask for the same
// request elsewhere.
func OfStatus(status int) Outcome {
	switch {
	case status >= 300 && status < 307:
		return Unknown
	case status == 408 || status >= 500 && status != 501 || status < 200:
		return Unknown
	case status < 300:
		return Done
	}
	return Refused
}

// Of is the outcome of a request that ended with an error, or Done. Errors that are not marked, by this package or by a
// method RequestOutcome, are Unknown.
func Of(err error) Outcome {
	if err == nil {
		return Done
	}
	var known interface{ RequestOutcome() Outcome }
	if errors.As(err, &known) {
		return known.RequestOutcome()
	}
	return Unknown
}

// Unsent marks the error of a request that was not sent.
func Unsent(err error) error {
	if err == nil || Of(err) == NotSent {
		return err
	}
	return &unsent{err}
}

type unsent struct{ error }

func (e *unsent) Unwrap() error { return e.error }

// Timeout implements the part of net.Error that net/url asks an error for, without unwrapping it.
func (e *unsent) Timeout() bool {
	var late interface{ Timeout() bool }
	return errors.As(e.error, &late) && late.Timeout()
}

// RequestOutcome is NotSent.
func (e *unsent) RequestOutcome() Outcome { return NotSent }
