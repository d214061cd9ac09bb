package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

const (
	renewEvery  = time.Second
	leaseAnswer = 5 * time.Second // of the store
	leftLimit   = time.Minute     // for ending what a dead process has left
	firstLook   = 20 * time.Millisecond
	lastLook    = 250 * time.Millisecond // between two looks at a lock
)

// errLost ends what a process does that another one may take over.
var errLost = &engine.Error{Kind: engine.KindInternal, Message: "this gateway was stopped, or without its store, for " +
	"so long that another one may have taken over", Hint: "look whether the change was made before it is repeated"}

// leases are runners of a store in PostgreSQL: their ids are the numbers of leases, which any machine can look at.
type leases struct {
	store *store.Store
	log   *slog.Logger

	mu     sync.Mutex
	number int64           // 0 without a lease
	lasts  context.Context // of the lease; its cause is errLost if the lease was lost
	stop   context.CancelCauseFunc
	ended  chan struct{} // closed when the lease is no longer renewed
	ending map[int64]*ending

	// left ends a statement that a dead process may have left; nil for none. It is set before the first use.
	left func(ctx context.Context, statement string) error
}

// ending is what ends what a dead process has left.
type ending struct {
	over chan struct{}
	err  error
}

// errEnding: what a dead process has left is being ended.
var errEnding = errors.New("the cluster has not ended its statements")

// Leases are the runners of a store that HasLeases.
func Leases(st *store.Store, log *slog.Logger) Runners {
	return &leases{store: st, log: log, ending: map[int64]*ending{}}
}

// ID implements Runners.
func (l *leases) ID() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.number == 0 {
		ctx, cancel := context.WithTimeout(context.Background(), leaseAnswer)
		defer cancel()
		number, err := l.store.NewLease(ctx)
		if err != nil {
			return "", err
		}
		l.lasts, l.stop = context.WithCancelCause(context.Background())
		l.number, l.ended = number, make(chan struct{})
		lasts, ended := l.lasts, l.ended
		safely.Go(func() { l.renew(lasts, number, ended) })
	}
	return strconv.FormatInt(l.number, 10), nil
}

// renew keeps a lease alive until ctx ends or it is dead: this process was stopped, or without the database, for too
// long. Its runs have been ended by others then, and what they still do is not recorded.
func (l *leases) renew(ctx context.Context, number int64, ended chan struct{}) {
	defer close(ended)
	failed := false
	for retry.Sleep(ctx, renewEvery) == nil {
		ask, cancel := context.WithTimeout(ctx, leaseAnswer)
		err := l.store.RenewLease(ask, number)
		cancel()
		switch {
		case errors.Is(err, store.ErrNotFound):
			l.log.Error("this gateway did not renew its lease in time; its runs were ended as interrupted", "lease",
				number)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.stop(errLost)
			l.number = 0
			return
		case err != nil && ctx.Err() == nil && !failed:
			l.log.Warn("the lease of this gateway cannot be renewed; trying again", "lease", number, "error", err)
		}
		failed = err != nil
	}
}

// Alive implements Runners. A runner that nobody can ask about may be alive, and so may one whose statements cannot be
// ended: nobody takes over what they still change.
func (l *leases) Alive(id string) bool {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil { // of a run without a runner
		return false
	}
	l.mu.Lock()
	own := number == l.number
	l.mu.Unlock()
	if own {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaseAnswer)
	defer cancel()
	alive, err := l.store.Leased(ctx, number)
	if alive || err != nil {
		return true
	}
	return l.endAll(ctx, number) != nil
}

// endAll waits until what a dead process has left is ended, which continues when ctx ends.
func (l *leases) endAll(ctx context.Context, number int64) error {
	l.mu.Lock()
	e := l.ending[number]
	if e == nil {
		e = &ending{over: make(chan struct{}), err: errEnding}
		l.ending[number] = e
		safely.Go(func() {
			defer func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.ending, number)
				close(e.over)
			}()
			ctx, cancel := context.WithTimeout(context.Background(), leftLimit)
			defer cancel()
			if e.err = l.endLeft(ctx, number); e.err != nil {
				l.log.Warn("what a gateway has left cannot be ended yet", "lease", number, "error", e.err)
			}
		})
	}
	l.mu.Unlock()
	select {
	case <-e.over:
		return e.err
	case <-ctx.Done():
		return errEnding
	}
}

