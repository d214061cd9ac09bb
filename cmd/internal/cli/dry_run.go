package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
)

// With --dry-run and --explain a run prints what it would do. It makes the checks of the real run, reads what those
// need, and changes nothing: no request that changes something is sent, and no file is written, not even one that only
// dig reads.

// DryRun reports whether the run only prints what it would do.
func (e *Env) DryRun() bool { return e.Run.Flags.DryRun || e.Run.Flags.Explain }

// DryRunStep prints a change on this machine that the run would make, and ends the run. It returns nil if the run is to
// make the change.
func (e *Env) DryRunStep(format string, args ...any) error {
	if !e.DryRun() {
		return nil
	}
	if e.stepsAsData() {
		return e.keepStep(Step{Change: fmt.Sprintf(format, args...)})
	}
	return e.step(func(w io.Writer, _ int) error {
		_, err := fmt.Fprintf(w, "would "+format+"\n", args...)
		return err
	})
}

// Step is a request, or a change on this machine, as a dry run or --explain prints it with -o json.
type Step struct {
	Change      string          `json:"would,omitempty"`     // the change on this machine; all else is empty
	Operation   string          `json:"operation,omitempty"` // "" for a request of an unknown operation
	Method      string          `json:"method,omitempty"`
	URL         string          `json:"url,omitempty"`
	Path        string          `json:"path,omitempty"` // relative to the base address, escaped, without the query
	Query       url.Values      `json:"query,omitempty"`
	ContentType string          `json:"contentType,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"` // with its secrets masked; absent if it is not JSON
	Curl        string          `json:"curl,omitempty"` // of --explain: the request as a command
}

// stepsAsData reports whether a dry run or an explanation prints its steps as data at its end.
func (e *Env) stepsAsData() bool {
	if s := e.Run.Settings; s != nil {
		return e.DryRun() && output.FormatOf(s.Output.Value).JSON()
	}
	return e.DryRun() && e.JSONErrors()
}

// Explanation is what --explain prints with -o json.
type Explanation struct {
	Settings []config.Explained `json:"settings"`
	Requests []Step             `json:"requests"`
}

// keepStep records the next step. It returns ErrDone.
func (e *Env) keepStep(s Step) error {
	e.Run.said.Lock()
	defer e.Run.said.Unlock()
	e.Run.said.stepCount++
	e.Run.said.steps = append(e.Run.said.steps, s)
	return ErrDone
}

// printSteps prints the recorded steps, also those before a failure.
func (e *Env) printSteps() error {
	if len(e.Run.said.steps) == 0 {
		return nil
	}
	o, err := e.OutputOptions()
	if err != nil {
		return err
	}
	var doc any = e.Run.said.steps
	if e.Run.Flags.Explain {
		x := Explanation{Settings: []config.Explained{}, Requests: e.Run.said.steps}
		if e.Run.Settings != nil {
			x.Settings = e.Run.Settings.Explain()
		}
		doc = x
	}
	raw, err := api.Marshal(doc)
	if err != nil {
		return err
	}
	o.Columns = nil // --columns selects columns of the result, not of the steps
	return output.WriteDoc(e.OnScreen(), raw, o)
}

// step prints step n of the run while no other step is printed. It returns ErrDone.
func (e *Env) step(print func(w io.Writer, n int) error) error {
	e.Run.said.Lock()
	defer e.Run.said.Unlock()
	e.Run.said.stepCount++
	if err := print(e.OnScreen(), e.Run.said.stepCount); err != nil {
		return err
	}
	return ErrDone
}

// StepCount returns the number of steps printed.
func (e *Env) StepCount() int {
	e.Run.said.Lock()
	defer e.Run.said.Unlock()
	return e.Run.said.stepCount
}

// Planned reports whether err means that a request was printed instead of sent, so that the command continues with
// the next one.
func (e *Env) Planned(err error) bool { return errors.Is(err, ErrDone) && e.DryRun() }

// askedKey marks requests that the interceptor shows in addition to the operation of the command.
type shownKey struct{}

// NeedsConfirmation returns a context whose requests are shown by --explain.
func ShownByExplain(ctx context.Context) context.Context {
	return context.WithValue(ctx, shownKey{}, true)
}

// printDryRunNote prints once, at the end, that nothing was done.
func (e *Env) printDryRunNote() {
	n := e.StepCount()
	switch {
	case n == 0:
	case e.Run.Flags.Explain:
		fmt.Fprintln(e.Err, "explain: nothing was sent and nothing was changed")
	case n == 1:
		fmt.Fprintln(e.Err, "dry run: nothing was sent and nothing was changed")
	default:
		fmt.Fprintf(e.Err, "dry run: nothing was sent and nothing was changed (%d steps)\n", n)
	}
}

// scratch returns the data directory of a dry run: the real one without clean-up, or, if zone local has none yet, a
// temporary one that is initialized like a new one.
func scratch(dir string) (path string, remove func() error, err error) {
	if _, err := os.Stat(filepath.Join(dir, "state.db")); !errors.Is(err, os.ErrNotExist) {
		return dir, nil, nil
	}
	tmp, err := tempfile.MkdirPlain("dig-dry-run-")
	if err != nil {
		return "", nil, err
	}
	return tmp, func() error { return os.RemoveAll(tmp) }, nil
}
