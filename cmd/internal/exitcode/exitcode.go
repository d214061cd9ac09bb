// Package exitcode has the exit codes of the commands.
package exitcode

// The exit codes, also listed by `dig help exit-codes`.
const (
	OK          = 0
	Failed      = 1
	Usage       = 2
	NotFound    = 3
	NotAllowed  = 4
	Unavailable = 5
	Conflict    = 6
	Job         = 7
	Pending     = 8
	Confirm     = 9
	Untrusted   = 10
	MaxRows     = 11
	MaxBytes    = 12
	MaxTime     = 13
	SomeFailed  = 20 // plus the number of statements that failed, at most ManyFailed
	ManyFailed  = 99
	Interrupted = 130
	Pipe        = 141 // as a shell reports a process that SIGPIPE has ended
)

// Different is the exit code of commands that compare, as in diff(1).
const Different = 1

// Meaning is an exit code with its meaning.
type Meaning struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
}

// All lists the exit codes, except those of several statements.
func All() []Meaning {
	return []Meaning{
		{OK, "done"},
		{Failed, "failed"},
		{Usage, "the command line or a setting is wrong; nothing was sent"},
		{NotFound, "not found, also a file or folder that a command names"},
		{NotAllowed, "not allowed: no key, a bad key, the wrong kind of key, or a read-only profile"},
		{Unavailable, "the gateway failed, is unreachable, or truncated its answer; try again"},
		{Conflict, "conflict: it exists already, or is in use"},
		{Job, "a job failed, or part of a batch failed"},
		{Pending, "still pending at the end of the wait"},
		{Confirm, "confirmation needed: give --yes"},
		{Untrusted, "the answer cannot be trusted, or is stale (--strict)"},
		{MaxRows, "stopped by --max-rows: the result has more rows"},
		{MaxBytes, "stopped by --max-bytes: the reply is larger"},
		{MaxTime, "stopped by --timeout of a query"},
		{Interrupted, "interrupted"},
		{Pipe, "the reader of stdout, such as head, ended first"},
	}
}

// OfDiff lists the exit codes of commands that compare.
func OfDiff() []Meaning {
	return []Meaning{{OK, "the same"}, {Different, "different"}, {Usage, "the two sides cannot be compared"},
		{Interrupted, "interrupted"}, {Pipe, "the reader of stdout, such as head, ended first"}}
}
