package jobs

import (
	"context"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Lock waits for the lock of a name until ctx ends: of this process, and of all that have leases of the store. Its
// context ends before another process can have it.
func (s *Service) Lock(ctx context.Context, name string) (*engine.Lock, error) {
	unlock, err := s.locks.Lock(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.everywhere(ctx, name, true, unlock)
}

// TryLock is Lock that does not wait: it returns nil if somebody else has the lock.
func (s *Service) TryLock(ctx context.Context, name string) (*engine.Lock, error) {
	if unlock := s.locks.TryLock(name); unlock != nil {
		return s.everywhere(ctx, name, false, unlock)
	}
	return nil, nil //nolint:nilnil // it is not an error
}

// everywhere takes a lock of this process in the store as well.
func (s *Service) everywhere(ctx context.Context, name string, wait bool, unlock func()) (*engine.Lock, error) {
	l, ok := s.runners.(*leases)
	if !ok {
		return &engine.Lock{Context: ctx, Note: func(string) error { return nil }, Unlock: unlock}, nil
	}
	lock, err := l.lock(ctx, name, wait)
	if lock == nil {
		unlock()
		return nil, err
	}
	give := lock.Unlock
	lock.Unlock = func() { give(); unlock() }
	return lock, nil
}

// EndLeft has end called with the statements that dead processes may have left, before anything of theirs is taken
// over.
func (s *Service) EndLeft(end func(ctx context.Context, statement string) error) {
	if l, ok := s.runners.(*leases); ok {
		l.left = end
	}
}

// Keyed is a set of locks by key.
type Keyed struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

type keyLock struct {
	held  chan struct{} // full while the lock is held
	users int
}

// Lock waits for the lock of a key until ctx ends.
func (k *Keyed) Lock(ctx context.Context, key string) (unlock func(), err error) {
	l := k.use(key)
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; k.leave(key, l) }, nil
	case <-ctx.Done():
		k.leave(key, l)
		return nil, context.Cause(ctx)
	}
}

// TryLock takes the lock of a key; nil if it is held.
func (k *Keyed) TryLock(key string) (unlock func()) {
	l := k.use(key)
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; k.leave(key, l) }
	default:
		k.leave(key, l)
		return nil
	}
}

func (k *Keyed) use(key string) *keyLock {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.locks == nil {
		k.locks = map[string]*keyLock{}
	}
	l := k.locks[key]
	if l == nil {
		l = &keyLock{held: make(chan struct{}, 1)}
		k.locks[key] = l
	}
	l.users++
	return l
}

func (k *Keyed) leave(key string, l *keyLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(k.locks, key)
	}
}

// Tally is a set of numbers by key.
type Tally struct {
	mu sync.Mutex
	n  map[string]int
}

// Add changes the number of a key and passes it to record. No other Add proceeds until record returns, so that the
// numbers are stored in order.
func (c *Tally) Add(key string, by int, record func(now int) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[key] += by
	now := c.n[key]
	if now == 0 {
		delete(c.n, key)
	}
	return record(now)
}
