package cli

import (
	"errors"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// JSONErrors reports whether a failure is one JSON object on stderr.
func (e *Env) JSONErrors() bool {
	o := e.Run.Flags.Output
	if o == "" && e.Run.Settings != nil {
		o = output.FormatOf(e.Run.Settings.Output.Value)
	}
	if e.Run.Settings == nil { // the flags may not have been read, or only those before the wrong one
		if given := givenFormat(e.Args); given != "" {
			o = given
		}
	}
	if !o.Known() { // a valid request for a JSON format
		o = output.FormatOf(e.Getenv("DIG_OUTPUT"))
	}
	return o.JSON()
}

// givenFormat finds the format in arguments that may be wrong; "" if there is none or it is unknown.
func givenFormat(args []string) (found output.Format) {
	for i, a := range args {
		if a == "--" {
			break
		}
		value := ""
		switch {
		case (a == "-o" || a == "--output") && i+1 < len(args):
			value = args[i+1]
		case strings.HasPrefix(a, "--output="):
			value = strings.TrimPrefix(a, "--output=")
		case strings.HasPrefix(a, "-o") && !strings.HasPrefix(a, "--"):
			value = strings.TrimPrefix(strings.TrimPrefix(a, "-o"), "=")
		}
		if o := output.FormatOf(value); value != "" && o.Known() {
			found = o
		}
	}
	return found
}

func (e *Env) ToJSON(f *exitcode.Failure, err error) exitcode.ErrorJSON {
	j := exitcode.ErrorJSON{Code: f.Code, Message: f.Msg, Hint: e.OwnName(f.Hint), ExitCode: f.Exit,
		Status: statusOf(err), Unsure: Unsure(err), Failures: f.Parts}
	j.BadCells, j.BadCellsTotal = badCellsOf(err)
	var ae *api.Error
	if errors.As(err, &ae) {
		j.Kind, j.Path = string(ae.Kind), e.pathOfCall(ae)
		j.ErrorCode, j.RequestID, j.TraceID = ae.Code, ae.Request, ae.Trace
	}
	return j
}
