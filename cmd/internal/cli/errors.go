package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
)

// ErrDone ends a run that has printed its result without calling the gateway.
var ErrDone = errors.New("done")

// Classify is the only function that maps errors to exit codes.
func Classify(ctx context.Context, err error) exitcode.Failure {
	var (
		f  *exitcode.Failure
		ae *api.Error
		re *api.RowsError
		ce *config.Error
		ue *output.UsageError
		de *damage.Error
	)
	switch {
	case errors.As(err, &f):
		out := *f
		for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
			if wrapped == error(f) { // the text of the error that wraps it belongs to the message
				out.Msg = err.Error()
			}
		}
		return out
	case errors.As(context.Cause(ctx), &f):
		return *f
	case errors.Is(err, engine.ErrNoEngine):
		return exitcode.Failure{Exit: exitcode.Failed, Code: "no-local-engine", Msg: engine.ErrNoEngine.Error(),
			Hint: "zone local needs a build with cgo; zones us and eu work with this one"}
	case errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, context.Canceled):
		return exitcode.Failure{Exit: exitcode.Interrupted, Code: "interrupted", Msg: "interrupted"}
	case errors.Is(err, context.DeadlineExceeded):
		return exitcode.Failure{Exit: exitcode.Unavailable, Code: "timeout", Msg: "the time limit was reached",
			Hint: "raise --timeout"}
	case errors.As(err, &de):
		return exitcode.Failure{Exit: exitcode.Failed, Code: string(api.KindDamaged), Msg: err.Error(),
			Hint: de.Remedy, Err: err}
	case errors.As(err, &ae):
		msg := ae.Error()
		if strings.HasPrefix(ae.URL, zone.BaseURL+"/") { // the user would not recognize the HTTP request
			msg = ae.Message
		}
		exit := exitOf(ae.Kind)
		if exit == exitcode.Unavailable && api.Lasting(ae) { // which says that a retry may help
			exit = exitcode.Failed
		}
		kind := ae.Kind
		if ae.Code == api.CodeMissing { // as any file that is missing
			exit, kind = exitcode.NotFound, api.KindNotFound
		}
		return exitcode.Failure{Exit: exit, Code: string(kind), Msg: msg, Hint: hintOf(ae), Err: err}
	case errors.As(err, &re) && errors.Is(re, api.ErrNotResult):
		return exitcode.Failure{Exit: exitcode.Failed, Code: string(api.KindProtocol), Msg: err.Error(),
			Hint: "the server at this address does not answer queries: check the base address, which usually ends in " +
				"/api/v1"}
	case errors.As(err, &re):
		code := "bad-result"
		if errors.Is(re, api.ErrTruncated) {
			code = "truncated"
		}
		return exitcode.Failure{Exit: exitcode.Unavailable, Code: code, Msg: err.Error(),
			Hint: "nothing after that row can be trusted; run it again, and if the error persists, in pages with " +
				"--page-by and a unique key, or as an export"}
	case errors.As(err, &ce):
		return exitcode.Failure{Exit: exitOfConfig(ce.Kind), Code: "config", Msg: ce.Error(), Hint: ce.Hint()}
	case errors.As(err, &ue):
		return exitcode.Failure{Exit: exitcode.Usage, Code: "usage", Msg: ue.Message, Hint: ue.Hint}
	case errors.Is(err, api.ErrNotUTF8):
		return exitcode.Failure{Exit: exitcode.Usage, Code: "usage", Msg: err.Error(), Hint: convert}
	case errors.Is(err, spec.ErrParam):
		return exitcode.Failure{Exit: exitcode.Usage, Code: "usage", Msg: err.Error()}
	}
	return exitcode.Failure{Exit: exitcode.Failed, Code: "failed", Msg: err.Error()}
}

func exitOf(k api.Kind) int {
	switch k {
	case api.KindUnauthorized, api.KindForbidden:
		return exitcode.NotAllowed
	case api.KindNotFound:
		return exitcode.NotFound
	case api.KindConflict:
		return exitcode.Conflict
	case api.KindUnavailable, api.KindTimeout:
		return exitcode.Unavailable
	}
	return exitcode.Failed
}

func exitOfConfig(kind error) int {
	switch kind {
	case config.ErrUsage:
		return exitcode.Usage
	case config.ErrNotFound:
		return exitcode.NotFound
	case config.ErrConflict:
		return exitcode.Conflict
	case config.ErrNotAllowed:
		return exitcode.NotAllowed
	}
	return exitcode.Failed
}

