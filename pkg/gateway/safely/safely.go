// Package safely starts what runs beside a request. A panic there would end the process, and with it the work of everybody else; here
// it ends what it happened in. Everything of the gateway that runs by itself is started by this package.
package safely

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Run runs f and returns its panic as an error.
func Run(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Panic{p, debug.Stack()}
		}
	}()
	f()
	return nil
}

// Try runs f, and returns its panic as an error too.
func Try(f func() error) error {
	var err error
	if p := Run(func() { err = f() }); p != nil {
		return p
	}
	return err
}

// Panic is what a function ended with.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("internal error: %v", p.Value) }

// guarded is f for a goroutine of its own. What it broke off is seen by whoever waits for it; the process goes on.
func guarded(f func()) func() {
	return func() {
		if err := Run(f); err != nil {
			p, _ := err.(*Panic) //nolint:errorlint // Run returns nothing else
			slog.Error("panic in work beside a request", "panic", p.Value, "stack", string(p.Stack))
		}
	}
}

// Go is the statement go. f must tell those who wait for it in a defer, so that they learn of its end after a panic too.
func Go(f func()) { go guarded(f)() }

// Wait is sync.WaitGroup.Go.
func Wait(g *sync.WaitGroup, f func()) { g.Go(guarded(f)) }

// AfterFunc is time.AfterFunc.
func AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, guarded(f)) }

// AfterContext is context.AfterFunc.
func AfterContext(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, guarded(f))
}
