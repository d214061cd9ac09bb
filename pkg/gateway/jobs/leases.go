package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

const (
	renewEvery  = store.LeaseTime / 4
	leaseAnswer = 5 * time.Second // of the store
)

// leases are runners of a store in PostgreSQL: their ids are the numbers of leases, which any machine can look at.
type leases struct {
	store *store.Store
	log   *slog.Logger

	mu     sync.Mutex
	number int64 // 0 without a lease
	stop   context.CancelFunc
	ended  chan struct{} // closed when the lease is no longer renewed
}

// Leases are the runners of a store that HasLeases.
func Leases(st *store.Store, log *slog.Logger) Runners { return &leases{store: st, log: log} }

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
		ctx, l.stop = context.WithCancel(context.Background())
		l.number, l.ended = number, make(chan struct{})
		safely.Go(func() { l.renew(ctx, number, l.ended) })
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
			l.stop()
			l.number = 0
			return
		case err != nil && ctx.Err() == nil && !failed:
			l.log.Warn("the lease of this gateway cannot be renewed; trying again", "lease", number, "error", err)
		}
		failed = err != nil
	}
}

// Alive implements Runners. A runner that nobody can ask about may be alive.
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
	return alive || err != nil
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
	stop()
	<-ended
	ctx, cancel := context.WithTimeout(context.Background(), leaseAnswer)
	defer cancel()
	if err := l.store.EndLease(ctx, number); err != nil {
		l.log.Warn("the lease of this gateway cannot be ended; it ends by itself", "lease", number, "error", err)
	}
}
