package cli

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/internal/term"
)

// Execute runs a command line over the streams of e, and returns its exit code. parse finds the command and runs it.
func (e *Env) Execute(ctx context.Context, parse func() error) int {
	e.detectAutomation()
	e.Out, e.Err = interruptible(ctx, e.Out), interruptible(ctx, e.Err)
	e.Run.Mask, e.Run.said, e.Run.consent = &term.Masker{}, &said{}, &consent{}
	e.Run.Mask.Hide(e.Getenv("DIG_API_KEY"))
	errs := e.Run.Mask.Writer(e.Err)
	e.Err = errs
	e.Run.Terminal, e.Run.Ctx = e.Err, ctx
	if e.ErrTerm { // names and messages of a gateway must not control the terminal
		e.Err = term.NewScreen(e.Err)
	} else {
		e.Err = &noteLines{e: e, w: e.Err}
	}
	e.In = &prompt.Stdin{Ctx: ctx, In: e.In}
	err := e.refuseDNS()
	if err == nil {
		err = parse()
	}
	if err == nil {
		err = e.Run.Helped
	}
	if cerr := e.Run.local.Close(ctx); err == nil {
		err = errors.Join(cerr, ctx.Err())
	}
	if perr := e.printSteps(); perr != nil && (err == nil || errors.Is(err, ErrDone)) {
		err = perr
	}
	if err == nil || errors.Is(err, ErrDone) {
		e.printDryRunNote()
	}
	code := e.report(ctx, err)
	if notes, ok := e.Err.(*noteLines); ok {
		_ = notes.Flush()
	}
	_ = errs.Flush()
	return code
}

// CollectLess has the heap of this process grow to five times what is in use before it is collected, unless GOGC is
// set; Go's default is twice. It is for work that keeps little, because rows are in the memory of the engine, and for
// commands that read the descriptions of a whole project, which spent a third of their processor time on collecting.
func (e *Env) CollectLess() {
	if e.Process && e.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
