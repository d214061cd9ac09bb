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
	"github.com/gofrs/flock"
)

const lockPoll = 20 * time.Millisecond

// takeLock takes the operating system's lock of a project directory. The lock goes away with the process however it ends.
// When another process holds it for longer than wait, the error has KindLocked and names the holder if it left its name.
func takeLock(ctx context.Context, dir string, wait time.Duration) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	lctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ok, err := l.TryLockContext(lctx, lockPoll)
	holder := filepath.Join(dir, "holder")
	if ok {
		name := fmt.Sprintf("pid %d (%s)", os.Getpid(), filepath.Base(os.Args[0]))
		_ = os.WriteFile(holder, []byte(name), 0o600) // only a courtesy to whoever waits
		return l, nil
	}
	_ = l.Close()
	if ctx.Err() != nil {
		return nil, ctxError(ctx, nil)
	}
	if lctx.Err() == nil && err != nil {
		return nil, err
	}
	who := "another process"
	if b, err := os.ReadFile(holder); err == nil && len(b) > 0 && len(b) < 200 {
		who = "process " + strings.TrimSpace(string(b))
	}
	return nil, &engine.Error{
		Kind:    engine.KindLocked,
		Message: fmt.Sprintf("the data of this project is in use by %s; waited %s", who, wait.Round(time.Millisecond)),
		Err:     err,
	}
}