// report prints an error to stderr and returns its exit code.
func (e *Env) report(ctx context.Context, err error) int {
	if err == nil || errors.Is(err, ErrDone) {
		return exitcode.OK
	}
	var other Ended
	if errors.As(err, &other) {
		return int(other)
	}
	if errors.Is(err, ErrDifferent) {
		return exitcode.Different
	}
	if stdoutClosed(err) {
		return exitcode.Pipe
	}
	f := Classify(ctx, err)
	if f.Exit == exitcode.Usage && e.Run.said.changed.Load() { // exit code 2 promises that nothing was sent
		f.Exit, f.Code = exitcode.Failed, "after-change"
		f.Msg = "detected only after a change was sent: " + f.Msg
	}
	if f.Exit == exitcode.NotFound && f.Hint == "" && strings.HasPrefix(f.Msg, "there is no project with id") {
		f.Hint = e.ofProject()
	}
	if f.Exit == exitcode.Interrupted && e.InTerm && e.ErrTerm { // on a new line, after the ^C that the terminal echoes
		fmt.Fprintln(e.Err)
	}
	if e.JSONErrors() {
		raw, _ := api.Marshal(map[string]any{"error": e.ToJSON(&f, err)})
		fmt.Fprintf(e.asIs(), "%s\n", raw)
	} else {
		e.Complain(e.Err, &f, err)
	}
	return f.Exit
}

// ofProject says which setting names the project of the run, "" if none does.
func (e *Env) ofProject() string {
	if e.Run.Settings == nil || e.Run.Settings.Project.Value == "" {
		return ""
	}
	return "it is named by: " + e.Run.Settings.Project.From + "; `dig project use PROJECT` sets another one"
}

// stdoutClosed reports whether the reader of stdout has closed it, which is the reader's decision and not an error.
func stdoutClosed(err error) bool {
	var pe *fs.PathError
	return errors.As(err, &pe) && pe.Path == os.Stdout.Name() && errors.Is(pe, syscall.EPIPE)
}

// pathOfCall returns the path of a failed call relative to the base address. The query string of a signed link is left
// out.
func (e *Env) pathOfCall(ae *api.Error) string {
	path, _, _ := strings.Cut(ae.URL, "?")
	address := ""
	if e.Run.Settings != nil {
		address = e.Run.Settings.BaseURL.Value
	}
	for _, base := range []string{zone.BaseURL, strings.TrimRight(address, "/")} {
		if rest, ok := strings.CutPrefix(path, base+"/"); ok && base != "" {
			return "/" + rest
		}
	}
	return ""
}

// Complain prints a failure in readable form.
func (e *Env) Complain(w io.Writer, f *exitcode.Failure, err error) {
	fmt.Fprintf(w, "%s: %s\n", e.Name, term.SanitizeText(nil, f.Msg))
	e.listBadCells(err)
	e.printIDs(w, err)
	if f.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", term.SanitizeText(nil, e.OwnName(f.Hint)))
	}
}

// printIDs prints the ids by which the operators of a gateway can find a failed call. Zone local has none.
func (e *Env) printIDs(w io.Writer, err error) {
	var ae *api.Error
	if !errors.As(err, &ae) || strings.HasPrefix(ae.URL, zone.BaseURL+"/") {
		return
	}
	var parts []string
	for _, p := range []struct{ what, is string }{{"error code ", ae.Code}, {"request ", ae.Request},
		{"trace ", ae.Trace}} {
		if p.is != "" {
			parts = append(parts, p.what+p.is)
		}
	}
	if parts != nil {
		fmt.Fprintf(w, "  (%s)\n", term.Sanitize(nil, strings.Join(parts, ", ")))
	}
}

// OwnName replaces the program name of commands in a hint by the name the program was called by.
func (e *Env) OwnName(hint string) string { return strings.ReplaceAll(hint, "`dig ", "`"+e.Name+" ") }

func badCellsOf(err error) ([]api.BadCell, int64) {
	var ae *api.Error
	if errors.As(err, &ae) {
		return ae.BadCells, ae.BadCellsTotal
	}
	return nil, 0
}

// listBadCells prints the faults of a rejected file after the first one, which the message names.
func (e *Env) listBadCells(err error) {
	cells, total := badCellsOf(err)
	if len(cells) < 2 {
		return
	}
	for _, c := range cells[1:] {
		where := fmt.Sprintf("line %d", c.Line)
		if c.Row > 0 {
			where = fmt.Sprintf("row %d", c.Row)
		}
		if c.Column != "" {
			where += fmt.Sprintf(", column %q", c.Column)
		}
		fmt.Fprintf(e.Err, "  %s: %s\n", where, term.SanitizeText(nil, c.Reason))
	}
	if more := total - int64(len(cells)); more > 0 {
		fmt.Fprintf(e.Err, "  and %d more\n", more)
	}
}

func Unsure(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && ae.Unsure
}

func statusOf(err error) int {
	var ae *api.Error
	if errors.As(err, &ae) {
		return ae.Status
	}
	return 0
}

var domainLike = late.Regexp(`^([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?\.)+[A-Za-z]{2,}\.?$`)

// refuseDNS detects command lines meant for the DNS tool of the same name, which would otherwise be unknown commands.
func (e *Env) refuseDNS() error {
	if len(e.Args) == 0 {
		return nil
	}
	a := e.Args[0]
	if strings.HasPrefix(a, "@") || strings.HasPrefix(a, "+") && len(a) > 1 || strings.Contains(a, ".") &&
		domainLike().MatchString(a) || net.ParseIP(a) != nil || a == "-x" {
		return exitcode.Usagef("%q looks like a query for the DNS tool dig; this dig runs a data-integration gateway "+
			"(the DNS tool is usually /usr/bin/dig, this program is also digctl)", a)
	}
	return nil
}
