//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/gofrs/flock"
)

const (
	lockPoll = 20 * time.Millisecond
	lockSaid = time.Second // after which the wait is logged
)

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
	ok, err := l.TryLockContext(lctx, lockPoll)
	if ok {
		name := fmt.Sprintf("pid %d (%s)", os.Getpid(), filepath.Base(os.Args[0]))
		if !o.ReadOnly {
			_ = os.WriteFile(holder, []byte(name), 0o600) // only informs processes that wait
		}
		return l, nil
	}
	_ = l.Close()
	if ctx.Err() != nil {
		return nil, ctxError(ctx, nil)
	}
	if lctx.Err() == nil && err != nil {
		return nil, err
	}
	// Not wrapped: the timeout of the wait is not a timeout of the statement.
	return nil, &engine.Error{
		Kind: engine.KindLocked,
		Message: fmt.Sprintf("the data of this project is in use by %s, which did not release it within %s; nothing was done; wait for that process "+
			"or end it, or let processes share the project through `dig gateway serve`", holderOf(holder), o.LockWait.Round(time.Millisecond)),
	}
}

func holderOf(path string) string {
	if b, err := os.ReadFile(path); err == nil && len(b) > 0 && len(b) < 200 {
		return "process " + strings.TrimSpace(string(b))
	}
	return "another process"
}
