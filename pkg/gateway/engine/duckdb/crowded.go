//go:build cgo

package duckdb

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

// uncrowded is the error for a statement that cannot run again.
func uncrowded(err error) error {
	if e := (*crowded)(nil); errors.As(err, &e) {
		return e.fault
	}
	return err
}

// crowds returns the statement that has left no memory to that of a connection; nil if this has taken most itself.
func (w *memoryWatch) crowds(c *conn, d *faults.Error) (by *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if have, ok := privateMemory(); ok {
		w.share(have)
	}
	own := &watched{began: w.began}
	for x := range w.running {
		if x.c == c {
			own = x
		} else if (x.c.in == c.in || d.OfProcess()) && (by == nil || x.greedier(by)) {
			by = x
		}
	}
	if by == nil && w.last != nil && time.Since(w.lastGone) < crowdedAfter && (w.last.c.in == c.in || d.OfProcess()) {
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
func (w *memoryWatch) end(x *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, runs := w.running[x]; runs && !x.killed && x.grown >= w.much() {
		x.kill(fmt.Sprintf("all memory that the statements of a project may use, %d MiB", w.limit>>20),
			fmt.Sprintf("it has left no memory to others; the statements of a project may use %d MiB together",
				w.limit>>20))
	}
}

// reserve raises the limit of memory until the returned function is called, if others may have reached it: DuckDB can
// neither finish nor undo a change without memory.
func (c *conn) reserve() (done func()) {
	if c.in.readOnly || !c.p.memory.pressed(c) {
		return func() {}
	}
	limit := c.p.opts.MemoryLimit
	c.in.limit(limit + max(limit/4, 64<<20))
	return func() { c.in.limit(limit) }
}

// pressed reports whether a statement besides that of a connection has taken much.
func (w *memoryWatch) pressed(c *conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for x := range w.running {
		if x.c != c && x.c.in == c.in && x.grown >= w.much() {
			return true
		}
	}
	return false
}

// patient calls attempt, and again when greedier statements have left it no memory.
func (c *conn) patient(ctx context.Context, attempt func() error) error {
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
			c.p.memory.end(e.by)
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
		if err := c.ended(ctx); err != nil {
			return err
		}
		wait *= 2
	}
}
