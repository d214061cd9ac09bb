// Package cmd is the command line: cobra commands over the typed client. Commands return data; only leaf prints.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/supervise"
	"github.com/dig-cli/dig/pkg/output"
	"golang.org/x/term"
)

// Env is everything a run touches outside itself. Tests set its fields.
type Env struct {
	Name   string // the name the program was called by: dig or digctl
	Args   []string
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string
	Dir    string // working directory
	Now    func() time.Time

	InTerm, OutTerm, ErrTerm bool // whether the streams are terminals
	Width, Height            int  // of the terminal behind Out

	process   bool                    // this is what the process does, with its own streams and arguments
	interrupt context.CancelCauseFunc // as a signal does
	atOnce    *atomic.Pointer[func()] // called before the process ends by a second signal

	run session
}

// Main runs dig with the process's own streams and returns its exit code.
func Main() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	// A reader that has seen enough, such as head, must not end the process before it has put its files in order: writing fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, _ := os.Getwd()
	e := &Env{
		Name: programName(os.Args[0]), Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Now: time.Now, process: true, interrupt: cancel, atOnce: new(atomic.Pointer[func()]),
		InTerm: term.IsTerminal(int(os.Stdin.Fd())), OutTerm: term.IsTerminal(int(os.Stdout.Fd())), ErrTerm: term.IsTerminal(int(os.Stderr.Fd())),
	}
	// Room for two: a second signal that comes while the first is being answered is not lost.
	signals := make(chan os.Signal, 2)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup wants it
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(signals, ends...)
	go func() {
		if sig := <-signals; sig == os.Interrupt {
			cancel(nil)
		} else {
			cancel(errTerminated)
		}
		if supervise.IsWorker(os.Getenv) { // a second one is for the supervisor, which may get the first one too
			return
		}
		<-signals // a second one ends the process at once
		if end := e.atOnce.Load(); end != nil {
			(*end)()
		}
		os.Exit(exitInterrupted)
	}()
	if e.OutTerm {
		e.Width, e.Height, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	return e.Main(ctx)
}

// errTerminated is a SIGTERM or a SIGHUP: unlike the interrupt of a terminal, nobody else gets it.
var errTerminated = fmt.Errorf("terminated: %w", context.Canceled)

func programName(arg0 string) string {
	name := strings.TrimSuffix(filepath.Base(arg0), ".exe")
	if name == "digctl" {
		return name
	}
	return "dig"
}

// Main runs one command line and returns the exit code.
func (e *Env) Main(ctx context.Context) int {
	e.Out, e.Err = leavable(ctx, e.Out), leavable(ctx, e.Err)
	e.run.mask = &output.Masker{}
	e.run.telling = new(sync.Mutex)
	e.run.mask.Hide(e.Getenv("DIG_API_KEY"))
	out, errs := e.run.mask.Writer(e.Out), e.run.mask.Notes(e.Err)
	e.Out, e.Err = out, errs
	e.run.terminal, e.run.ctx = e.Err, ctx
	if e.ErrTerm { // names and messages of a gateway must not steer the terminal
		e.Err = output.NewScreen(e.Err)
	} else {
		e.Err = &noteLines{e: e, w: e.Err}
	}
	e.In = &stdin{ctx, e.In}
	err := e.refuseDNS()
	if err == nil {
		root := newRootCmd(e)
		root.SetArgs(e.Args)
		_, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		err = e.run.helped
	}
	if cerr := e.run.close(ctx); err == nil {
		err = errors.Join(cerr, ctx.Err())
	}
	if err == nil || errors.Is(err, errDone) {
		e.closing()
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	code := e.report(ctx, err)
	if notes, ok := e.Err.(*noteLines); ok {
		_ = notes.Flush()
	}
	_ = errs.Flush()
	return code
}
