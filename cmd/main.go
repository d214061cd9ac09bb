// Package cmd is the command line: cobra commands over the typed client. Commands return data; only leaf prints.
package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

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

	run session
}

// Main runs dig with the process's own streams and returns its exit code.
func Main() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// Room for two: a second signal that comes while the first is being answered is not lost.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals // a second one ends the process at once
		os.Exit(exitInterrupted)
	}()
	// A reader that has seen enough, such as head, must not end the process before it has put its files in order: writing fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, _ := os.Getwd()
	e := &Env{
		Name: programName(os.Args[0]), Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Now: time.Now,
		InTerm: term.IsTerminal(int(os.Stdin.Fd())), OutTerm: term.IsTerminal(int(os.Stdout.Fd())), ErrTerm: term.IsTerminal(int(os.Stderr.Fd())),
	}
	if e.OutTerm {
		e.Width, e.Height, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	return e.Main(ctx)
}

func programName(arg0 string) string {
	name := strings.TrimSuffix(filepath.Base(arg0), ".exe")
	if name == "digctl" {
		return name
	}
	return "dig"
}

// Main runs one command line and returns the exit code.
func (e *Env) Main(ctx context.Context) int {
	e.run.terminal = e.Err
	if e.ErrTerm { // names and messages of a gateway must not steer the terminal
		e.Err = output.NewScreen(e.Err)
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
	return e.report(ctx, err)
}
