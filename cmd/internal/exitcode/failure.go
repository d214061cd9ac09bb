package exitcode

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/dig-cli/dig/pkg/api"
)

// Failure is an error with an exit code, a stable code for scripts and a hint.
type Failure struct {
	Exit int
	Code string
	Msg  string
	Hint string
	Err  error

	Mended string // the statement with the correction of the hint; "" if there is none

	Parts []ErrorJSON // the failures that this one summarizes
}

func (f *Failure) Error() string { return f.Msg }
func (f *Failure) Unwrap() error { return f.Err }

// Usagef returns a usage error.
func Usagef(format string, args ...any) *Failure {
	return &Failure{Exit: Usage, Code: "usage", Msg: fmt.Sprintf(format, args...)}
}

func (f *Failure) WithHint(format string, args ...any) *Failure {
	f.Hint = fmt.Sprintf(format, args...)
	return f
}

// ErrorJSON is the form of a failure with -o json.
type ErrorJSON struct {
	Code      string `json:"code"`
	Kind      string `json:"kind,omitempty"` // class of a failed call, independent of the shape the gateway gave it
	Message   string `json:"message"`
	Path      string `json:"path,omitempty"` // of the failed call, relative to the base address
	Hint      string `json:"hint,omitempty"`
	ExitCode  int    `json:"exitCode"`
	Status    int    `json:"status,omitempty"`    // HTTP status
	ErrorCode string `json:"errorCode,omitempty"` // of the gateway
	RequestID string `json:"requestId,omitempty"`
	TraceID   string `json:"traceId,omitempty"`
	Unsure    bool   `json:"unsure,omitempty"` // a change was requested, and it is unknown whether it was made

	BadCells      []api.BadCell `json:"badCells,omitempty"` // of a rejected import
	BadCellsTotal int64         `json:"badCellsTotal,omitempty"`

	Failures []ErrorJSON `json:"failures,omitempty"` // of several statements
}

// Occupied is the failure to write where something is, or where no directory is. Nothing was written.
func Occupied(err error) *Failure {
	f := &Failure{Exit: Conflict, Code: "exists", Msg: err.Error() + "; nothing was written", Err: err,
		Hint: "give another name, or remove it"}
	if errors.Is(err, fs.ErrNotExist) {
		f.Exit, f.Code, f.Hint = NotFound, "not-found", ""
	}
	return f
}
