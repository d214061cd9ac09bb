// Package cmd is the command line: cobra commands over the typed client. The commands are in the packages below it.
package cmd

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/gateway/supervise"
	xterm "golang.org/x/term"
)

// sameSignal is how long after a signal another is taken for the same: timeout(1) signals its child, and then the group
// of processes, to which the child belongs.
const sameSignal = 100 * time.Millisecond

// Main runs dig with the process's own streams and returns its exit code. zone is how it reaches zone local.
func Main(zone cli.Zone) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	// A reader that has closed stdout, such as head, must not kill the process before it has finished its files: the
	// write fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	log.SetOutput(io.Discard) // of the HTTP client: what it finds out about idle connections is no note of a command
	dir, _ := os.Getwd()
	e := &cli.Env{
		Name: programName(os.Args[0]), Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Dir: dir, Now: time.Now, Process: true, Zone: zone, Interrupt: cancel,
		AtOnce: new(atomic.Pointer[func()]), HangUp: new(atomic.Pointer[func()]), Trap: new(atomic.Pointer[func()]),
		InTerm: xterm.IsTerminal(int(os.Stdin.Fd())), OutTerm: xterm.IsTerminal(int(os.Stdout.Fd())),
		ErrTerm: xterm.IsTerminal(int(os.Stderr.Fd())),
	}
	// Two elements: a second signal that arrives while the first is being handled is not lost.
	signals := make(chan os.Signal, 2)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup expects
		ends = append(ends, syscall.SIGHUP)
	}
	if runtime.GOOS != "windows" { // Ctrl-\ would print the stacks of the program and leave what a command has begun
		ends = append(ends, syscall.SIGQUIT)
	}
	signal.Notify(signals, ends...)
	next := func() os.Signal {
		for {
			sig := <-signals
			hangUp := e.HangUp.Load()
			if sig != syscall.SIGHUP || hangUp == nil {
				return sig
			}
			(*hangUp)()
		}
	}
	go func() {
		sig := next()
		first := time.Now()
		for trap := e.Trap.Load(); sig == os.Interrupt && trap != nil; trap = e.Trap.Load() {
			(*trap)()
			sig = next()
			first = time.Now()
		}
		if sig == os.Interrupt {
			cancel(nil)
		} else {
			cancel(cli.ErrTerminated)
		}
		if supervise.IsWorker(os.Getenv) { // the supervisor handles a second signal; it may also receive the first one
			return
		}
		for next(); time.Since(first) < sameSignal; next() {
		}
		// A second signal ends the process immediately.
		if end := e.AtOnce.Load(); end != nil {
			(*end)()
		}
		os.Exit(exitcode.Interrupted)
	}()
	if e.OutTerm {
		e.Width, e.Height, _ = xterm.GetSize(int(os.Stdout.Fd()))
	}
	return Run(ctx, e)
}

func programName(arg0 string) string {
	name := strings.TrimSuffix(filepath.Base(arg0), ".exe")
	if name == "digctl" {
		return name
	}
	return "dig"
}

// Run runs one command line and returns the exit code.
func Run(ctx context.Context, e *cli.Env) int {
	first := *e
	e.Again = func(ctx context.Context, args []string) int {
		again := first
		again.Args = args
		again.Within(e)
		return Run(ctx, &again)
	}
	return e.Execute(ctx, func() error {
		root := rootFor(e, e.Args)
		root.SetArgs(e.Args)
		_, err := root.ExecuteContextC(ctx)
		return err
	})
}
