// Package safely starts goroutines. A panic in a goroutine would end the process, and with it all other work; here it
// ends only the work it occurred in. All goroutines of the gateway are started by this package.
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

// Panic is the error of a function that panicked.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("internal error: %v", p.Value) }

// guarded wraps f for a goroutine. Its callers must detect the interruption themselves; the process continues.
func guarded(f func()) func() {
	return func() {
		if err := Run(f); err != nil {
			p, _ := err.(*Panic) //nolint:errorlint // Run returns nothing else
			slog.Error("panic in a background goroutine", "panic", p.Value, "stack", string(p.Stack))
		}
	}
}

// Go is the go statement. f must notify those who wait for it in a defer, so that they are notified after a panic too.
func Go(f func()) { go guarded(f)() }

// Wait is sync.WaitGroup.Go.
func Wait(g *sync.WaitGroup, f func()) { g.Go(guarded(f)) }

// AfterFunc is time.AfterFunc.
func AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, guarded(f)) }

// AfterContext is context.AfterFunc.
func AfterContext(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, guarded(f))
}
