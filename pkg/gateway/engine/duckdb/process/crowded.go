//go:build cgo

package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
)

// DuckDB's limit of memory is one of all statements of an instance, and whoever asks next after one of them has filled
// it gets the error. A statement that took less than another waits for that one instead, and runs again; after
// crowdedWaits the other one is ended.

const (
	crowdedTries = 8
	crowdedWaits = 3                     // before the greedier statement is ended
	crowdedWait  = 50 * time.Millisecond // the first; doubled each time
	crowdedEnd   = 5 * time.Second       // for a statement that was ended
	crowdedAfter = time.Second           // until the memory of a statement that has left is released
)

// crowded is the error of a statement that got no memory while a greedier one ran.
type crowded struct {
	fault *faults.Error
	by    *watched
}

func (e *crowded) Error() string { return e.fault.Error() }
func (e *crowded) Unwrap() error { return e.fault }

// Uncrowded is the error for a statement that cannot run again.
func Uncrowded(err error) error {
	if e := (*crowded)(nil); errors.As(err, &e) {
		return e.fault
	}
	return err
}

// Crowds returns the error of a statement of a connection that another has left no memory; nil if it has taken most
// itself.
func (w *Watch) Crowds(c *Client, d *faults.Error) error {
	if by := w.crowding(c, d); by != nil {
		return &crowded{d, by}
	}
	return nil
}

// crowding returns the statement that has left no memory to that of a connection.
func (w *Watch) crowding(c *Client, d *faults.Error) (by *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if have, ok := privateMemory(); ok {
		w.share(have)
	}
	own := &watched{began: w.began}
	for x := range w.running {
		if x.c == c {
			own = x
		} else if (x.c.Instance == c.Instance || d.OfProcess()) && (by == nil || x.greedier(by)) {
			by = x
		}
	}
	if by == nil && w.last != nil && time.Since(w.lastGone) < crowdedAfter && (w.last.c.Instance == c.Instance ||
		d.OfProcess()) {
		by = w.last
	}
	if by == nil || !by.greedier(own) {
		return nil
	}
	return by
}

// greedier reports whether a statement has taken more than another or, as far as that is known, the same for longer.
func (x *watched) greedier(y *watched) bool {
	if x.grown != y.grown {
		return x.grown > y.grown
	}
	return x.began < y.began
}

// end ends a statement for the memory that it leaves to no other, unless it has taken little.
func (w *Watch) end(x *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, runs := w.running[x]; runs && !x.killed && x.grown >= w.much() {
		x.kill(fmt.Sprintf("all memory that the statements of a project may use, %d MiB", w.limit>>20),
			fmt.Sprintf("it has left no memory to others; the statements of a project may use %d MiB together",
				w.limit>>20))
	}
}

// Pressed reports whether a statement besides that of a connection has taken much.
func (w *Watch) Pressed(c *Client) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for x := range w.running {
		if x.c != c && x.c.Instance == c.Instance && x.grown >= w.much() {
			return true
		}
	}
	return false
}

// Patient calls attempt, and again when greedier statements have left it no memory, until ended returns an error.
func (w *Watch) Patient(ctx context.Context, attempt func() error, ended func(context.Context) error) error {
	wait := crowdedWait
	for n := 1; ; n++ {
		err := attempt()
		var e *crowded
		if !errors.As(err, &e) {
			return err
		}
		if n == crowdedTries {
			return e.fault
		}
		if n > crowdedWaits {
			w.end(e.by)
			wait = crowdedEnd
		}
		late := time.NewTimer(wait)
		select {
		case <-e.by.gone:
			late.Reset(crowdedWait)
			select {
			case <-late.C:
			case <-ctx.Done():
			}
		case <-late.C:
		case <-ctx.Done():
		}
		late.Stop()
		if err := ended(ctx); err != nil {
			return err
		}
		wait *= 2
	}
}
