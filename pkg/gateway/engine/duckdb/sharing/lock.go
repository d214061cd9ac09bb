// Package sharing lets processes share the files of a project, with a lock for the process that changes it, locks for
// those that read its data file, and copies of that file, so that neither waits long for the other. How that works is
// explained in holders.go.
package sharing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/gofrs/flock"
)

// DataFile is the name of the file with the rows of a project, in its directory.
const DataFile = "data.duckdb"

const AnnouncedAfter = time.Second // a longer wait is reported

// stoppedWait is the maximum time to wait for a stopped process.
const stoppedWait = 10 * time.Second

var terminalStops = sync.OnceValue(func() *stops { return &stops{} })

// Lock is an operating system lock on a project directory.
type Lock struct {
	*flock.Flock
	resume func() // allows the terminal to stop the process again
}

func (l *Lock) Close() error {
	defer l.resume()
	return l.Flock.Close()
}

// Take locks a project directory. The lock is released when the process ends, however it ends. If another process holds
// it longer than the options allow without making progress, the error has KindLocked and names the holder if that left
// its name.
func Take(ctx context.Context, dir string, o *engine.Options) (*Lock, error) {
	l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	file := filepath.Join(dir, "holder")
	ok, err := l.TryLock()
	if !ok && err == nil {
		defer o.HasWaited(time.Now())
		var gaveUp error
		if ok, gaveUp, err = waitInTurn(ctx, l, &holderWatch{file: file, o: o}); gaveUp != nil {
			return nil, gaveUp
		}
	}
	switch {
	case ok:
		held := &Lock{Flock: l, resume: func() {}}
		if o.Shared {
			held.resume = terminalStops().hold()
		}
		if !o.ReadOnly {
			_ = os.WriteFile(file, []byte(ownName()), 0o600) // for the messages of waiting processes only
		}
		return held, nil
	case ctx.Err() != nil:
		return nil, engine.Ended(ctx, nil)
	}
	return nil, errors.Join(err, l.Close())
}

// waitInTurn waits for a lock held by another process. If that process makes no progress any more, it returns an error
// as gaveUp. When ctx ends, all results are zero.
func waitInTurn(ctx context.Context, l *flock.Flock, watch *holderWatch) (ok bool, gaveUp, err error) {
	lctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended, watched := make(chan struct{}), make(chan struct{})
	safely.Go(func() {
		defer close(watched)
		watch.run(ended, cancel)
	})
	defer func() {
		close(ended)
		<-watched
	}()
	if ok, err = lockInTurn(lctx, l); err != nil {
		return false, nil, err
	}
	if !ok && ctx.Err() == nil {
		gaveUp = context.Cause(lctx)
	}
	return ok, gaveUp, nil
}

// holderWatch monitors the process that holds the lock.
type holderWatch struct {
	file string // which contains its name
	o    *engine.Options
}

// run reports the wait, and ends it when the holder makes no progress for too long: a new holder, or processor time
// that it uses, is progress.
func (w *holderWatch) run(ended <-chan struct{}, giveUp context.CancelCauseFunc) {
	began := time.Now()
	progress, stopped := began, time.Time{}
	said, last := false, ""
	tick := time.NewTimer(min(AnnouncedAfter, w.o.LockWait))
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		h := holderIn(w.file)
		now := time.Now()
		if work := fmt.Sprint(h.name, h.work); work != last {
			if h.work > 0 && last != "" {
				progress = now
			}
			last = work
		}
		if !h.stopped {
			stopped = time.Time{}
		} else if stopped.IsZero() {
			stopped = now
		}
		if !said && now.Sub(began) >= AnnouncedAfter {
			said = true
			if w.o.Waiting != nil {
				w.o.Waiting(h.String())
			}
		}
		switch {
		case h.stopped && now.Sub(stopped) >= min(stoppedWait, w.o.LockWait):
			giveUp(stoppedError(h, "was stopped while it changed them"))
			return
		case now.Sub(progress) >= w.o.LockWait:
			giveUp(LockedError(h.String(), w.o))
			return
		}
		tick.Reset(min(AnnouncedAfter, max(w.o.LockWait-now.Sub(progress), time.Millisecond)))
	}
}

// LockedError is not wrapped: the timeout of the wait is not a timeout of the statement.
func LockedError(holder string, o *engine.Options) error {
	return &engine.Error{
		Kind: engine.KindLocked,
		Message: fmt.Sprintf("the data of this project is in use by %s, which did not release it within %s; nothing "+
			"was done; wait for that process "+
			"or end it, or let processes share the project through `dig gateway serve`", holder,
			o.LockWait.Round(time.Millisecond)),
	}
}

// stoppedError says what a stopped process keeps others from, and how to go on.
func stoppedError(h holder, does string) error {
	return &engine.Error{
		Kind: engine.KindLocked,
		Message: fmt.Sprintf("the data of this project is in use by process %s, which %s; nothing was done; continue "+
			"it with `kill -CONT %d`, "+
			"or end it with `kill -KILL %[3]d`, which loses only what it had not finished", h.name, does, h.pid),
	}
}

// lockInTurn waits for a lock in the kernel, which wakes waiting processes at once and in order. If ctx ends first, the
// lock is released as soon as it is granted; ok is false.
func lockInTurn(ctx context.Context, l *flock.Flock) (ok bool, err error) {
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

// holder is a process that changes or reads a project.
type holder struct {
	name    string // "pid 7 (dig)", or ""
	number  string // of the file that it reads
	pid     int
	runs    bool // as far as the system tells
	stopped bool
	work    int64 // the processor time that it has used, in ticks; 0 if unknown
}

func holderIn(file string) (h holder) {
	b, err := os.ReadFile(file)
	if err != nil || len(b) == 0 || len(b) > 200 {
		return h
	}
	name, number, _ := strings.Cut(string(b), "\n")
	h.name, h.number = strings.TrimSpace(name), strings.TrimSpace(number)
	var program string
	if n, _ := fmt.Sscanf(h.name, "pid %d (%s", &h.pid, &program); n == 2 && h.pid != os.Getpid() {
		h.runs, h.stopped, h.work = processState(h.pid, strings.TrimSuffix(program, ")"))
	}
	return h
}

func (h holder) String() string {
	switch {
	case h.name == "":
		return "another process"
	case h.stopped:
		return fmt.Sprintf("the stopped process %s (`kill -CONT %d` continues it)", h.name, h.pid)
	}
	return "process " + h.name
}

func HolderOf(file string) string { return holderIn(file).String() }