// endLeft ends the statements of a dead process at once, and releases each of its locks after its statement.
func (l *leases) endLeft(ctx context.Context, number int64) error {
	all, err := l.store.LocksOf(ctx, number)
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	failed := make([]error, len(all))
	for i, lock := range all {
		failed[i] = errEnding
		safely.Wait(&wait, func() {
			if lock.Statement != "" && l.left != nil {
				if failed[i] = l.left(ctx, lock.Statement); failed[i] != nil {
					return
				}
				l.log.Info("a statement that a gateway had left has ended", "lease", number, "statement",
					lock.Statement)
			}
			failed[i] = l.store.Unlock(ctx, lock.Name, number)
		})
	}
	wait.Wait()
	return errors.Join(failed...)
}

// lock takes a lock that all processes with leases share, or takes over that of a dead one. Without wait it is nil if
// another one has it.
func (l *leases) lock(ctx context.Context, name string, wait bool) (*engine.Lock, error) {
	for n := 0; ; n++ {
		id, err := l.ID()
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		number, lasts := l.number, l.lasts
		l.mu.Unlock()
		if id != strconv.FormatInt(number, 10) { // it was lost since
			continue
		}
		holder, err := l.store.TakeLock(ctx, name, number, wait)
		switch {
		case err == nil && holder == number:
			return l.locked(ctx, lasts, name, number), nil
		case err != nil && !errors.Is(err, store.ErrNotFound):
			l.giveBack(lasts, name, number)
			return nil, err
		case err == nil && !l.Alive(strconv.FormatInt(holder, 10)):
			continue
		case !wait:
			return nil, nil //nolint:nilnil // it is not an error
		}
		if err := retry.Sleep(ctx, retry.Doubled(firstLook, lastLook, n)); err != nil {
			l.giveBack(lasts, name, number)
			return nil, err
		}
	}
}

// giveBack gives a lock back, or what has it handed to this process: nobody gets it otherwise while this process lives.
func (l *leases) giveBack(lasts context.Context, name string, number int64) {
	for n := 0; ; n++ {
		ask, done := context.WithTimeout(context.Background(), leaseAnswer)
		err := l.store.Unlock(ask, name, number)
		done()
		if err == nil {
			return
		}
		if n == 0 {
			l.log.Warn("a lock cannot be given back; trying again", "lock", name, "error", err)
		}
		if retry.Sleep(lasts, retry.Doubled(firstLook, lastLook, n)) != nil {
			return
		}
	}
}

// locked is a lock that was taken with a lease.
func (l *leases) locked(ctx, lasts context.Context, name string, number int64) *engine.Lock {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := safely.AfterContext(lasts, func() { cancel(context.Cause(lasts)) })
	return &engine.Lock{Context: ctx,
		Note: func(statement string) error {
			err := l.store.NoteStatement(ctx, name, number, statement)
			if errors.Is(err, store.ErrNotFound) {
				err = errLost
			}
			return err
		},
		Unlock: func() {
			stop()
			cancel(nil)
			l.giveBack(lasts, name, number)
		}}
}

// Close implements Runners.
func (l *leases) Close() {
	l.mu.Lock()
	number, stop, ended := l.number, l.stop, l.ended
	l.number = 0
	l.mu.Unlock()
	if number == 0 {
		return
	}
	stop(nil)
	<-ended
	ctx, cancel := context.WithTimeout(context.Background(), leaseAnswer)
	defer cancel()
	if err := l.store.EndLease(ctx, number); err != nil {
		l.log.Warn("the lease of this gateway cannot be ended; it ends by itself", "lease", number, "error", err)
	}
}
