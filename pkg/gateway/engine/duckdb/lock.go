//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/gofrs/flock"
)

const lockSaid = time.Second // after which a wait is announced

// takeLock takes the operating system's lock of a project directory. The lock is released when the process ends, however it ends.
// When another process holds it for longer than the options allow, the error has KindLocked and names the holder if it left its name.
func takeLock(ctx context.Context, dir string, o *engine.Options) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	holder := filepath.Join(dir, "holder")
	lctx, cancel := context.WithTimeout(ctx, o.LockWait)
	defer cancel()
	if o.Waiting != nil {
		said := safely.AfterFunc(lockSaid, func() { o.Waiting(holderOf(holder)) })
		defer said.Stop()
	}
	ok, err := lockInTurn(lctx, l)
	if ok {
		name := fmt.Sprintf("pid %d (%s)", os.Getpid(), filepath.Base(os.Args[0]))
		if !o.ReadOnly {
			_ = os.WriteFile(holder, []byte(name), 0o600) // only informs processes that wait
		}
		return l, nil
	}
	if ctx.Err() != nil {
		return nil, faults.Ended(ctx, nil)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return nil, lockedError(holderOf(holder), o)
}

// lockedError is not wrapped: the timeout of the wait is not a timeout of the statement.
func lockedError(holder string, o *engine.Options) error {
	return &engine.Error{
		Kind: engine.KindLocked,
		Message: fmt.Sprintf("the data of this project is in use by %s, which did not release it within %s; nothing was done; wait for that process "+
			"or end it, or let processes share the project through `dig gateway serve`", holder, o.LockWait.Round(time.Millisecond)),
	}
}

// lockInTurn waits for a lock in the kernel, which wakes those that wait in their order and at once. If ctx ends before, the lock is
// released as soon as it is granted; ok is false.
func lockInTurn(ctx context.Context, l *flock.Flock) (ok bool, err error) {
	if ok, err = l.TryLock(); ok || err != nil {
		return ok, err
	}
	got := make(chan error, 1)
	safely.Go(func() { got <- l.Lock() })
	select {
	case err := <-got:
		return err == nil, err
	case <-ctx.Done():
		safely.Go(func() {
			<-got
			_ = l.Close()
		})
		return false, nil
	}
}

func holderOf(path string) string {
	if b, err := os.ReadFile(path); err == nil && len(b) > 0 && len(b) < 200 {
		return "process " + strings.TrimSpace(string(b))
	}
	return "another process"
}
